import { textAt } from '../../runtime/untrusted-data.ts';

/** One running copy of an artifact: a pod, a container, a task, a file. */
export interface Instance {
  /** The namespace of a pod; empty for everything else. */
  readonly namespace: string;
  /** The name of the pod, task, app, revision or job; empty if the kind of environment has no names for instances. */
  readonly pod: string;
  /** When it was created, in Unix seconds. */
  readonly createdAt: number;
  /** In a logical environment, the member that reported it. */
  readonly member?: string;
}

/** An artifact that runs in an environment. The same fingerprint under another name is a separate entry. */
export interface RunningArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** Sorted by namespace and pod. */
  readonly instances: readonly Instance[];
}

/** A key that identifies a running artifact. A fingerprint contains no space, so the key is unambiguous. */
export function toIdentity({ fingerprint, name }: Pick<RunningArtifact, 'fingerprint' | 'name'>): string {
  return `${fingerprint} ${name}`;
}

/** What a report of any kind lists; other fields name the instance. */
interface ReportedElement {
  readonly creationTimestamp: number;
  /** The fingerprints by the names of the images. */
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * Converts a report to running artifacts in a canonical order, so that equal reports give equal results. An instance
 * with a name that is listed twice is one instance.
 *
 * @param named the fields that name an instance; the first that is present does
 */
export function toRunningArtifacts(
  elements: readonly ReportedElement[],
  named: readonly string[],
): readonly RunningArtifact[] {
  const artifacts = elements.flatMap((element) => {
    const { digests, creationTimestamp: createdAt } = element;
    const [pod = ''] = named.flatMap((field) => textAt(element, field) ?? []);
    const instances = [{ namespace: textAt(element, 'namespace') ?? '', pod, createdAt }];
    return Object.entries(digests).map(([name, fingerprint]): RunningArtifact => ({ name, fingerprint, instances }));
  });
  return mergeArtifacts(artifacts).map(({ instances: all, ...artifact }) => ({
    ...artifact,
    instances: withoutDuplicates(all),
  }));
}

/** Merges artifacts with the same identity; returns them in the canonical order, by name and fingerprint. */
export function mergeArtifacts(artifacts: readonly RunningArtifact[]): readonly RunningArtifact[] {
  // By name and fingerprint: a key of both would have to be built for each of 100,000 pods.
  const merged = new Map<string, Map<string, RunningArtifact & { readonly instances: Instance[] }>>();
  for (const { name, fingerprint, instances } of artifacts) {
    const named = merged.get(name) ?? new Map<string, RunningArtifact & { readonly instances: Instance[] }>();
    const known = named.get(fingerprint);
    if (known === undefined) named.set(fingerprint, { name, fingerprint, instances: [...instances] });
    else known.instances.push(...instances);
    merged.set(name, named);
  }
  const all = [...merged.values()].flatMap((named) => [...named.values()]);
  return all.sort(
    (one, other) => compareCodeUnits(one.name, other.name) || compareCodeUnits(one.fingerprint, other.fingerprint),
  );
}

function withoutDuplicates(instances: readonly Instance[]): readonly Instance[] {
  // No name in a report contains NUL. Instances without a name cannot be recognized, so each is one.
  const identify = ({ namespace, pod }: Instance, index: number): string =>
    `${namespace}\0${pod === '' ? index : pod}\0${pod}`;
  const pods = new Map(instances.map((instance, index) => [identify(instance, index), instance]));
  return [...pods.values()].sort(
    (one, other) =>
      compareCodeUnits(one.namespace, other.namespace) ||
      compareCodeUnits(one.pod, other.pod) ||
      one.createdAt - other.createdAt,
  );
}

/** Not by locale, because that differs between machines. */
function compareCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * Whether the same artifacts run; both lists are in the canonical order. Instances do not matter: scaling is no longer
 * recorded (interface, Environment), and replacing a pod by another with the same image is not a change.
 */
export function sameArtifacts(one: readonly RunningArtifact[], other: readonly RunningArtifact[]): boolean {
  const isSame = ({ name, fingerprint }: RunningArtifact, index: number): boolean =>
    other[index]?.name === name && other[index].fingerprint === fingerprint;
  return one.length === other.length && one.every(isSame);
}

/** The fingerprints of the artifacts, without duplicates. */
export function listFingerprints(artifacts: readonly Pick<RunningArtifact, 'fingerprint'>[]): readonly string[] {
  return [...new Set(artifacts.map(({ fingerprint }) => fingerprint))];
}
