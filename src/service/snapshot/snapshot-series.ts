import type { SnapshotInterval, SnapshotSelector } from '../../contract/snapshot-expression.ts';

/** The snapshots of an environment, numbered from 1 to the latest without gaps. */
export interface SnapshotSeries {
  /** 0 if there is none. */
  readonly latest: number;
  /** The number of the snapshot that was current at a time (Unix seconds); 0 before the first snapshot. */
  numberAt(time: number): Promise<number>;
}

/** Resolves a selector to a number. The snapshot need not exist. */
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

/** A range of numbers, both ends included; empty if the first is greater than the last. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** Two ends, both included. */
export type Interval = Extract<SnapshotInterval, { readonly from: SnapshotSelector }>;

/** Resolves an interval to the existing snapshots in it; to all snapshots if there is no interval. */
export async function resolveInterval(
  interval: Interval | undefined,
  series: SnapshotSeries,
  now: number,
): Promise<NumberRange> {
  if (interval === undefined) return { first: 1, last: series.latest };
  return {
    first: Math.max(1, await resolveSelector(interval.from, series, now)),
    last: Math.min(series.latest, await resolveSelector(interval.to, series, now)),
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
