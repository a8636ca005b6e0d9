import type { SnapshotReading, SnapshotSelector } from '../../contract/snapshot-expression.ts';
import { listFingerprints } from './running-artifact.ts';
import type { Provenance } from './snapshot-events.ts';
import { parseMembers } from './snapshot-serialization.ts';
import {
  toPageRange,
  resolveInterval,
  resolveSelector,
  type NumberRange,
  type Page,
  type SnapshotSeries,
} from './snapshot-series.ts';
import type { Snapshot, SnapshotSummary } from './snapshot.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import { lastBefore, type TimeSeries } from '../platform/time-series.ts';
import type { EnvironmentHead } from '../environment/environment-records.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { readCurrent } from '../platform/judging/pending-snapshots.ts';
import { SnapshotContent } from '../platform/judging/snapshot-content.ts';
import { loadProvenance } from '../platform/judging/provenance.ts';
import { loadSnapshotReasons } from './snapshot-reasons-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

type ReadDependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

export interface SnapshotListQuery {
  readonly org: string;
  readonly environment: string;
  readonly interval?: { readonly from: SnapshotSelector; readonly to: SnapshotSelector } | undefined;
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
  const reference = { environment: name, number: current.number };
  const [content] = kind === 'logical' ? await transaction.snapshots.listContents(org, [reference]) : [];
  return loadSnapshotReasons(transaction, org, reference, content === undefined ? [] : parseMembers(content));
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

export type SnapshotLookup =
  | { readonly outcome: 'found'; readonly snapshot: Snapshot }
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

/** The possible readings of an expression. The first whose environment exists is used. */
export type SnapshotReadings = readonly [SnapshotReading, ...SnapshotReading[]];

/** Finds the snapshot that an expression selects. */
export function findSnapshot(
  dependencies: ReadDependencies,
  { org, readings, now }: { readonly org: string; readonly readings: SnapshotReadings; readonly now: number },
): Promise<SnapshotLookup> {
  return readCurrent(dependencies, { org, environments: namesIn(readings) }, (transaction) =>
    loadSelected(transaction, org, readings, now),
  );
}

export interface SnapshotComparison {
  readonly org: string;
  readonly first: SnapshotReadings;
  readonly second: SnapshotReadings;
  /** In Unix seconds. */
  readonly now: number;
}

/** Two snapshots, read in one transaction, with the builds of their artifacts by fingerprint. */
export interface ComparedSnapshots {
  readonly first: SnapshotLookup;
  readonly second: SnapshotLookup;
  readonly provenance: ReadonlyMap<string, Provenance>;
}

/** Operation 11: finds two snapshots to compare. */
export function findComparedSnapshots(
  dependencies: ReadDependencies,
  { org, now, ...readings }: SnapshotComparison,
): Promise<ComparedSnapshots> {
  const environments = [...new Set([...namesIn(readings.first), ...namesIn(readings.second)])];
  return readCurrent(dependencies, { org, environments }, async (transaction) => {
    const first = await loadSelected(transaction, org, readings.first, now);
    const second = await loadSelected(transaction, org, readings.second, now);
    const find = async (finding: SnapshotLookup): Promise<ComparedSnapshots['provenance']> =>
      finding.outcome === 'found'
        ? loadProvenance(transaction, finding.snapshot, listFingerprints(finding.snapshot.artifacts))
        : new Map();
    return { first, second, provenance: new Map([...(await find(second)), ...(await find(first))]) };
  });
}

function namesIn(readings: SnapshotReadings): readonly string[] {
  return readings.map(({ environment }) => environment);
}

async function loadSelected(
  transaction: ReadTransaction,
  org: string,
  readings: SnapshotReadings,
  now: number,
): Promise<SnapshotLookup> {
  const heads = await transaction.environments.findHeads(org, namesIn(readings));
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
  return { outcome: 'found', snapshot: { org, environment, number, from, artifacts, judgement } };
}
