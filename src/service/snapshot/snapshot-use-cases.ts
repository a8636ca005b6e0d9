import type { SnapshotReading } from '../../contract/snapshot-expression.ts';
import { listFingerprints, type RunningArtifact } from './running-artifact.ts';
import type { Provenance } from './snapshot-events.ts';
import {
  parseMembers,
  parseArtifacts,
  type Snapshot,
  type SnapshotSummary,
  type JudgedSnapshot,
  type SnapshotReference,
} from './snapshot.ts';
import {
  toPageRange,
  resolveInterval,
  resolveSelector,
  type Interval,
  type NumberRange,
  type Page,
  type SnapshotSeries,
} from './snapshot-series.ts';
import { type JudgementReason, orderReasons } from '../attestation/reasons.ts';
import { lastBefore, type TimeSeries } from '../platform/time-series.ts';
import type { EnvironmentHead } from '../environment/environment-records.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { readCurrent } from '../platform/judging/pending-snapshots.ts';
import { SnapshotContent } from '../platform/judging/snapshot-content.ts';
import { loadProvenance } from '../platform/judging/provenance.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { EnvironmentKind } from '../../contract/environment.ts';
import { maximumReasons } from '../../contract/reason.ts';
import { listEnvironmentReasons } from '../policy/judge-environment.ts';
import type { JudgedReference } from './snapshot-records.ts';

type ReadDependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

