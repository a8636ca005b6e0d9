import type { EnvironmentKind } from '../../contract/environment.ts';
import type { DifferingArtifact, EnvironmentDifference } from '../../contract/snapshot.ts';
import type { SnapshotArtifact, SnapshotDetailsResponse } from '../../contract/snapshot-details.ts';
import { type Reader, toReadableArtifacts } from '../account/readable-parts.ts';
import type { EnvironmentJudgement } from '../policy/judge-environment.ts';
import { type Instance, listFingerprints, type RunningArtifact, toIdentity } from './running-artifact.ts';
import { createArtifactVerdict, listAllowed, mergeMemberArtifacts, parseArtifacts } from './snapshot.ts';
import { compareArtifacts, type ComparedArtifact, type Difference } from './snapshot-difference.ts';
import type { Provenance } from './snapshot-events.ts';

/*
 * What pages and responses show of the contents of snapshots. The exported functions run in a worker thread if contents
 * are large (`LargeReads`), so they take and return plain values, and no more than is shown.
 */

/** The content of a snapshot, as it is stored: its own, or that of the snapshot of each member. */
export interface StoredContent {
  readonly isLogical: boolean;
  readonly parts: readonly {
    readonly environment: string;
    readonly judgement: EnvironmentJudgement;
    /** JSON. */
    readonly content: string;
  }[];
}

/** A snapshot, and what ran before it. */
export interface ContentView {
  readonly reader: Reader;
  readonly judgement: EnvironmentJudgement;
  readonly content: StoredContent;
  readonly previous: StoredContent;
}

export interface ComparedContents {
  readonly reader: Reader;
  readonly first: StoredContent;
  readonly second: StoredContent;
  readonly judgements: readonly [first: EnvironmentJudgement, second: EnvironmentJudgement];
}

type Builds = ReadonlyMap<string, Provenance>;

/** Returns what the second snapshot has if the artifact runs there, else what the first has. */
export function selectLatter<Value>(
  [first, second]: readonly [first: Value, second: Value],
  { instances }: Pick<ComparedArtifact, 'instances'>,
): Value {
  return instances[1] > 0 ? second : first;
}

/** The most artifacts in a table of a page: more than fit into it. */
const maximumShown = 150;

/** The most instances of an artifact that a page names. */
const maximumNames = 5;

export interface ShownArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** Null if nothing judges it. */
  readonly isCompliant: boolean | null;
  /** Whether it complies only because of an exception or an allow-list. */
  readonly isAllowed: boolean;
  readonly isNew: boolean;
  readonly instances: number;
  /** The names of the first instances. */
  readonly names: readonly string[];
}

/** The first records of a list. */
export interface Shown<Item> {
  readonly items: readonly Item[];
  /** The number of all records. */
  readonly total: number;
}

export interface ShownRunning extends Shown<ShownArtifact> {
  /** How many fingerprints comply only because they are allowed. */
  readonly allowed: number;
}

export function showRunning({
  maximum = maximumShown,
  ...view
}: ContentView & { readonly maximum?: number | undefined }): ShownRunning {
  const { artifacts, previous, complies } = readContent(view);
  const allowed = readAllowed(view.judgement, view.content);
  const before = new Set(listFingerprints(previous));
  return {
    total: artifacts.length,
    allowed: allowed.size,
    items: toReadableArtifacts(view.reader, artifacts.slice(0, maximum)).map((artifact) => {
      const { name, fingerprint, instances } = artifact;
      const names = instances.flatMap(({ pod }) => (pod === '' ? [] : [pod])).slice(0, maximumNames);
      const [isCompliant, isNew] = [complies(artifact), !before.has(fingerprint)];
      const isAllowed = isCompliant === true && allowed.has(fingerprint);
      return { name, fingerprint, isCompliant, isAllowed, isNew, instances: instances.length, names };
    }),
  };
}

export function listContentFingerprints(content: StoredContent): readonly string[] {
  return listFingerprints(readArtifacts(content));
}

/** Serializes the response with everything that runs in a snapshot. */
export function serializeSnapshot(
  view: ContentView & {
    readonly kind: EnvironmentKind;
    readonly builds: Builds;
    readonly response: Omit<SnapshotDetailsResponse, 'artifacts'>;
  },
): Uint8Array {
  const { artifacts, previous, complies } = readContent(view);
  const allowed = readAllowed(view.judgement, view.content);
  const before = new Map(previous.map((artifact) => [toIdentity(artifact), artifact.instances.length]));
  const toResponse = (artifact: RunningArtifact): SnapshotArtifact => {
    const { name, fingerprint, instances } = artifact;
    const compliant = complies(artifact) ?? false;
    const build = view.builds.get(fingerprint);
    return {
      name,
      fingerprint,
      flow_name: build?.flow ?? '',
      git_commit: build?.commit ?? '',
      commit_url: build?.commitUrl ?? '',
      compliant,
      allowed: compliant && allowed.has(fingerprint),
      deployments: [],
      creationTimestamp: instances.map(({ createdAt }) => createdAt),
      pods: Object.fromEntries(nameInstances(['K8S', 'logical'].includes(view.kind) ? instances : [])),
      annotation: toAnnotation(before.get(toIdentity(artifact)) ?? 0, instances.length),
    };
  };
  return serialize({ ...view.response, artifacts: toReadableArtifacts(view.reader, artifacts).map(toResponse) });
}

