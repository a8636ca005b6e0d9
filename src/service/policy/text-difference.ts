import { diff } from 'node:util';

export interface ComparedLine {
  /** `removed`: only in the first text; `added`: only in the second. */
  readonly change: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * The maximum number of lines that are compared: comparing takes time and memory in proportion to the square of their
 * number. If there are more, the lines that differ are not matched with each other.
 */
const maximumLines = 2000;

/** Compares two texts line by line. */
export function compareLines(first: string, second: string): readonly ComparedLine[] {
  const [one, other] = [first.split('\n'), second.split('\n')];
  const start = countEqual(one, other, (lines, index) => lines[index]);
  const rest = [one.slice(start), other.slice(start)] as const;
  const end = countEqual(...rest, (lines, index) => lines[lines.length - 1 - index]);
  const middle = rest.map((lines) => lines.slice(0, lines.length - end));
  return [
    ...toLines('same', one.slice(0, start)),
    ...compareMiddle(middle[0] ?? [], middle[1] ?? []),
    ...toLines('same', one.slice(one.length - end)),
  ];
}

function countEqual(
  one: readonly string[],
  other: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  const longest = Math.min(one.length, other.length);
  let count = 0;
  while (count < longest && at(one, count) === at(other, count)) count += 1;
  return count;
}

function toLines(change: ComparedLine['change'], lines: readonly string[]): readonly ComparedLine[] {
  return lines.map((text) => ({ change, text }));
}

function compareMiddle(one: readonly string[], other: readonly string[]): readonly ComparedLine[] {
  // Node's function fails if there is nothing to compare.
  if (one.length === 0 || other.length === 0 || one.length + other.length > maximumLines)
    return [...toLines('removed', one), ...toLines('added', other)];
  const changes = { '-1': 'added', '0': 'same', '1': 'removed' } as const;
  return diff(one, other).map(([operation, text]) => ({ change: changes[operation], text }));
}
