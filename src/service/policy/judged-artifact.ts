import type { ArtifactState } from '../../contract/compliance.ts';
import type { Tags } from '../../contract/tags.ts';
import type { Evidence, UncountedEvidence } from '../artifact/artifact-state.ts';
import type { JudgementReason } from '../attestation/reasons.ts';

/** The state and evidence of an artifact in one flow. */
export interface ArtifactInFlow {
  readonly flow: string;
  readonly tags: Tags;
  readonly state: ArtifactState;
  /** The reason for the state, as one or more sentences. */
  readonly info: string;
  /** What keeps it from being compliant, the worst first. */
  readonly reasons: readonly JudgementReason[];
  /** The evidence that counts for it: the latest of each name. */
  readonly evidence: readonly Evidence[];
  /** Evidence that does not count for the environment. */
  readonly uncounted?: UncountedEvidence | undefined;
}

/**
 * The subject of a reason, with its flow if the artifact is in several flows: each can have evidence of the same name.
 *
 * @param flows the flows that have the artifact
 */
export function nameWithFlow(about: string, flow: string | undefined, flows: readonly unknown[]): string {
  return flow === undefined || flows.length === 1 ? about : `${about} in flow ${flow}`;
}

/** A reason with the artifact that it is about: others can lack the same evidence. */
export function nameArtifact(reason: JudgementReason, artifact: string): JudgementReason {
  return reason.about === artifact ? reason : { ...reason, about: `${reason.about} of ${artifact}` };
}

/** An artifact as policies judge it. */
export interface JudgedArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** One entry for each flow that it was reported to; empty for an artifact without provenance. */
  readonly flows: readonly ArtifactInFlow[];
  /** The audience that its uncounted reports do not count for, as text; undefined if there are none. */
  readonly uncounted?: string | undefined;
  /** Whether somebody allowed it in the environment, so that it breaks no rule there. */
  readonly isAllowed?: boolean;
}
