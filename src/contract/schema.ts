import type { TNumber, TSchema, Type as TypeBox } from 'typebox';

export type { Static, TObject, TProperties, TSchema } from 'typebox';

/*
 * The schemas of the contract: TypeBox's types over plain JSON Schema.
 *
 * TypeBox describes the schemas to the compiler, and the tests hold both halves of this file's run-time side to it: what is
 * built here and what `check.ts` decides. Its own run-time half stays out, because every step of every job would pay some
 * 10 ms of start-up and 750 kB of bundle for it, and what the contract needs of it is a handful of object literals
 * (docs/performance.md).
 */

type Options = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

// Marks an optional property until its object is made. No enumerable key, so that it is no part of the schema.
const optional = Symbol('optional');

// Marks a property that decides, likewise.
const decisiveMark = Symbol('decisive');

// Holds the wider form that a client accepts, likewise.
const widerSchema = Symbol('wider form');

function isOptional(schema: Schema): boolean {
  return Object.hasOwn(schema, optional);
}

/** Whether every key of an object fits: a key is a text anyway. */
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
  // Not TypeBox's `patternProperties: { '^.*$': … }`: a dot matches no line break, so such keys would go unchecked.
  Record: (key: Schema, value: Schema, options: Options = {}): Schema => ({
    type: 'object',
    ...(isAnyText(key) ? {} : { propertyNames: key }),
    additionalProperties: value,
    ...options,
  }),
  Optional: (schema: Schema): Schema =>
    Object.defineProperties(
      { ...schema },
      { [optional]: { value: true }, [widerSchema]: { value: findWiderSchema(schema), configurable: true } },
    ),
  Object(properties: Readonly<Record<string, Schema>>, options: Options = {}): Schema {
    const required = Object.entries(properties).flatMap(([key, schema]) => (isOptional(schema) ? [] : [key]));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
};

/**
 * Marks an optional field of an answer that decides something: a verdict, or what it is about. If it is there, a client
 * insists on its form, and on its standing there once. All other optional fields are carried along whatever they hold.
 */
export function decisive<Schema extends TSchema>(schema: Schema): Schema {
  return Object.defineProperty(schema, decisiveMark, { value: true });
}

/**
 * Declares an answer's field as this service sends it, and lets a client accept a wider form: other services of the kind
 * were seen to send a fraction for an integer, or null for an absent text.
 *
 * @returns the declared schema, with the type of the accepted one
 */
export function tolerant<Accepted extends TSchema>(declared: TSchema, accepted: Accepted): Accepted {
  return Object.defineProperty(declared, widerSchema, { value: accepted }) as unknown as Accepted;
}

/** A whole number of seconds. A client accepts fractions, too, because a real service was seen to send them. */
export function wholeSeconds(description = 'Unix seconds.'): TNumber {
  return tolerant(Type.Integer({ description }), Type.Number());
}

/** The wider form that a client accepts; undefined if it accepts the declared form only. */
export function findWiderSchema(schema: object): unknown {
  return Reflect.get(schema, widerSchema);
}

/** Whether a schema is marked as decisive. */
export function isDecisive(schema: object): boolean {
  return Object.hasOwn(schema, decisiveMark);
}

/** Makes schemas, with the signatures of TypeBox's builder of the same name. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
