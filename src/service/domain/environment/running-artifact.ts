import type { K8sReport } from '../../../contract/environment.ts';

/** One running copy of an artifact: a pod. */
export interface Instance {
  readonly namespace: string;
  readonly pod: string;
  /** When it was created, in Unix seconds. */
  readonly createdAt: number;
}

/** An artifact that runs in an environment. What a fingerprint runs under another name is listed by itself. */
export interface RunningArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** By namespace and pod. */
  readonly instances: readonly Instance[];
}

/** What identifies an artifact among those that run: a fingerprint has no space, so the two cannot run into each other. */
export function toIdentity({ fingerprint, name }: Pick<RunningArtifact, 'fingerprint' | 'name'>): string {
  return `${fingerprint} ${name}`;
}

/**
 * What a report says is running, in one order whatever the report's was, so that two reports of the same are equal. A pod
 * that is listed twice is one instance.
 */
export function toRunningArtifacts({ artifacts: pods }: K8sReport): readonly RunningArtifact[] {
  const instances = pods.flatMap(({ digests, namespace, podName: pod, creationTimestamp: createdAt }) =>
    Object.entries(digests).map(([name, fingerprint]): RunningArtifact => ({
      name,
      fingerprint,
      instances: [{ namespace, pod, createdAt }],
    })),
  );
  return mergeArtifacts(instances).map(({ instances: all, ...artifact }) => ({
    ...artifact,
    instances: withoutDuplicates(all),
  }));
}

/** All that runs in any of several places, in the order of a report. */
export function mergeArtifacts(artifacts: readonly RunningArtifact[]): readonly RunningArtifact[] {
  const merged = new Map<string, { name: string; fingerprint: string; instances: Instance[] }>();
  for (const artifact of artifacts) {
    const { name, fingerprint, instances } = artifact;
    const known = merged.get(toIdentity(artifact));
    if (known === undefined) merged.set(toIdentity(artifact), { name, fingerprint, instances: [...instances] });
    else known.instances.push(...instances);
  }
  return [...merged.values()].sort(
    (one, other) => compareCodeUnits(one.name, other.name) || compareCodeUnits(one.fingerprint, other.fingerprint),
  );
}

function withoutDuplicates(instances: readonly Instance[]): readonly Instance[] {
  // A NUL stands in no name of a report.
  const pods = new Map(instances.map((instance) => [`${instance.namespace}\0${instance.pod}`, instance]));
  return [...pods.values()].sort(
    (one, other) => compareCodeUnits(one.namespace, other.namespace) || compareCodeUnits(one.pod, other.pod),
  );
}

/** By code units, because the order of a language differs between machines. */
function compareCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * Whether the same artifacts run. Their instances do not matter: scaling is no longer recorded (interface, Environment), and
 * a pod that is replaced by one of the same image runs nothing new.
 */
export function sameArtifacts(one: readonly RunningArtifact[], other: readonly RunningArtifact[]): boolean {
  const known = new Set(one.map(toIdentity));
  return known.size === other.length && other.every((artifact) => known.has(toIdentity(artifact)));
}

/** The fingerprints that run, each once. */
export function listFingerprints(artifacts: readonly RunningArtifact[]): readonly string[] {
  return [...new Set(artifacts.map(({ fingerprint }) => fingerprint))];
}
