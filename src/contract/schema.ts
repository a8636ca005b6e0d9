import type { TNumber, TObject, TProperties, TSchema, Type as TypeBox } from 'typebox';

export type { Static, TObject, TProperties, TSchema, TString } from 'typebox';

/*
 * The schemas of the contract: TypeBox's types over plain JSON Schema.
 *
 * The compiler sees TypeBox's types. At run time, a few object literals here and `check.ts` replace TypeBox, because
 * its own code would cost every step about 10 ms of start-up and 750 kB of bundle (docs/contributing/performance.md).
 * Tests compare the schemas built here, and the decisions of `check.ts`, with TypeBox's.
 */

type Options = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

// Marks an optional property until its object is created. Not enumerable, so that it is not part of the schema.
const optional = Symbol('optional');

// Marks a decisive property. Not enumerable either.
const decisiveMark = Symbol('decisive');

// Holds the words for a pattern. Not enumerable either.
const patternRule = Symbol('rule');

// Holds the wider schema that a client accepts. Not enumerable either.
const widerSchema = Symbol('wider form');

function isOptional(schema: Schema): boolean {
  return Object.hasOwn(schema, optional);
}

/** Whether the schema for keys accepts every key: a key is always a string. */
function isAnyText(key: Schema): boolean {
  return Object.keys(key).every((keyword) => keyword === 'type');
}

const builders = {
  String: (options: Options = {}): Schema => ({ type: 'string', ...options }),
  Integer: (options: Options = {}): Schema => ({ type: 'integer', ...options }),
  Number: (options: Options = {}): Schema => ({ type: 'number', ...options }),
  Boolean: (options: Options = {}): Schema => ({ type: 'boolean', ...options }),
  Null: (options: Options = {}): Schema => ({ type: 'null', ...options }),
  Unknown: (options: Options = {}): Schema => ({ ...options }),
  Literal: (value: unknown, options: Options = {}): Schema => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly unknown[], options: Options = {}): Schema => ({ enum: values, ...options }),
  Array: (items: Schema, options: Options = {}): Schema => ({ type: 'array', items, ...options }),
  Union: (anyOf: readonly Schema[], options: Options = {}): Schema => ({ anyOf, ...options }),
  // Not TypeBox's `patternProperties: { '^.*$': … }`: a dot does not match a line break, so such keys would not be
  // checked.
  Record: (key: Schema, value: Schema, options: Options = {}): Schema => ({
    type: 'object',
    ...(isAnyText(key) ? {} : { propertyNames: key }),
    additionalProperties: value,
    ...options,
  }),
  Optional: (schema: Schema): Schema =>
    Object.defineProperties(
      { ...schema },
      {
        [optional]: { value: true },
        [widerSchema]: { value: findWiderSchema(schema), configurable: true },
        [patternRule]: { value: findPatternRule(schema) },
      },
    ),
  Object(properties: Readonly<Record<string, Schema>>, options: Options = {}): Schema {
    const required = Object.entries(properties).flatMap(([key, schema]) => (isOptional(schema) ? [] : [key]));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
};

/**
 * Marks an optional field of a response that decides something: a verdict, or what the verdict is about. If it is
 * present, a client requires that it conforms to the schema. All other optional fields are passed on whatever they
 * contain.
 */
export function decisive<Schema extends TSchema>(schema: Schema): Schema {
  return Object.defineProperty(schema, decisiveMark, { value: true });
}

/**
 * Declares a field of a response as this service sends it, and lets a client accept a wider schema: other services were
 * observed to send a fraction for an integer, or null for an absent text.
 *
 * @returns the declared schema, with the type of the accepted one
 */
export function tolerant<Accepted extends TSchema>(declared: TSchema, accepted: Accepted): Accepted {
  return Object.defineProperty(declared, widerSchema, { value: accepted }) as unknown as Accepted;
}

/**
 * Gives the pattern of a string a description, which error messages show instead of the pattern: `must be owner/name`.
 * Only for fields that the interface does not have, because the interface shows the pattern in its messages.
 */
export function withRule<Schema extends TSchema>(schema: Schema, rule: string): Schema {
  return Object.defineProperty(schema, patternRule, { value: rule });
}

/** The description of the pattern of a string; undefined if it has none. */
export function findPatternRule(schema: object): string | undefined {
  const rule: unknown = Reflect.get(schema, patternRule);
  return typeof rule === 'string' ? rule : undefined;
}

/** A whole number of seconds. A client accepts fractions, too, because a real service was observed to send them. */
export function wholeSeconds(description = 'Unix seconds.'): TNumber {
  return tolerant(Type.Integer({ description }), Type.Number());
}

/** The wider schema that a client accepts; undefined if it accepts only the declared one. */
export function findWiderSchema(schema: object): unknown {
  return Reflect.get(schema, widerSchema);
}

export function isDecisive(schema: object): boolean {
  return Object.hasOwn(schema, decisiveMark);
}

/** Creates schemas, with the signatures of TypeBox's builder of the same name. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;

/** An object with these keys and no others, as in a request. */
export function strictObject<const Properties extends TProperties>(
  properties: Properties,
  options: Options = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