export interface SnapshotListQuery {
  readonly org: string;
  readonly environment: string;
  readonly interval?: Interval | undefined;
  readonly page: Page;
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
  { org, environment, interval, page, now }: SnapshotListQuery,
): Promise<SnapshotPage | undefined> {
  return readCurrent(dependencies, { org, environments: [environment] }, async (transaction) => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return undefined;
    const range = toPageRange(await resolveInterval(interval, toSeries(transaction, head, now), now), page);
    const summaries = await listSummaries(transaction, head, range);
    return {
      snapshots: page.ascending ? summaries : summaries.toReversed(),
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
export function toSeries(
  { snapshots }: ReadTransaction,
  { org, name, latest }: EnvironmentHead,
  now: number,
): SnapshotSeries {
  const loadTimes = async (): Promise<TimeSeries> => ({
    length: latest,
    stepsBack: await snapshots.listStepsBack(org, name),
    listTimes: (numbers) => snapshots.listTimes(org, name, numbers),
    findFirstNotBefore: (run, time) => snapshots.findFirstNotBefore(org, name, run, time),
  });
  return {
    latest,
    // The interface has times in whole seconds, so any time within a snapshot's second must select it.
    numberAt: async (time) => lastBefore(await loadTimes(), Math.floor(time) + 1, now),
  };
}

/** A snapshot with everything that is shown of it, read in one transaction. */
export interface SnapshotDetails {
  readonly outcome: 'found';
  readonly kind: EnvironmentKind;
  readonly snapshot: Snapshot;
  /** The snapshots of the members of a logical environment; empty for all others. */
  readonly members: readonly JudgedSnapshot[];
  /** Why it is not compliant, the worst first; empty if it is, or if nothing was judged. */
  readonly reasons: readonly JudgementReason[];
  /** What ran in the previous snapshot. */
  readonly previous: readonly RunningArtifact[];
  /** The latest reported builds by fingerprint. */
  readonly provenance: ReadonlyMap<string, Provenance>;
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

/** Finds a snapshot of an environment with its artifacts, their builds, and what ran before. */
export function findSnapshot(
  dependencies: ReadDependencies,
  { org, now, ...reading }: SnapshotReading & { readonly org: string; readonly now: number },
): Promise<SnapshotDetails | SnapshotObstacle> {
  const { environment } = reading;
  return readCurrent(dependencies, { org, environments: [environment] }, async (transaction) => {
    const found = await loadSelected(transaction, org, [reading], now);
    if (found.outcome !== 'found') return found;
    const { head, snapshot, content } = found;
    return {
      outcome: 'found',
      kind: head.kind,
      snapshot,
      members: await loadMembers(transaction, org, content),
      reasons: await loadReasons(transaction, org, snapshot, content.members),
      previous: await loadArtifacts(transaction, head, snapshot.number - 1),
      provenance: await loadProvenance(transaction, snapshot, listFingerprints(snapshot.artifacts)),
    };
  });
}

/** The possible readings of an expression. The first whose environment exists is used. */
export type SnapshotReadings = readonly [SnapshotReading, ...SnapshotReading[]];

export type SnapshotLookup = { readonly outcome: 'found'; readonly snapshot: Snapshot } | SnapshotObstacle;

/** Two snapshots, read in one transaction, with the builds of their artifacts by fingerprint. */
export interface ComparedSnapshots {
  readonly first: SnapshotLookup;
  readonly second: SnapshotLookup;
  readonly provenance: ReadonlyMap<string, Provenance>;
}

/** Operation 11: finds two snapshots to compare. */
export function findComparedSnapshots(
  dependencies: ReadDependencies,
  query: {
    readonly org: string;
    readonly first: SnapshotReadings;
    readonly second: SnapshotReadings;
    /** In Unix seconds. */
    readonly now: number;
  },
): Promise<ComparedSnapshots> {
  const { org, now } = query;
  const environments = [...new Set([...query.first, ...query.second].map(({ environment }) => environment))];
  return readCurrent(dependencies, { org, environments }, async (transaction) => {
    const first = await loadSelected(transaction, org, query.first, now);
    const second = await loadSelected(transaction, org, query.second, now);
    const find = async (found: SnapshotLookup): Promise<ComparedSnapshots['provenance']> =>
      found.outcome === 'found'
        ? loadProvenance(transaction, found.snapshot, listFingerprints(found.snapshot.artifacts))
        : new Map();
    return { first, second, provenance: new Map([...(await find(second)), ...(await find(first))]) };
  });
}

interface SelectedSnapshot {
  readonly outcome: 'found';
  readonly head: EnvironmentHead;
  readonly snapshot: Snapshot;
  readonly content: SnapshotContent;
}

async function loadSelected(
  transaction: ReadTransaction,
  org: string,
  readings: SnapshotReadings,
  now: number,
): Promise<SelectedSnapshot | SnapshotObstacle> {
  const heads = await transaction.environments.findHeads(
    org,
    readings.map(({ environment }) => environment),
  );
  const reading = readings.find(({ environment }) => heads.has(environment));
  const head = reading === undefined ? undefined : heads.get(reading.environment);
  if (reading === undefined || head === undefined) return { outcome: 'environment not found' };
  const { environment, selector } = reading;
  const number = await resolveSelector(selector, toSeries(transaction, head, now), now);
  const stored = await transaction.snapshots.find(org, { environment, number });
  if (stored === undefined) return { outcome: 'no such snapshot', environment, number, latest: head.latest };
  const content = new SnapshotContent(transaction, head, stored.content);
  if (await content.isTooLarge()) return { outcome: 'too large' };
  const { from, judgement } = stored;
  const artifacts = await content.artifacts();
  return { outcome: 'found', head, snapshot: { org, environment, number, from, artifacts, judgement }, content };
}

async function loadMembers(
  { snapshots }: ReadTransaction,
  org: string,
  { members }: SnapshotContent,
): Promise<readonly JudgedSnapshot[]> {
  const loaded: JudgedSnapshot[] = [];
  for (const reference of members) {
    const stored = await snapshots.find(org, reference);
    if (stored !== undefined) loaded.push({ judgement: stored.judgement, artifacts: parseArtifacts(stored.content) });
  }
  return loaded;
}

/** What ran in a snapshot; nothing if there is no such snapshot, or if its members are too large to be merged. */
async function loadArtifacts(
  transaction: ReadTransaction,
  head: EnvironmentHead,
  number: number,
): Promise<readonly RunningArtifact[]> {
  const [json] = await transaction.snapshots.listContents(head.org, [{ environment: head.name, number }]);
  if (json === undefined) return [];
  const content = new SnapshotContent(transaction, head, json);
  return (await content.isTooLarge()) ? [] : content.artifacts();
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
  // A judgement can be large, so reading stops when a response is full.
  for (const { environment, number } of failed) {
    if (reasons.length > maximumReasons) break;
    const judged = await snapshots.listJudgements(org, [{ environment, number }]);
    reasons.push(...judged.flatMap(listMemberReasons));
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
