/*
 * Reads data from outside (event files, API responses, reports) without trusting its shape.
 */

/** An object of unknown content. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Whether the value is an object, and neither null nor an array. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys; undefined if any of them is missing. Only own properties count. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  let current = value;
  for (const key of keys) {
    if (!isMapping(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** The non-empty string at a path of keys; undefined if there is none. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The array at a path of keys; empty if there is none. */
export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}
