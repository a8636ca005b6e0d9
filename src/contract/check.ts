import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';

/**
 * How many errors are looked for. TypeBox stops at 8 on its own, which would show a reader a part of what is wrong; a
 * bound there must be, because a hostile document can hold millions.
 */
const maximumErrors = 100;
Settings.Set({ maxErrors: maximumErrors });

/** One place where a value does not have the declared form. */
export interface Violation {
  /** Where, as dotted keys: `sonar_results.project.key`; empty for the value itself. */
  readonly field: string;
  /** What must be true there, for example `must be integer`. */
  readonly rule: string;
}

/** Whether the value has the declared form. */
export function conforms<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return Check(schema, value);
}

/** The fields that do not have the declared form, each once, of the first hundred errors; empty only where all have. */
export function violations(schema: TSchema, value: unknown): readonly Violation[] {
  const [, errors] = Errors(schema, value);
  const rules = new Map<string, string[]>();
  for (const { field, rule } of errors.flatMap(toViolations)) {
    const known = rules.get(field) ?? [];
    if (!known.includes(rule)) rules.set(field, [...known, rule]);
  }
  return [...rules].map(([field, words]) => ({ field, rule: words.join(' or ') }));
}

type SchemaError = ReturnType<typeof Errors>[1][number];

function toViolations(error: SchemaError): readonly Violation[] {
  const field = fieldOf(error.instancePath);
  switch (error.keyword) {
    // It names the parent; the reader wants the key that is missing.
    case 'required':
      return error.params.requiredProperties.map((key) => ({ field: join(field, key), rule: 'is missing' }));
    // Nothing conforms to the schema `false`, and only `additionalProperties` is declared so.
    case 'boolean':
      return [{ field, rule: 'is not a known field' }];
    // These two come last and only repeat what the errors before them say, so that none is lost at the bound.
    case 'additionalProperties':
    case 'anyOf':
      return [];
    case 'enum':
      return [{ field, rule: `must be one of ${error.params.allowedValues.map((v) => JSON.stringify(v)).join(', ')}` }];
    case 'const':
      return [{ field, rule: `must be ${JSON.stringify(error.params.allowedValue)}` }];
    default:
      return [{ field, rule: error.message }];
  }
}

function join(field: string, key: string): string {
  return field === '' ? key : `${field}.${key}`;
}

/** A JSON pointer (RFC 6901) as dotted keys. */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
