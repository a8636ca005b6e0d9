import { isMapping } from '../../runtime/untrusted-data.ts';

/**
 * The matrix values of the job with sorted keys; undefined outside a matrix, or if the text is not the JSON that GitHub
 * fills in.
 */
export function parseMatrix(text: string | undefined): unknown {
  try {
    const values: unknown = JSON.parse(text ?? 'null', withSortedKeys);
    return isMapping(values) && Object.keys(values).length > 0 ? values : undefined;
  } catch {
    return undefined;
  }
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
