/** The middle of the values: half are at most as large. A few slow runs on a busy machine do not move it. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('nothing was measured');
  return (lower + upper) / 2;
}
