import type { EnvironmentKind } from '../../contract/environment.ts';
import type { Tags } from '../../contract/tags.ts';
import { type EnvironmentJudgement, unjudged } from '../policy/judge-environment.ts';
import { mergeArtifacts, type RunningArtifact, toIdentity } from './running-artifact.ts';

/** The part of an environment that is needed to judge it. */
export interface EnvironmentHead {
  readonly org: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  /** The number of its latest snapshot; 0 if it has none. */
  readonly latest: number;
  /** Whether it requires provenance of everything that runs in it, besides its policies. */
  readonly requiresProvenance: boolean;
  /** An archived environment is not judged. */
  readonly isArchived: boolean;
}

/** An environment with its verdict. All times are in Unix seconds, with a fraction. */
export interface Environment extends EnvironmentHead {
  readonly description: string;
  /** The environments that a logical environment includes; empty for all others. */
  readonly members: readonly string[];
  readonly policies: readonly string[];
  readonly tags: Tags;
  readonly lastModifiedAt: number;
  /** The verdict of the latest snapshot; null if nothing was judged, or there is no snapshot. */
  readonly compliant: boolean | null;
  /** When it was last reported, whether or not anything had changed; undefined if it never was. */
  readonly lastReportedAt: number | undefined;
  /** When its latest snapshot was made; undefined if it has none. */
  readonly lastChangedAt: number | undefined;
}

export interface SnapshotSummary {
  /** From 1, without gaps. */
  readonly number: number;
  /** When it became the current snapshot, as the clock showed. */
  readonly from: number;
  /**
   * When the next snapshot became current, as the clock showed; undefined if there is none yet. It is before `from` if
   * the clock was set back in between.
   */
  readonly to: number | undefined;
  readonly compliant: boolean | null;
}

/** The artifacts that ran in an environment at a time, and the judgement by its policies. */
export interface Snapshot {
  readonly org: string;
  readonly environment: string;
  readonly number: number;
  readonly from: number;
  readonly artifacts: readonly RunningArtifact[];
  readonly judgement: EnvironmentJudgement;
}

/** The artifacts of a logical environment: all artifacts of its members. */
export function mergeMemberArtifacts(
  members: readonly { readonly environment: string; readonly artifacts: readonly RunningArtifact[] }[],
): readonly RunningArtifact[] {
  const all = members.flatMap(({ environment: member, artifacts }) =>
    artifacts.map(({ instances, ...artifact }) => ({
      ...artifact,
      instances: instances.map((instance) => ({ ...instance, member })),
    })),
  );
  return mergeArtifacts(all);
}

/**
 * The judgement of a logical environment. Its own policies are applied to the artifacts of all its members; it complies
 * only if its members comply, too. Members without policies are ignored.
 */
export function judgeWithMembers(
  own: EnvironmentJudgement,
  members: readonly Pick<SnapshotSummary, 'compliant'>[],
): EnvironmentJudgement {
  const verdicts = [own.compliant, ...members.map(({ compliant }) => compliant)].filter((verdict) => verdict !== null);
  const compliant = verdicts.length === 0 ? unjudged.compliant : verdicts.every(Boolean);
  return { ...own, compliant };
}

/**
 * The fingerprints that comply only because they are allowed: in a logical environment, those that a member allows, too.
 *
 * @param members the judgements of the members of a logical environment; empty for all others
 */
export function listAllowed(own: EnvironmentJudgement, members: readonly EnvironmentJudgement[]): readonly string[] {
  const all = [own, ...members];
  const broken = new Set(all.flatMap(({ breaches }) => breaches.map(({ fingerprint }) => fingerprint)));
  return [...new Set(all.flatMap(({ allowed }) => allowed))].filter((fingerprint) => !broken.has(fingerprint)).sort();
}

/**
 * Creates the function that tells whether an artifact of a snapshot complies with the policies of the environment and,
 * in a logical environment, with those of the members that run it. It is null if none of them has policies, and false
 * for artifacts that could be among breaches that were not recorded.
 *
 * @param members the snapshots of the members of a logical environment; empty for all others
 */
export function createArtifactVerdict(
  judgement: EnvironmentJudgement,
  members: readonly Pick<Snapshot, 'artifacts' | 'judgement'>[],
): (artifact: RunningArtifact) => boolean | null {
  const own = createOwnVerdict(judgement);
  const others = members.map((member) => ({
    verdict: createOwnVerdict(member.judgement),
    running: new Set(member.artifacts.map(toIdentity)),
  }));
  return (artifact) => {
    const inMembers = others.filter(({ running }) => running.has(toIdentity(artifact)));
    const verdicts = [own(artifact), ...inMembers.map(({ verdict }) => verdict(artifact))];
    const known = verdicts.filter((verdict) => verdict !== null);
    return known.length === 0 ? null : known.every(Boolean);
  };
}

/** The verdict of one environment's own policies; null without policies. */
function createOwnVerdict(judgement: EnvironmentJudgement): (artifact: RunningArtifact) => boolean | null {
  if (judgement.policies.length === 0) return () => null;
  if (judgement.unjudgeable !== undefined || judgement.furtherBreaches !== undefined) return () => false;
  const broken = new Set(judgement.breaches.map(toIdentity));
  return (artifact) => !broken.has(toIdentity(artifact));
}

/** Identifies a snapshot within an organization. */
export interface SnapshotReference {
  readonly environment: string;
  readonly number: number;
}

/**
 * Serializes the content of a snapshot for storage: the running artifacts or, for a logical environment, references to
 * the snapshots of its members.
 */
export function serializeContent(content: readonly RunningArtifact[] | readonly SnapshotReference[]): string {
  return JSON.stringify(content);
}

// The casts are safe: `serializeContent` wrote what is parsed here.

/** Parses the content of a snapshot of an environment that is not logical. */
export function parseArtifacts(content: string): readonly RunningArtifact[] {
  return JSON.parse(content) as readonly RunningArtifact[];
}

/** Parses the content of a snapshot of a logical environment. */
export function parseMembers(content: string): readonly SnapshotReference[] {
  return JSON.parse(content) as readonly SnapshotReference[];
}
