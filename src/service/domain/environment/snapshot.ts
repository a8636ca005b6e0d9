import type { EnvironmentKind } from '../../../contract/environment.ts';
import { unjudged, type EnvironmentJudgement } from '../policy/judge-environment.ts';
import { mergeArtifacts, type RunningArtifact } from './running-artifact.ts';

/** An environment. All times are in Unix seconds, with a fraction. */
export interface Environment {
  readonly org: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  readonly description: string;
  /** The environments that a logical environment includes; empty for all others. */
  readonly members: readonly string[];
  /** The names of the attached policies. */
  readonly policies: readonly string[];
  /** The number of its latest snapshot; 0 if it has none. */
  readonly latest: number;
  readonly createdAt: number;
  readonly lastModifiedAt: number;
}

/** A snapshot as an entry of a list. */
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

/** The verdict of a member's snapshot, within a snapshot of a logical environment. */
export interface MemberVerdict {
  readonly compliant: boolean | null;
}

/** The artifacts of a logical environment: all artifacts of its members. */
export function mergeMemberArtifacts(members: readonly (readonly RunningArtifact[])[]): readonly RunningArtifact[] {
  return mergeArtifacts(members.flat());
}

/**
 * The judgement of a logical environment. Its own policies are applied to the artifacts of all its members; it complies
 * only if its members comply, too. Members without policies are ignored.
 */
export function judgeWithMembers(own: EnvironmentJudgement, members: readonly MemberVerdict[]): EnvironmentJudgement {
  const verdicts = [own.compliant, ...members.map(({ compliant }) => compliant)].filter((verdict) => verdict !== null);
  const compliant = verdicts.length === 0 ? unjudged.compliant : verdicts.every(Boolean);
  return { ...own, compliant };
}
