import type { EnvironmentKind } from '../../../contract/environment.ts';
import { unjudged, type EnvironmentJudgement } from '../policy/judge-environment.ts';
import { mergeArtifacts, type RunningArtifact } from './running-artifact.ts';

/** An environment. Every time is in Unix seconds, with a fraction. */
export interface Environment {
  readonly org: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  readonly description: string;
  /** The environments that a logical one shows; empty for all others. */
  readonly members: readonly string[];
  /** The policies that are attached to it. */
  readonly policies: readonly string[];
  /** The number of its latest snapshot; 0 where it has none. */
  readonly latest: number;
  readonly createdAt: number;
  readonly lastModifiedAt: number;
}

/** A snapshot as it stands in a list. */
export interface SnapshotSummary {
  /** From 1, without gaps. */
  readonly number: number;
  /** When it became the current one, by the clock of that time. */
  readonly from: number;
  /**
   * When the next one did, by the clock of that time; undefined while there is none. It is before `from` if the clock was
   * set back in between.
   */
  readonly to: number | undefined;
  readonly compliant: boolean | null;
}

/** What an environment ran, and what its policies said, at a time. */
export interface Snapshot {
  readonly org: string;
  readonly environment: string;
  readonly number: number;
  readonly from: number;
  readonly artifacts: readonly RunningArtifact[];
  readonly judgement: EnvironmentJudgement;
}

/** What the snapshot of a member says of it, in one of a logical environment. */
export interface MemberVerdict {
  readonly compliant: boolean | null;
}

/** What runs in a logical environment: all that runs in its members. */
export function mergeMemberArtifacts(members: readonly (readonly RunningArtifact[])[]): readonly RunningArtifact[] {
  return mergeArtifacts(members.flat());
}

/**
 * The judgement of a logical environment: that of its own policies over all that runs in its members, and it complies only
 * if its members do. Members without policies have no say.
 */
export function judgeWithMembers(own: EnvironmentJudgement, members: readonly MemberVerdict[]): EnvironmentJudgement {
  const verdicts = [own.compliant, ...members.map(({ compliant }) => compliant)].filter((verdict) => verdict !== null);
  const compliant = verdicts.length === 0 ? unjudged.compliant : verdicts.every(Boolean);
  return { ...own, compliant };
}
