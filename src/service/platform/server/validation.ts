import { conforms, violations } from '../../../contract/check.ts';
import type { Static, TObject, TSchema } from '../../../contract/schema.ts';
import { isMapping } from '../../../runtime/untrusted-data.ts';
import { validationError } from './errors/api-error.ts';
import { renderRejectedValue } from './rejected-value.ts';

/**
 * Returns the value if it conforms to the schema.
 *
 * @param prefix prefix of the field names in the error: `query.`, `path.` or none.
 * @param whole the name of the value itself in the error.
 * @throws ApiError 400 that names every invalid field.
 */
export function validate<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  { prefix = '', whole }: { readonly prefix?: string; readonly whole: string },
): Static<Schema> {
  if (conforms(schema, value)) return value;
  throw validationError(
    ...violations(schema, value).map(
      ({ field, rule }) =>
        [field === '' ? whole : prefix + field, toServiceWords(rule) + renderRejectedValue(value, field)] as const,
    ),
  );
}

/** Scripts look for these words of real services (read in the public client's tests). */
function toServiceWords(rule: string): string {
  return rule.replaceAll(/must match pattern "([^"]*)"/gu, "String should match pattern '$1'");
}

/** Validates path parameters, which the router has decoded. */
export function validatePath<Schema extends TObject>(schema: Schema, parameters: unknown): Static<Schema> {
  return validateParameters(schema, parameters, 'path');
}

export function validateQuery<Schema extends TObject>(schema: Schema, parameters: unknown): Static<Schema> {
  return validateParameters(schema, parameters, 'query');
}

function validateParameters<Schema extends TObject>(schema: Schema, parameters: unknown, part: string): Static<Schema> {
  const valid = validate(schema, convertTypes(schema, parameters), { prefix: `${part}.`, whole: part });
  // As in documents: no record has it, and not every database can compare with it.
  const faulty = Object.entries(valid).filter(([, value]) => hasNul(value));
  if (faulty.length > 0)
    throw validationError(...faulty.map(([name]) => [`${part}.${name}`, 'must not contain NUL'] as const));
  return valid;
}

function hasNul(value: unknown): boolean {
  return Array.isArray(value) ? value.some(hasNul) : typeof value === 'string' && value.includes('\0');
}

/**
 * Converts texts that are declared as numbers, booleans or lists; texts that are no numbers or booleans stay texts, and
 * fail validation.
 */
function convertTypes(schema: TObject, parameters: unknown): unknown {
  if (!isMapping(parameters)) return {};
  const properties: Readonly<Record<string, TSchema>> = schema.properties;
  const convert = (name: string): unknown => {
    const value = parameters[name];
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return typeof value === 'string' ? convertText(declaredType(declared), value) : value;
  };
  const names = Object.keys(parameters);
  // Most requests have only texts, which need no conversion and no copy.
  if (names.every((name) => convert(name) === parameters[name])) return parameters;
  return Object.fromEntries(names.map((name) => [name, convert(name)]));
}

function declaredType(schema: TSchema | undefined): unknown {
  return schema !== undefined && 'type' in schema ? schema.type : undefined;
}

function convertText(type: unknown, text: string): unknown {
  switch (type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      // Clients of the interface write `true` as well as `True` (interface, operation 12).
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
    case 'array':
      // A parameter that may be repeated, and is given once.
      return [text];
    default:
      return text;
  }
}
