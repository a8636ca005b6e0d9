import type { Provenance } from '../snapshot/snapshot-events.ts';
import { resolveInterval, type Interval, type Page } from '../snapshot/snapshot-series.ts';
import type { RunningEvent } from '../snapshot/snapshot-records.ts';
import { loadProvenance } from '../platform/judging/provenance.ts';
import { toSeries } from '../snapshot/snapshot-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

/** One end of the log: a snapshot or a time in Unix seconds, itself included. */
export type LogEnd = { readonly snapshot: number } | { readonly time: number };

export interface EnvironmentLogQuery {
  readonly org: string;
  readonly environment: string;
  readonly interval?: Interval | undefined;
  /** The log begins at the latest of them. */
  readonly starts: readonly LogEnd[];
  readonly ends: readonly LogEnd[];
  /** Only artifacts that were reported from these repositories; undefined for all. */
  readonly repositories?: readonly string[] | undefined;
  readonly page: Page;
  /** In Unix seconds. */
  readonly now: number;
}

/** A page of the log with the builds of the artifacts. */
export interface EnvironmentLog {
  readonly events: readonly RunningEvent[];
  readonly provenance: ReadonlyMap<string, Provenance>;
}

/** Lists what started and stopped running; undefined if the environment does not exist. */
export function listEnvironmentEvents(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, environment, interval, starts, ends, repositories, page, now }: EnvironmentLogQuery,
): Promise<EnvironmentLog | undefined> {
  return storage.read(async (transaction) => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return undefined;
    const range = await resolveInterval(interval, toSeries(transaction, head, now), now);
    const [first, last] = [starts.flatMap(toSnapshots), ends.flatMap(toSnapshots)];
    const [since, until] = [starts.flatMap(toTimes), ends.flatMap(toTimes)];
    const events = await transaction.snapshots.listMovements({
      ...{ org, environment, repositories, page },
      range: { first: Math.max(range.first, ...first), last: Math.min(range.last, ...last) },
      since: since.length === 0 ? undefined : Math.max(...since),
      until: until.length === 0 ? undefined : Math.min(...until),
    });
    const fingerprints = [...new Set(events.map(({ fingerprint }) => fingerprint))];
    return { events, provenance: await loadProvenance(transaction, { org, environment }, fingerprints) };
  });
}

function toSnapshots(end: LogEnd): readonly number[] {
  return 'snapshot' in end ? [end.snapshot] : [];
}

function toTimes(end: LogEnd): readonly number[] {
  return 'time' in end ? [end.time] : [];
}
