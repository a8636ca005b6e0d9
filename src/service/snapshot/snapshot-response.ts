import type { DifferingArtifact, EnvironmentDifference, SnapshotEntry } from '../../contract/snapshot.ts';
import type { ComparedArtifact, Difference } from './snapshot-difference.ts';
import type { Provenance } from './snapshot-events.ts';
import type { Snapshot, SnapshotSummary } from './snapshot.ts';

/**
 * Converts a snapshot to a list entry of operation 12. Times are whole seconds (interface, Snapshot), so the end equals
 * the beginning of the next snapshot; but if the clock was set back in between, the snapshot ends when it began. A
 * snapshot without a verdict is not compliant, and `judged` is false.
 *
 * @param now in Unix seconds; the end of the current snapshot for `duration`.
 */
export function toSnapshotResponse({ number, from, to, compliant }: SnapshotSummary, now: number): SnapshotEntry {
  const begin = Math.floor(from);
  const end = Math.max(begin, Math.floor(to ?? now));
  return {
    index: number,
    from: begin,
    to: to === undefined ? 0 : end,
    compliant: compliant ?? false,
    judged: compliant !== null,
    duration: end - begin,
  };
}

/** Artifacts in both snapshots are shown as in the second one. */
export function toDifferenceResponse(
  [first, second]: readonly [Snapshot, Snapshot],
  difference: Difference,
  provenance: ReadonlyMap<string, Provenance>,
): EnvironmentDifference {
  const part = (
    { environment, number }: Snapshot,
    artifacts: readonly ComparedArtifact[],
  ): EnvironmentDifference['changed'] => ({
    snapshot_id: `${environment}#${number}`,
    artifacts: artifacts.map((compared) => toArtifactResponse(compared, provenance)),
  });
  return {
    snappish1: part(first, difference.onlyInFirst),
    snappish2: part(second, difference.onlyInSecond),
    changed: part(second, difference.changed),
    'not-changed': part(second, difference.notChanged),
  };
}

function toArtifactResponse(
  { artifact, instances: [inFirst, inSecond] }: ComparedArtifact,
  provenance: ReadonlyMap<string, Provenance>,
): DifferingArtifact {
  const { name, fingerprint, instances } = artifact;
  const known = provenance.get(fingerprint);
  const created = instances.map(({ createdAt }) => createdAt);
  return {
    fingerprint,
    name,
    most_recent_timestamp: created.reduce((latest, time) => Math.max(latest, time), 0),
    flow: known?.flow ?? '',
    commit_url: known?.commitUrl ?? '',
    instance_count: instances.length,
    s1_instance_count: inFirst,
    s2_instance_count: inSecond,
    pods: instances.flatMap(({ pod }) => (pod === '' ? [] : [pod])),
  };
}
