import type { Appearance, ReportedArtifact } from '../artifact/artifact.ts';
import type { AttestationSummary, CountedAttestation } from '../attestation/attestation.ts';
import type { Trail, TrailUpdate } from './trail.ts';
import type { AppliedTemplate } from '../template/template.ts';
import type { TrailJudgement } from './trail-state.ts';

/** A trail and what belongs to it, read in one transaction; both lists newest first, truncated if long. */
export interface TrailDetails {
  readonly trail: Trail;
  readonly applied: AppliedTemplate;
  readonly judgement: TrailJudgement<CountedAttestation>;
  readonly artifacts: readonly ReportedArtifact[];
  readonly attestations: readonly AttestationSummary[];
}

/** An attestation with the fields of its document that say what it is about. */
export interface AttestationWithSubject extends AttestationSummary {
  readonly fingerprint: string | undefined;
  /** The artifacts of the template. */
  readonly targets: readonly string[];
  readonly commit: { readonly sha1: string; readonly url?: string | undefined } | undefined;
}

/** The latest events of a trail; each list newest first, truncated if it is long. */
export interface TrailHistory {
  readonly updates: readonly TrailUpdate[];
  readonly artifacts: readonly ReportedArtifact[];
  readonly attestations: readonly AttestationWithSubject[];
  /** Where the artifacts run or ran, by fingerprint. */
  readonly appearances: ReadonlyMap<string, readonly Appearance[]>;
}
