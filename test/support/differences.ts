import { isMapping } from '../../src/runtime/untrusted-data.ts';

/** A value that two documents do not share. */
export interface Difference {
  /** The keys and indexes that lead to it, joined with dots. */
  readonly path: string;
  /** Undefined if the document has no such value. */
  readonly left: unknown;
  readonly right: unknown;
}

/** All values that differ between two JSON documents. */
export function findDifferences(left: unknown, right: unknown, path = ''): readonly Difference[] {
  const [leftParts, rightParts] = [partsOf(left), partsOf(right)];
  const isComparable = Array.isArray(left) === Array.isArray(right);
  if (!isComparable || leftParts === undefined || rightParts === undefined)
    return Object.is(left, right) ? [] : [{ path, left, right }];
  const keys = new Set([...leftParts.keys(), ...rightParts.keys()]);
  return [...keys].flatMap((key) =>
    findDifferences(leftParts.get(key), rightParts.get(key), path === '' ? key : `${path}.${key}`),
  );
}

function partsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((item: unknown, index) => [String(index), item]));
  return isMapping(value) ? new Map(Object.entries(value)) : undefined;
}
