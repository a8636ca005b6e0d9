import { setImmediate } from 'node:timers/promises';
import type { EnvironmentKind } from '../../contract/environment.ts';
import { maximumReasons } from '../../contract/reason.ts';
import type { SnapshotReading } from '../../contract/snapshot-expression.ts';
import { type JudgementReason, orderReasons } from '../attestation/reasons.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { readCurrent } from '../platform/judging/pending-snapshots.ts';
import { loadProvenance } from '../platform/judging/provenance.ts';
import { SnapshotContent } from '../platform/judging/snapshot-content.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { NumberRange, TimeSeries } from '../platform/time-series.ts';
import { listEnvironmentReasons } from '../policy/judge-environment.ts';
import type { EnvironmentHead } from '../snapshot/snapshot.ts';
import type { StoredContent } from './content-views.ts';
import { parseMembers, type Snapshot, type SnapshotReference, type SnapshotSummary } from './snapshot.ts';
import type { Provenance } from './snapshot-events.ts';
import type { JudgedReference } from './snapshot-records.ts';
import { type Interval, resolveInterval, resolveSelector, type SortedPart, toPageRange } from './snapshot-series.ts';

type ReadDependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

export interface SnapshotListQuery {
  readonly org: string;
  readonly environment: string;
  readonly interval?: Interval | undefined;
  readonly part: SortedPart;
  /** In Unix seconds; the reference for `@{2.hours.ago}`. */
  readonly now: number;
}

export interface SnapshotPage {
  readonly snapshots: readonly SnapshotSummary[];
  /** Why the current snapshot is not compliant, the worst first; empty unless it is on the page. */
  readonly reasons: readonly JudgementReason[];
}

/** Operation 12: lists a page of snapshots; undefined if the environment does not exist. */
export function listSnapshots(
  dependencies: ReadDependencies,
  { org, environment, interval, part, now }: SnapshotListQuery,
): Promise<SnapshotPage | undefined> {
  return readCurrent(dependencies, { org, environments: [environment] }, async (transaction) => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return undefined;
    const range = toPageRange(await resolveInterval(interval, toSeries(transaction, head), now), part);
    const summaries = await listSummaries(transaction, head, range);
    return {
      snapshots: part.ascending ? summaries : summaries.toReversed(),
      reasons: await loadCurrentReasons(transaction, head, summaries),
    };
  });
}

async function loadCurrentReasons(
  transaction: ReadTransaction,
  { org, name, kind }: EnvironmentHead,
  summaries: readonly SnapshotSummary[],
): Promise<readonly JudgementReason[]> {
  const current = summaries.find(({ to }) => to === undefined);
  if (current?.compliant !== false) return [];
  const references = [{ environment: name, number: current.number }];
  const [judged] = await transaction.snapshots.listJudgements(org, references);
  const [content] = kind === 'logical' ? await transaction.snapshots.listContents(org, references) : [];
  if (judged === undefined) return [];
  return loadReasons(transaction, org, judged, content === undefined ? [] : parseMembers(content));
}

async function listSummaries(
  { snapshots }: ReadTransaction,
  { org, name }: EnvironmentHead,
  { first, last }: NumberRange,
): Promise<readonly SnapshotSummary[]> {
  if (last < first) return [];
  // One more, because a snapshot ends when the next one begins.
  const verdicts = await snapshots.listRange(org, name, { first, last: last + 1 });
  return verdicts
    .map(({ number, from, compliant }, index) => ({ number, from, to: verdicts[index + 1]?.from, compliant }))
    .slice(0, last - first + 1);
}

/** The snapshots of an environment, for resolving selectors. */
export function toSeries({ snapshots }: ReadTransaction, { org, name, latest }: EnvironmentHead): TimeSeries {
  return {
    length: latest,
    listStepsBack: () => snapshots.listStepsBack(org, name),
    listTimes: (numbers) => snapshots.listTimes(org, name, numbers),
  };
}

/** The snapshots that hold the content of a snapshot: itself, or the snapshots of its members. */
export interface ContentLocation {
  readonly org: string;
  readonly isLogical: boolean;
  readonly references: readonly SnapshotReference[];
  /** The size of the content, which can be large, so it is loaded separately. */
  readonly bytes: number;
}

/** A snapshot without what runs in it. */
export interface FoundSnapshot {
  readonly outcome: 'found';
  readonly kind: EnvironmentKind;
  /** The number of the latest snapshot of the environment. */
  readonly latest: number;
  readonly snapshot: Omit<Snapshot, 'artifacts'>;
  readonly content: ContentLocation;
}

/** A snapshot with why it is not compliant, read in one transaction. */
export interface SnapshotDetails extends FoundSnapshot {
  /** The worst first; empty if it is compliant, or if nothing was judged. */
  readonly reasons: readonly JudgementReason[];
  /** What ran in the previous snapshot; nothing if there is none, or if its members are too large to be merged. */
  readonly previous: ContentLocation;
}

export type SnapshotObstacle =
  | { readonly outcome: 'environment not found' }
  /** A logical environment whose members' contents are too large to be merged. */
  | { readonly outcome: 'too large' }
  | {
      readonly outcome: 'no such snapshot';
      readonly environment: string;
      /** The number that the expression resolves to. */
      readonly number: number;
      readonly latest: number;
    };

export function findSnapshot(
  dependencies: ReadDependencies,
  { org, now, ...reading }: SnapshotReading & { readonly org: string; readonly now: number },
): Promise<SnapshotDetails | SnapshotObstacle> {
  const { environment } = reading;
  return readCurrent(dependencies, { org, environments: [environment] }, async (transaction) => {
    const found = await findSelected(transaction, org, [reading], now);
    if (found.outcome !== 'found') return found;
    const { snapshot, kind, content } = found;
    const before = { environment, number: snapshot.number - 1 };
    const previous = await locateContent(transaction, { org, kind }, before);
    return {
      ...found,
      reasons: await loadReasons(transaction, org, snapshot, content.isLogical ? content.references : []),
      previous: previous === 'too large' ? { org, isLogical: true, references: [], bytes: 0 } : previous,
    };
  });
}

