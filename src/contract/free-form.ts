import { conforms, isObject, type Keywords } from './check.ts';

/**
 * Merges the two readings of a document: declared fields are plain values, and free-form data keeps every number as it
 * was written. The service computes with declared numbers, but only passes free-form data through, so no digit of it
 * may change.
 *
 * @param schema the schema that the document conforms to
 * @param plain the document as JSON.parse reads it
 * @param exact the same document as `parseExactJson` reads it
 */
export function withExactFreeForm(schema: unknown, plain: unknown, exact: unknown): unknown {
  if (!isObject(schema) || isFreeForm(schema)) return exact;
  const { anyOf, items } = schema;
  if (Array.isArray(anyOf)) {
    const member: unknown = anyOf.find((candidate: Keywords) => conforms(candidate, plain));
    return member === undefined ? plain : withExactFreeForm(member, plain, exact);
  }
  if (Array.isArray(plain) && Array.isArray(exact)) {
    return plain.map((item: unknown, index) => withExactFreeForm(items, item, exact[index]));
  }
  if (!isObject(plain) || !isObject(exact)) return plain;
  return Object.fromEntries(
    Object.entries(plain).map(([key, value]) => [key, withExactFreeForm(schemaAt(schema, key), value, exact[key])]),
  );
}

/** Whether the schema accepts any value. */
function isFreeForm(schema: Keywords): boolean {
  return !['type', 'anyOf', 'enum', 'const'].some((keyword) => keyword in schema);
}

/** The schema of the value under a key; undefined if the contract does not declare it. */
function schemaAt({ properties, additionalProperties }: Keywords, key: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}
