import { toIdentity, type RunningArtifact } from './running-artifact.ts';

/** An artifact of one or both of two snapshots. */
export interface ComparedArtifact {
  /** As the second snapshot has it, where it has it, else as the first one does. */
  readonly artifact: RunningArtifact;
  /** How many instances each snapshot has; 0 where the artifact does not run. */
  readonly instances: readonly [first: number, second: number];
}

/** What differs between two snapshots; every artifact of either stands in exactly one part. */
export interface Difference {
  readonly onlyInFirst: readonly ComparedArtifact[];
  readonly onlyInSecond: readonly ComparedArtifact[];
  /** In both, with another number of instances. */
  readonly changed: readonly ComparedArtifact[];
  /** In both, with as many instances. */
  readonly notChanged: readonly ComparedArtifact[];
}

/** What differs between two snapshots, of one environment or of two. */
export function compareArtifacts(first: readonly RunningArtifact[], second: readonly RunningArtifact[]): Difference {
  const byIdentity = new Map(first.map((artifact) => [toIdentity(artifact), artifact]));
  const later = second.map((artifact): ComparedArtifact & { readonly isNew: boolean } => {
    const earlier = byIdentity.get(toIdentity(artifact));
    byIdentity.delete(toIdentity(artifact));
    const instances = [earlier?.instances.length ?? 0, artifact.instances.length] as const;
    return { artifact, instances, isNew: earlier === undefined };
  });
  const inBoth = later.filter(({ isNew }) => !isNew);
  const plain = ({ artifact, instances }: ComparedArtifact): ComparedArtifact => ({ artifact, instances });
  const isChanged = ({ instances: [one, other] }: ComparedArtifact): boolean => one !== other;
  return {
    onlyInFirst: [...byIdentity.values()].map((artifact) => ({ artifact, instances: [artifact.instances.length, 0] })),
    onlyInSecond: later.filter(({ isNew }) => isNew).map(plain),
    changed: inBoth.filter(isChanged).map(plain),
    notChanged: inBoth.filter((compared) => !isChanged(compared)).map(plain),
  };
}
