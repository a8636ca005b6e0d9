import { createEvents } from '../../domain/environment/snapshot-events.ts';
import type { Snapshot } from '../../domain/environment/snapshot.ts';
import type { WriteTransaction } from '../../storage/storage.ts';
import { toDeliveries } from '../deliveries.ts';
import { loadProvenance } from '../provenance.ts';

/** Two snapshots that follow each other; the first one of an environment follows none. */
export interface SnapshotStep {
  readonly previous: Snapshot | undefined;
  readonly next: Snapshot;
}

/**
 * Puts what happened between two snapshots into the outbox, once for each target that listens; many events as a digest. It
 * belongs to the transaction that makes the snapshot: both are kept, or neither.
 *
 * @param loadStep called only if anyone listens: most environments have no listeners, and it takes reading a lot
 */
export async function recordEvents(
  { deliveries, artifacts }: Pick<WriteTransaction, 'deliveries' | 'artifacts'>,
  { org, environment }: Pick<Snapshot, 'org' | 'environment'>,
  loadStep: () => Promise<SnapshotStep>,
): Promise<void> {
  const listeners = await deliveries.listListeners(org, environment);
  if (listeners.length === 0) return;
  const { previous, next } = await loadStep();
  const fingerprints = createEvents(previous, next, () => undefined).flatMap(({ artifact }) => artifact ?? []);
  const provenance = await loadProvenance({ artifacts }, org, [
    ...new Set(fingerprints.map(({ fingerprint }) => fingerprint)),
  ]);
  const events = createEvents(previous, next, (fingerprint) => provenance.get(fingerprint));
  await deliveries.insert(toDeliveries(listeners, events));
}
