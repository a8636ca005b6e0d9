/**
 * Selection by time from records whose order is certain and whose times are not: each record keeps the time that the clock
 * showed, and the clock may have been set forward or back in between.
 *
 * A time is contradicted if it is later than that of a record made afterwards, or than the present; or if it is earlier
 * than that of a record made before. A record with such a time was made at some time between its neighbours.
 */

/** Records in the order in which they were made, numbered from 1 without gaps. */
export interface TimeSeries {
  /** How many there are. */
  readonly length: number;
  /** The time of a record, in Unix seconds. */
  readonly timeOf: (number: number) => number;
  /** The records whose time is before that of the record before them, in ascending order. Usually none. */
  readonly stepsBack: readonly number[];
}

/** Some consecutive records, both ends included. Their times never decrease. */
interface Run {
  readonly first: number;
  readonly last: number;
}

/** How far a time may be ahead of the present, in seconds; less is a request that was recorded meanwhile. */
const allowance = 1;

/**
 * The last record that was made before a time: by order, the last one whose time is before it. The records after that one
 * belong to it as well until the first one whose time is not contradicted. 0 if there is none. All that is recorded was
 * made by now, so an end after the present leaves nothing out.
 *
 * @param end in Unix seconds; the first moment that is too late
 * @param now in Unix seconds
 */
export function lastBefore(series: TimeSeries, end: number, now: number): number {
  const { timeOf, length } = series;
  if (end > now) return length;
  const runs = runsOf(series);
  const run = runs.findLast(({ first }) => timeOf(first) < end);
  const found = run === undefined ? 0 : firstWhere(run, (number) => timeOf(number) >= end) - 1;
  // Within a run the first is the earliest.
  const earliest = runs
    .flatMap(({ first, last }) => (last > found ? [Math.max(first, found + 1)] : []))
    .reduce<number | undefined>(
      (known, number) => (known !== undefined && timeOf(known) <= timeOf(number) ? known : number),
      undefined,
    );
  return earliest === undefined || timeOf(earliest) > now + allowance ? length : earliest - 1;
}

/**
 * The first record that was made at a time or later: by order, the first one whose time is not before it, leaving out times
 * in the future. The records before that one belong to it as well back to the last one whose time is not contradicted. One
 * more than the length if there is none.
 *
 * @param start in Unix seconds
 * @param now in Unix seconds
 */
export function firstSince(series: TimeSeries, start: number, now: number): number {
  const { timeOf, length } = series;
  const isFuture = (number: number): boolean => timeOf(number) > now + allowance;
  const runs = runsOf(series).map(({ first, last }) => ({ first, last: firstWhere({ first, last }, isFuture) - 1 }));
  const run = runs.find(({ first, last }) => first <= last && timeOf(last) >= start);
  const found = run === undefined ? length + 1 : firstWhere(run, (number) => timeOf(number) >= start);
  // Within a run the last is the latest.
  const latest = runs
    .flatMap(({ first, last }) => (first <= last && first < found ? [Math.min(last, found - 1)] : []))
    .reduce((known, number) => (known === 0 || timeOf(known) <= timeOf(number) ? number : known), 0);
  return latest + 1;
}

/** Cuts a series into runs: a new one begins with every step back. */
function runsOf({ length, stepsBack }: TimeSeries): readonly Run[] {
  if (length === 0) return [];
  const starts = [1, ...stepsBack];
  return starts.map((first, index) => ({ first, last: (starts[index + 1] ?? length + 1) - 1 }));
}

/** The first number of a run for which something is true that stays true from there on; one more than the last if none. */
function firstWhere({ first, last }: Run, isTrue: (number: number) => boolean): number {
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
