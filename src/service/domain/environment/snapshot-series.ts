import type { SnapshotSelector } from '../../../contract/snapshot-expression.ts';

/** What is known of the series of an environment's snapshots: numbered from 1 to the latest, without gaps. */
export interface SnapshotSeries {
  /** 0 where there is none. */
  readonly latest: number;
  /** The snapshot that was current at a time in Unix seconds; 0 if the time is before the first one. */
  numberAt(time: number): Promise<number>;
}

/** The number that a selector means, whether there is such a snapshot or not. */
export async function resolveSelector(
  selector: SnapshotSelector,
  series: SnapshotSeries,
  now: number,
): Promise<number> {
  switch (selector.kind) {
    case 'latest':
      return series.latest;
    case 'number':
      return selector.number;
    case 'behind':
      return series.latest - selector.count;
    case 'time':
      return series.numberAt(selector.time);
    case 'ago':
      return series.numberAt(now - selector.seconds);
  }
}

/** Numbers from the first to the last, both included; none where the first is greater. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** The snapshots of an interval, as far as there are such; all of them where there is no interval. */
export async function resolveInterval(
  interval: { readonly from: SnapshotSelector; readonly to: SnapshotSelector } | undefined,
  series: SnapshotSeries,
  now: number,
): Promise<NumberRange> {
  if (interval === undefined) return { first: 1, last: series.latest };
  return {
    first: Math.max(1, await resolveSelector(interval.from, series, now)),
    last: Math.min(series.latest, await resolveSelector(interval.to, series, now)),
  };
}

/** Which page of a list. */
export interface Page {
  /** From 1. */
  readonly page: number;
  readonly size: number;
  /** Whether the smallest numbers come first. */
  readonly ascending: boolean;
}

/** The numbers on a page: computed and not counted, so that the last page costs what the first one does. */
export function toPageRange({ first, last }: NumberRange, { page, size, ascending }: Page): NumberRange {
  const skipped = (page - 1) * size;
  return ascending
    ? { first: first + skipped, last: Math.min(last, first + skipped + size - 1) }
    : { first: Math.max(first, last - skipped - size + 1), last: last - skipped };
}
