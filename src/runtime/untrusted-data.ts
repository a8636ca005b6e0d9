/** Reads foreign data (event files, API answers, reports) step by step, without trusting its shape. */

/** An object of unknown content. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Whether it is an object with keys: neither null nor an array. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value behind a chain of keys, or undefined as soon as one is missing. Own keys only. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  let current = value;
  for (const key of keys) {
    if (!isMapping(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** The text behind a chain of keys; undefined where there is none, it is empty, or something else stands there. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The list behind a chain of keys; empty where there is none. */
export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}