/** An artifact in one or both of two snapshots, with its number of instances in each. */
export interface ShownDifference {
  readonly artifact: Pick<RunningArtifact, 'name' | 'fingerprint'>;
  readonly instances: readonly [first: number, second: number];
  readonly isAllowed: boolean;
}

/** What a page shows of each part of the difference between two snapshots. */
export function showDifference(compared: ComparedContents): Readonly<Record<keyof Difference, Shown<ShownDifference>>> {
  const { first, second } = compared;
  const isAllowed = createIsAllowed(compared);
  const show = (artifacts: readonly ComparedArtifact[]): Shown<ShownDifference> => ({
    total: artifacts.length,
    items: artifacts.slice(0, maximumShown).map((one) => {
      const { name, fingerprint } = one.artifact;
      return { artifact: { name, fingerprint }, instances: one.instances, isAllowed: isAllowed(one) };
    }),
  });
  const { onlyInFirst, onlyInSecond, changed, notChanged } = compareArtifacts(
    readArtifacts(first),
    readArtifacts(second),
  );
  return {
    onlyInFirst: show(onlyInFirst),
    onlyInSecond: show(onlyInSecond),
    changed: show(changed),
    notChanged: show(notChanged),
  };
}

/** Serializes the response of operation 11. Artifacts in both snapshots are shown as in the second one. */
export function serializeDifference(
  compared: ComparedContents & {
    /** Of the two snapshots. */
    readonly ids: readonly [first: string, second: string];
    readonly builds: readonly [first: Builds, second: Builds];
  },
): Uint8Array {
  const { reader, builds, ids } = compared;
  const read = (content: StoredContent): readonly RunningArtifact[] =>
    toReadableArtifacts(reader, readArtifacts(content));
  const difference = compareArtifacts(read(compared.first), read(compared.second));
  const isAllowed = createIsAllowed(compared);
  const part = (id: string, artifacts: readonly ComparedArtifact[]): EnvironmentDifference['changed'] => ({
    snapshot_id: id,
    artifacts: artifacts.map((artifact) => ({
      ...toDifferingArtifact(artifact, selectLatter(builds, artifact)),
      allowed: isAllowed(artifact),
    })),
  });
  const response: EnvironmentDifference = {
    snappish1: part(ids[0], difference.onlyInFirst),
    snappish2: part(ids[1], difference.onlyInSecond),
    changed: part(ids[1], difference.changed),
    'not-changed': part(ids[1], difference.notChanged),
  };
  return serialize(response);
}

function readContent({ judgement, content, previous }: ContentView): {
  readonly artifacts: readonly RunningArtifact[];
  readonly previous: readonly RunningArtifact[];
  readonly complies: ReturnType<typeof createArtifactVerdict>;
} {
  const parts = parseParts(content);
  return {
    artifacts: mergeParts(content, parts),
    previous: readArtifacts(previous),
    complies: createArtifactVerdict(judgement, content.isLogical ? parts : []),
  };
}

function readAllowed(judgement: EnvironmentJudgement, { parts }: StoredContent): ReadonlySet<string> {
  return new Set(
    listAllowed(
      judgement,
      parts.map((part) => part.judgement),
    ),
  );
}

/** Whether an artifact is allowed in the second snapshot if it runs there, else in the first. */
function createIsAllowed({ first, second, judgements }: ComparedContents): (compared: ComparedArtifact) => boolean {
  const allowed = [readAllowed(judgements[0], first), readAllowed(judgements[1], second)] as const;
  return (compared) => selectLatter(allowed, compared).has(compared.artifact.fingerprint);
}

type ParsedPart = Omit<StoredContent['parts'][number], 'content'> & { readonly artifacts: readonly RunningArtifact[] };

function parseParts({ parts }: StoredContent): readonly ParsedPart[] {
  return parts.map(({ environment, judgement, content }) => ({
    environment,
    judgement,
    artifacts: parseArtifacts(content),
  }));
}

function mergeParts({ isLogical }: StoredContent, parts: readonly ParsedPart[]): readonly RunningArtifact[] {
  return isLogical ? mergeMemberArtifacts(parts) : (parts[0]?.artifacts ?? []);
}

/** Everything that runs, in the canonical order. */
export function readArtifacts(content: StoredContent): readonly RunningArtifact[] {
  return mergeParts(content, parseParts(content));
}

const serialize = (response: unknown): Uint8Array => Buffer.from(JSON.stringify(response));

function toAnnotation(was: number, now: number): SnapshotArtifact['annotation'] {
  if (was === 0) return { type: 'started-running', was, now };
  return { type: was === now ? 'unchanged' : 'scaled', was, now };
}

/** The pods by a name of their own: pods of two namespaces or members can have the same name. */
function nameInstances(instances: readonly Instance[]): ReadonlyMap<string, SnapshotArtifact['pods'][string]> {
  const pods = new Map<string, SnapshotArtifact['pods'][string]>();
  for (const { namespace, pod, createdAt, member = '' } of instances) {
    if (pod === '') continue;
    const name = [pod, `${namespace}/${pod}`].find((one) => !pods.has(one)) ?? `${member}/${namespace}/${pod}`;
    pods.set(name, { namespace, creationTimestamp: createdAt, owners: [] });
  }
  return pods;
}

function toDifferingArtifact(
  { artifact, instances: [inFirst, inSecond] }: ComparedArtifact,
  builds: Builds,
): DifferingArtifact {
  const { name, fingerprint, instances } = artifact;
  const known = builds.get(fingerprint);
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
