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
  /** The records whose time is before that of the record before them, in ascending order. Usually none. */
  readonly stepsBack: readonly number[];
  /** The times of these records, in Unix seconds and in their order. */
  listTimes(numbers: readonly number[]): Promise<readonly number[]>;
  /** The first record of a run whose time is not before this one; one more than its last if there is none. */
  findFirstNotBefore(run: TimeSeriesRun, time: number): Promise<number>;
}

/** Consecutive records, both ends included. Their times never decrease. */
export interface TimeSeriesRun {
  readonly first: number;
  readonly last: number;
}

/** A record with its time. */
interface Timed {
  readonly number: number;
  readonly time: number;
}

/** A time is taken to be right if it is less than this ahead of the present, in seconds: it was recorded meanwhile. */
const allowance = 1;

/**
 * The last record that was made before a time: by order, the last one whose time is before it. The records after that one
 * belong to it as well until the first one whose time is not contradicted. 0 if there is none. All that is recorded was
 * made by now, so an end after the present leaves nothing out.
 *
 * @param end in Unix seconds; the first moment that is too late
 * @param now in Unix seconds
 */
export async function lastBefore(series: TimeSeries, end: number, now: number): Promise<number> {
  const { length } = series;
  if (end > now) return length;
  const runs = toRuns(series);
  const starts = await series.listTimes(runs.map(({ first }) => first));
  const run = runs[starts.findLastIndex((time) => time < end)];
  const found = run === undefined ? 0 : (await series.findFirstNotBefore(run, end)) - 1;
  // Within a run the first is the earliest.
  const later = runs.flatMap(({ first, last }) => (last > found ? [Math.max(first, found + 1)] : []));
  const earliest = (await withTimes(series, later)).reduce<Timed | undefined>(
    (known, record) => (known !== undefined && known.time <= record.time ? known : record),
    undefined,
  );
  return earliest === undefined || earliest.time >= now + allowance ? length : earliest.number - 1;
}

/**
 * The first record that was made at a time or later: by order, the first one whose time is not before it, leaving out times
 * in the future. The records before that one belong to it as well back to the last one whose time is not contradicted. One
 * more than the length if there is none.
 *
 * @param start in Unix seconds
 * @param now in Unix seconds
 */
export async function firstSince(series: TimeSeries, start: number, now: number): Promise<number> {
  const runs = await withoutFuture(series, toRuns(series), now + allowance);
  const ends = await series.listTimes(runs.map(({ last }) => last));
  const run = runs[ends.findIndex((time) => time >= start)];
  const found = run === undefined ? series.length + 1 : await series.findFirstNotBefore(run, start);
  // Within a run the last is the latest.
  const earlier = runs.flatMap(({ first, last }) => (first < found ? [Math.min(last, found - 1)] : []));
  const latest = (await withTimes(series, earlier)).reduce<Timed | undefined>(
    (known, record) => (known === undefined || known.time <= record.time ? record : known),
    undefined,
  );
  return (latest?.number ?? 0) + 1;
}

/** Cuts a series into runs: a new one begins with every step back. */
function toRuns({ length, stepsBack }: TimeSeries): readonly TimeSeriesRun[] {
  if (length === 0) return [];
  const starts = [1, ...stepsBack];
  return starts.map((first, index) => ({ first, last: (starts[index + 1] ?? length + 1) - 1 }));
}

/** The runs up to a time, without those that begin at it or later. */
async function withoutFuture(
  series: TimeSeries,
  runs: readonly TimeSeriesRun[],
  future: number,
): Promise<readonly TimeSeriesRun[]> {
  const ends = await withTimes(
    series,
    runs.map(({ last }) => last),
  );
  const past: TimeSeriesRun[] = [];
  for (const [index, run] of runs.entries()) {
    const isPast = (ends[index]?.time ?? Infinity) < future;
    const last = isPast ? run.last : (await series.findFirstNotBefore(run, future)) - 1;
    if (run.first <= last) past.push({ first: run.first, last });
  }
  return past;
}

async function withTimes(series: TimeSeries, numbers: readonly number[]): Promise<readonly Timed[]> {
  const times = await series.listTimes(numbers);
  return times.map((time, index) => ({ number: numbers[index] ?? 0, time }));
}

/**
 * Merges lists by their times. Each list keeps its own order, whatever its times are; at the same time, the entry of the
 * earlier list comes first.
 */
export function mergeByTime<Entry extends { readonly timestamp: number }>(
  lists: readonly (readonly Entry[])[],
): readonly Entry[] {
  // An entry cannot come before those ahead of it in its list, so it counts with the latest of their times.
  const placed = lists.flatMap((list) => {
    let latest = -Infinity;
    return list.map((entry) => {
      latest = Math.max(latest, entry.timestamp);
      return { entry, latest };
    });
  });
  return placed.sort((one, other) => one.latest - other.latest).map(({ entry }) => entry);
}
