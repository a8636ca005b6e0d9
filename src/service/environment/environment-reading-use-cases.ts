import type { EnvironmentKind } from '../../contract/environment.ts';
import { hasTags } from '../../contract/tags.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { ListPart } from '../platform/database/database.ts';
import { readCurrent } from '../platform/judging/pending-snapshots.ts';
import { loadProvenance } from '../platform/judging/provenance.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { measureSpans, toPeriods, toTrend, type Trend } from '../platform/rate.ts';
import type { Environment } from '../snapshot/snapshot.ts';
import type { Provenance } from '../snapshot/snapshot-events.ts';
import type { RunningEvent } from '../snapshot/snapshot-records.ts';
import { type Interval, resolveInterval, type SortedPart } from '../snapshot/snapshot-series.ts';
import { toSeries } from '../snapshot/snapshot-use-cases.ts';
import type { EnvironmentReference } from './environment-use-cases.ts';

type ReadDependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

export function findEnvironment(
  dependencies: ReadDependencies,
  { org, name }: EnvironmentReference,
): Promise<Environment | undefined> {
  return readCurrent(dependencies, { org, environments: [name] }, ({ environments }) => environments.find(org, name));
}

/** An environment with its verdicts over the last days. */
export interface JudgedEnvironment {
  readonly environment: Environment;
  /** When its current verdict began, in Unix seconds; undefined without a snapshot. */
  readonly since: number | undefined;
  /** The time in which it was compliant. */
  readonly trend: Trend;
}

/** The maximum number of verdict changes that the trend of an environment takes into account. */
const maximumChanges = 200;

export function loadVerdictHistories(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  environments: readonly Environment[],
  days: number,
): Promise<readonly JudgedEnvironment[]> {
  const at = unixSeconds(now());
  const periods = toPeriods(days, at);
  return storage.read(({ snapshots }) => {
    const histories = environments.map(async (environment): Promise<JudgedEnvironment> => {
      const { org, name } = environment;
      const spans = await snapshots.listVerdictSpans(org, name, periods[0].from, maximumChanges);
      const trend = toTrend(periods, (period) => measureSpans(spans, period, at));
      return { environment, since: spans[0]?.from, trend };
    });
    return Promise.all(histories);
  });
}

export interface EnvironmentListQuery {
  readonly org: string;
  /** A part of the name, in upper or lower case. */
  readonly name?: string | undefined;
  /** Each `key` or `key:value`. */
  readonly tags?: readonly string[] | undefined;
  /** Only those that are archived, or (by default) only those that are not. */
  readonly isArchived?: boolean | undefined;
  readonly kinds?: readonly EnvironmentKind[] | undefined;
  readonly sort: 'name' | 'last_modified_at' | 'last_changed_at';
  readonly descending: boolean;
  /** Undefined for all environments. */
  readonly part?: ListPart | undefined;
}

export interface EnvironmentList {
  readonly environments: readonly Environment[];
  readonly total: number;
}

export async function listEnvironments(
  dependencies: ReadDependencies,
  query: EnvironmentListQuery,
): Promise<EnvironmentList> {
  const { org } = query;
  const names = await dependencies.storage.read(({ environments }) => environments.list(org));
  const shown = select(names, query).environments.map(({ name }) => name);
  return readCurrent(dependencies, { org, environments: shown }, async ({ environments }) =>
    select(await environments.list(org), query),
  );
}

function select(all: readonly Environment[], query: EnvironmentListQuery): EnvironmentList {
  const { name = '', tags = [], isArchived = false, kinds, sort, descending, part } = query;
  const wanted = all.filter(
    (environment) =>
      environment.name.toLowerCase().includes(name.toLowerCase()) &&
      hasTags(environment.tags, tags) &&
      environment.isArchived === isArchived &&
      (kinds === undefined || kinds.includes(environment.kind)),
  );
  // The environments are sorted by name already, and sorting keeps the order of equal ones.
  const sorted =
    sort === 'name' ? wanted : wanted.toSorted((one, other) => sortTime(one, sort) - sortTime(other, sort));
  const ordered = descending ? sorted.toReversed() : sorted;
  const { offset, limit } = part ?? { offset: 0, limit: ordered.length };
  return { environments: ordered.slice(offset, offset + limit), total: ordered.length };
}

function sortTime(environment: Environment, sort: 'last_modified_at' | 'last_changed_at'): number {
  return sort === 'last_modified_at' ? environment.lastModifiedAt : (environment.lastChangedAt ?? 0);
}

/** One end of the log: a snapshot or a time in Unix seconds, itself included; or none. */
export interface LogEnd {
  readonly snapshot?: number;
  readonly time?: number | undefined;
}

export interface EnvironmentLogQuery {
  readonly org: string;
  readonly environment: string;
  readonly interval?: Interval | undefined;
  /** The log begins at the latest of them. */
  readonly starts: readonly LogEnd[];
  readonly ends: readonly LogEnd[];
  /** Only artifacts that were reported from these repositories; undefined for all. */
  readonly repositories?: readonly string[] | undefined;
  readonly part: SortedPart;
  /** In Unix seconds. */
  readonly now: number;
}

export interface EnvironmentLog {
  readonly events: readonly RunningEvent[];
  readonly provenance: ReadonlyMap<string, Provenance>;
}

/** Lists what started and stopped running; undefined if the environment does not exist. */
export function listEnvironmentEvents(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, environment, interval, starts, ends, repositories, part, now }: EnvironmentLogQuery,
): Promise<EnvironmentLog | undefined> {
  return storage.read(async (transaction) => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return undefined;
    const range = await resolveInterval(interval, toSeries(transaction, head), now);
    const toSnapshots = (of: readonly LogEnd[]): readonly number[] => of.flatMap(({ snapshot }) => snapshot ?? []);
    const toTimes = (of: readonly LogEnd[]): readonly number[] => of.flatMap(({ time }) => time ?? []);
    const [since, until] = [toTimes(starts), toTimes(ends)];
    const events = await transaction.snapshots.listMovements({
      ...{ org, environment, repositories, part },
      range: { first: Math.max(range.first, ...toSnapshots(starts)), last: Math.min(range.last, ...toSnapshots(ends)) },
      since: since.length === 0 ? undefined : Math.max(...since),
      until: until.length === 0 ? undefined : Math.min(...until),
    });
    const fingerprints = [...new Set(events.map(({ fingerprint }) => fingerprint))];
    return { events, provenance: await loadProvenance(transaction, { org, environment }, fingerprints) };
  });
}
