/**
 * Selects records by time. The order of the records is certain, their times are not: each record has the time that the
 * clock showed, and the clock may have been set forward or back in between.
 *
 * A time is contradicted if it is later than the time of a later record, or than the present, or if it is earlier than
 * the time of an earlier record. A record with such a time was made at some time between its neighbours.
 */

/** Records in the order of recording, numbered from 1 without gaps. */
export interface TimeSeries {
  readonly length: number;
  /** The records whose time is before that of their predecessor, in ascending order. Usually none. */
  listStepsBack(): Promise<readonly number[]>;
  /** The times of these records in Unix seconds, in the same order. */
  listTimes(numbers: readonly number[]): Promise<readonly number[]>;
}

/** A range of numbers, both ends included; empty if the first is greater than the last. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

interface Timed {
  readonly number: number;
  readonly time: number;
}

/** In seconds. A time less than this ahead of the present is accepted: the record was made in the meantime. */
const allowance = 1;

/**
 * The last record that was made before a time; 0 if there is none. It is the last record whose time is before the given
 * one, extended by the following records up to the first whose time is not contradicted. All records were made by now,
 * so an end in the future excludes nothing.
 *
 * @param end in Unix seconds, exclusive
 * @param now in Unix seconds
 */
export async function lastBefore(series: TimeSeries, end: number, now: number): Promise<number> {
  const { length } = series;
  if (end > now) return length;
  const runs = await toRuns(series);
  const starts = await series.listTimes(runs.map(({ first }) => first));
  const run = runs[starts.findLastIndex((time) => time < end)];
  const found = run === undefined ? 0 : (await findFirstNotBefore(series, run, end)) - 1;
  // The first record of a run is the earliest.
  const later = runs.flatMap(({ first, last }) => (last > found ? [Math.max(first, found + 1)] : []));
  const earliest = (await withTimes(series, later)).reduce<Timed | undefined>(
    (known, record) => (known !== undefined && known.time <= record.time ? known : record),
    undefined,
  );
  return earliest === undefined || earliest.time >= now + allowance ? length : earliest.number - 1;
}

/**
 * The first record that was made at a time or later; one more than the length if there is none. It is the first record
 * whose time is at or after the given one and not in the future, extended by the preceding records back to the last
 * whose time is not contradicted.
 *
 * @param start in Unix seconds
 * @param now in Unix seconds
 */
export async function firstSince(series: TimeSeries, start: number, now: number): Promise<number> {
  const runs = await withoutFuture(series, await toRuns(series), now + allowance);
  const ends = await series.listTimes(runs.map(({ last }) => last));
  const run = runs[ends.findIndex((time) => time >= start)];
  const found = run === undefined ? series.length + 1 : await findFirstNotBefore(series, run, start);
  // The last record of a run is the latest.
  const earlier = runs.flatMap(({ first, last }) => (first < found ? [Math.min(last, found - 1)] : []));
  const latest = (await withTimes(series, earlier)).reduce<Timed | undefined>(
    (known, record) => (known === undefined || known.time <= record.time ? record : known),
    undefined,
  );
  return (latest?.number ?? 0) + 1;
}

/** The first record of a run at or after a time; one more than the last of the run if there is none. */
async function findFirstNotBefore(series: TimeSeries, { first, last }: NumberRange, time: number): Promise<number> {
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [found = Infinity] = await series.listTimes([middle]);
    if (found < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Splits a series into runs, whose times never decrease; every step back starts a new one. */
async function toRuns(series: TimeSeries): Promise<readonly NumberRange[]> {
  const { length } = series;
  if (length === 0) return [];
  const starts = [1, ...(await series.listStepsBack())];
  return starts.map((first, index) => ({ first, last: (starts[index + 1] ?? length + 1) - 1 }));
}

/** Truncates the runs at a time and drops those that begin at or after it. */
async function withoutFuture(
  series: TimeSeries,
  runs: readonly NumberRange[],
  future: number,
): Promise<readonly NumberRange[]> {
  const ends = await withTimes(
    series,
    runs.map(({ last }) => last),
  );
  const past: NumberRange[] = [];
  for (const [index, run] of runs.entries()) {
    const isPast = (ends[index]?.time ?? Infinity) < future;
    const last = isPast ? run.last : (await findFirstNotBefore(series, run, future)) - 1;
    if (run.first <= last) past.push({ first: run.first, last });
  }
  return past;
}

async function withTimes(series: TimeSeries, numbers: readonly number[]): Promise<readonly Timed[]> {
  const times = await series.listTimes(numbers);
  return times.map((time, index) => ({ number: numbers[index] ?? 0, time }));
}

/**
 * Merges lists by time. Each list keeps its own order, even if its times are not ascending; at equal times, the entry
 * of the list given first comes first.
 */
export function mergeByTime<Entry extends { readonly timestamp: number }>(
  lists: readonly (readonly Entry[])[],
): readonly Entry[] {
  // An entry must stay behind its predecessors in its list, so it is sorted by the latest of their times and its own.
  const placed = lists.flatMap((list) => {
    let latest = -Infinity;
    return list.map((entry) => {
      latest = Math.max(latest, entry.timestamp);
      return { entry, latest };
    });
  });
  return placed.sort((one, other) => one.latest - other.latest).map(({ entry }) => entry);
}
