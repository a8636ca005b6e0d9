import { type RunningArtifact, toIdentity } from './running-artifact.ts';

/** An artifact in one or both of two snapshots. */
export interface ComparedArtifact {
  /** As in the second snapshot if it is there, else as in the first. */
  readonly artifact: RunningArtifact;
  /** The number of instances in each snapshot; 0 if the artifact does not run. */
  readonly instances: readonly [first: number, second: number];
}

/** The difference between two snapshots. Every artifact of either snapshot is in exactly one part. */
export interface Difference {
  readonly onlyInFirst: readonly ComparedArtifact[];
  readonly onlyInSecond: readonly ComparedArtifact[];
  /** In both, with different numbers of instances. */
  readonly changed: readonly ComparedArtifact[];
  /** In both, with the same number of instances. */
  readonly notChanged: readonly ComparedArtifact[];
}

/** Compares the artifacts of two snapshots, of the same environment or of two. */
export function compareArtifacts(first: readonly RunningArtifact[], second: readonly RunningArtifact[]): Difference {
  const byIdentity = new Map(first.map((artifact) => [toIdentity(artifact), artifact]));
  const later = second.map((artifact): ComparedArtifact => {
    const earlier = byIdentity.get(toIdentity(artifact));
    byIdentity.delete(toIdentity(artifact));
    return { artifact, instances: [earlier?.instances.length ?? 0, artifact.instances.length] };
  });
  const inBoth = later.filter(({ instances: [earlier] }) => earlier > 0);
  const isChanged = ({ instances: [one, other] }: ComparedArtifact): boolean => one !== other;
  return {
    onlyInFirst: [...byIdentity.values()].map((artifact) => ({ artifact, instances: [artifact.instances.length, 0] })),
    onlyInSecond: later.filter(({ instances: [earlier] }) => earlier === 0),
    changed: inBoth.filter(isChanged),
    notChanged: inBoth.filter((compared) => !isChanged(compared)),
  };
}