/** The possible readings of an expression. The first whose environment exists is used. */
export type SnapshotReadings = readonly [SnapshotReading, ...SnapshotReading[]];

export type SnapshotLookup = FoundSnapshot | SnapshotObstacle;

/** Operation 11: finds two snapshots to compare, in one transaction. */
export function findComparedSnapshots(
  dependencies: ReadDependencies,
  query: {
    readonly org: string;
    readonly first: SnapshotReadings;
    readonly second: SnapshotReadings;
    /** In Unix seconds. */
    readonly now: number;
  },
): Promise<{ readonly first: SnapshotLookup; readonly second: SnapshotLookup }> {
  const { org, now } = query;
  const environments = [...new Set([...query.first, ...query.second].map(({ environment }) => environment))];
  return readCurrent(dependencies, { org, environments }, async (transaction) => ({
    first: await findSelected(transaction, org, query.first, now),
    second: await findSelected(transaction, org, query.second, now),
  }));
}

async function findSelected(
  transaction: ReadTransaction,
  org: string,
  readings: SnapshotReadings,
  now: number,
): Promise<SnapshotLookup> {
  const heads = await transaction.environments.findHeads(
    org,
    readings.map(({ environment }) => environment),
  );
  const reading = readings.find(({ environment }) => heads.has(environment));
  const head = reading === undefined ? undefined : heads.get(reading.environment);
  if (reading === undefined || head === undefined) return { outcome: 'environment not found' };
  const { environment, selector } = reading;
  const number = await resolveSelector(selector, toSeries(transaction, head), now);
  const [judged] = await transaction.snapshots.listJudgements(org, [{ environment, number }]);
  const { kind, latest } = head;
  if (judged === undefined) return { outcome: 'no such snapshot', environment, number, latest };
  const content = await locateContent(transaction, head, judged);
  if (content === 'too large') return { outcome: content };
  return { outcome: 'found', kind, latest, snapshot: { org, ...judged }, content };
}

async function locateContent(
  transaction: ReadTransaction,
  { org, kind }: Pick<EnvironmentHead, 'org' | 'kind'>,
  { environment, number }: SnapshotReference,
): Promise<ContentLocation | 'too large'> {
  const own = [{ environment, number }];
  if (kind !== 'logical') {
    return { org, isLogical: false, references: own, bytes: await transaction.snapshots.findContentBytes(org, own) };
  }
  const [json = '[]'] = await transaction.snapshots.listContents(org, own);
  const content = new SnapshotContent(transaction, { org, kind }, json);
  if (await content.isTooLarge()) return 'too large';
  return { org, isLogical: true, references: content.members, bytes: await content.findMemberBytes() };
}

/** Loads the content of a snapshot, in a turn of the event loop of its own; without parts that are missing. */
export async function loadContent(
  { storage }: Pick<ReadDependencies, 'storage'>,
  { org, isLogical, references }: ContentLocation,
): Promise<StoredContent> {
  await setImmediate();
  return storage.read(async ({ snapshots }) => {
    const found = await Promise.all(references.map((reference) => snapshots.find(org, reference)));
    return { isLogical, parts: found.filter((part) => part !== undefined) };
  });
}

/** How many builds are loaded in one transaction. */
const batchSize = 250;

/** Loads the latest reported builds that count for an environment, by fingerprint, until the signal is aborted. */
export async function loadBuilds(
  { storage }: Pick<ReadDependencies, 'storage'>,
  place: { readonly org: string; readonly environment: string },
  fingerprints: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Provenance>> {
  const builds = new Map<string, Provenance>();
  for (let start = 0; start < fingerprints.length; start += batchSize) {
    if (start > 0) await setImmediate();
    signal.throwIfAborted();
    const batch = fingerprints.slice(start, start + batchSize);
    const found = await storage.read((transaction) => loadProvenance(transaction, place, batch));
    for (const [fingerprint, build] of found) builds.set(fingerprint, build);
  }
  return builds;
}

/**
 * Why a snapshot is not compliant, the worst first. A logical environment is not compliant either if a member is not, so
 * its members' reasons are among its own.
 *
 * @param members the snapshots of the members of a logical environment; empty for all others
 */
async function loadReasons(
  { snapshots }: ReadTransaction,
  org: string,
  { environment: name, judgement }: Pick<JudgedReference, 'environment' | 'judgement'>,
  members: readonly SnapshotReference[],
): Promise<readonly JudgementReason[]> {
  const reasons = [...listEnvironmentReasons(judgement, name)];
  const failed = (await snapshots.findVerdicts(org, members)).filter(({ compliant }) => compliant === false);
  for (const { environment, number } of failed) {
    if (reasons.length > maximumReasons) {
      // A judgement can be large, so it is not read when a response is full.
      const value = 'not compliant; its own page says why';
      reasons.push({ state: 'failed', about: environment, value, source: { member: environment } });
    } else {
      const judged = await snapshots.listJudgements(org, [{ environment, number }]);
      reasons.push(...judged.flatMap(listMemberReasons));
    }
  }
  return orderReasons(reasons);
}

function listMemberReasons({ environment, judgement }: JudgedReference): readonly JudgementReason[] {
  return listEnvironmentReasons(judgement, environment).map((reason) => ({
    ...reason,
    about: reason.about === environment ? environment : `${reason.about} in ${environment}`,
    source: { ...reason.source, member: environment },
  }));
}
