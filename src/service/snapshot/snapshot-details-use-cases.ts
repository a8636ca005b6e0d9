import type { EnvironmentKind } from '../../contract/environment.ts';
import type { SnapshotSelector } from '../../contract/snapshot-expression.ts';
import { listFingerprints, type RunningArtifact } from './running-artifact.ts';
import { parseArtifacts } from './snapshot-serialization.ts';
import { resolveSelector } from './snapshot-series.ts';
import type { Provenance } from './snapshot-events.ts';
import type { JudgedSnapshot, Snapshot } from './snapshot.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import type { EnvironmentHead } from '../environment/environment-records.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { readCurrent } from '../platform/judging/pending-snapshots.ts';
import { SnapshotContent } from '../platform/judging/snapshot-content.ts';
import { loadProvenance } from '../platform/judging/provenance.ts';
import { loadSnapshotReasons } from './snapshot-reasons-use-cases.ts';
import { toSeries } from './snapshot-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

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

export type SnapshotInspection =
  | SnapshotDetails
  | { readonly outcome: 'environment not found' }
  /** A logical environment whose members' contents are too large to be merged. */
  | { readonly outcome: 'too large' }
  | { readonly outcome: 'no such snapshot'; readonly number: number; readonly count: number };

/** Finds a snapshot of an environment with its artifacts, their builds, and what ran before. */
export function inspectSnapshot(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging'>,
  query: {
    readonly org: string;
    readonly environment: string;
    readonly selector: SnapshotSelector;
    /** In Unix seconds. */
    readonly now: number;
  },
): Promise<SnapshotInspection> {
  const { org, environment, selector, now } = query;
  return readCurrent(dependencies, { org, environments: [environment] }, async (transaction) => {
    const head = await transaction.environments.findHead(org, environment);
    if (head === undefined) return { outcome: 'environment not found' };
    const number = await resolveSelector(selector, toSeries(transaction, head, now), now);
    const stored = await transaction.snapshots.find(org, { environment, number });
    if (stored === undefined) return { outcome: 'no such snapshot', number, count: head.latest };
    const content = new SnapshotContent(transaction, head, stored.content);
    if (await content.isTooLarge()) return { outcome: 'too large' };
    const { from, judgement } = stored;
    const artifacts = await content.artifacts();
    return {
      outcome: 'found',
      kind: head.kind,
      snapshot: { org, environment, number, from, artifacts, judgement },
      members: await loadMembers(transaction, org, content),
      reasons: await loadSnapshotReasons(transaction, org, { environment, number }, content.members),
      previous: await loadArtifacts(transaction, head, number - 1),
      provenance: await loadProvenance(transaction, { org, environment }, listFingerprints(artifacts)),
    };
  });
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
