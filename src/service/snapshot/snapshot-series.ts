import type { SnapshotInterval, SnapshotSelector } from '../../contract/snapshot-expression.ts';
import { lastBefore, type NumberRange, type TimeSeries } from '../platform/time-series.ts';

/** The number of the snapshot that was current at a time (Unix seconds); 0 before the first snapshot. */
export function numberAt(series: TimeSeries, time: number, now: number): Promise<number> {
  // The interface has times in whole seconds, so any time within a snapshot's second must select it.
  return lastBefore(series, Math.floor(time) + 1, now);
}

/** Resolves a selector to a number. The snapshot need not exist. */
export async function resolveSelector(selector: SnapshotSelector, series: TimeSeries, now: number): Promise<number> {
  switch (selector.kind) {
    case 'latest':
      return series.length;
    case 'number':
      return selector.number;
    case 'behind':
      return series.length - selector.count;
    case 'time':
      return numberAt(series, selector.time, now);
    case 'ago':
      return numberAt(series, now - selector.seconds, now);
  }
}

/** Two ends, both included. */
export type Interval = Extract<SnapshotInterval, { readonly from: SnapshotSelector }>;

/** Resolves an interval to the existing snapshots in it; to all snapshots if there is no interval. */
export async function resolveInterval(
  interval: Interval | undefined,
  series: TimeSeries,
  now: number,
): Promise<NumberRange> {
  if (interval === undefined) return { first: 1, last: series.length };
  return {
    first: Math.max(1, await resolveSelector(interval.from, series, now)),
    last: Math.min(series.length, await resolveSelector(interval.to, series, now)),
  };
}

/** A part of a list, after its first `offset` entries. */
export interface SortedPart {
  readonly offset: number;
  readonly limit: number;
  /** Whether the lowest numbers come first. */
  readonly ascending: boolean;
}

/** The numbers on a page. They are computed, so that the last page costs no more than the first. */
export function toPageRange({ first, last }: NumberRange, { offset, limit, ascending }: SortedPart): NumberRange {
  return ascending
    ? { first: first + offset, last: Math.min(last, first + offset + limit - 1) }
    : { first: Math.max(first, last - offset - limit + 1), last: last - offset };
}
