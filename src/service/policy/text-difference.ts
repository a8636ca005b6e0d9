export interface ComparedLine {
  /** `removed`: only in the first text; `added`: only in the second. */
  readonly change: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * The maximum number of pairs of lines that are compared. If there are more, the lines that differ are not matched with
 * each other.
 */
const maximumPairs = 4_000_000;

/** Compares two texts line by line, by their longest common subsequence. */
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
  if (one.length * other.length > maximumPairs) return [...toLines('removed', one), ...toLines('added', other)];
  const lengths = findCommonLengths(one, other);
  const compared: ComparedLine[] = [];
  let [row, column] = [0, 0];
  while (row < one.length && column < other.length) {
    const [left, right] = [one[row] ?? '', other[column] ?? ''];
    if (left === right) {
      compared.push({ change: 'same', text: left });
      row += 1;
      column += 1;
    } else if (lengths(row + 1, column) >= lengths(row, column + 1)) {
      compared.push({ change: 'removed', text: left });
      row += 1;
    } else {
      compared.push({ change: 'added', text: right });
      column += 1;
    }
  }
  return [...compared, ...toLines('removed', one.slice(row)), ...toLines('added', other.slice(column))];
}

/** The length of the longest common subsequence of the lines from each pair of places on. */
function findCommonLengths(one: readonly string[], other: readonly string[]): (row: number, column: number) => number {
  const columns = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * columns);
  const at = (row: number, column: number): number => lengths[row * columns + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      lengths[row * columns + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  return at;
}
