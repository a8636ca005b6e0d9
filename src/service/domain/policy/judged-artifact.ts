import type { ArtifactState } from '../../../contract/compliance.ts';
import type { AttestationSummary } from '../records.ts';

/** An artifact as one flow knows it. */
export interface ArtifactInFlow {
  readonly flow: string;
  readonly state: ArtifactState;
  /** Why it is in that state, as a sentence. */
  readonly info: string;
  /** What counts for it: the latest of each name. */
  readonly evidence: readonly Pick<AttestationSummary, 'name' | 'type' | 'verdict'>[];
}

/** An artifact as policies look at it. */
export interface JudgedArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** As every flow that knows it sees it; empty for an artifact without provenance. */
  readonly flows: readonly ArtifactInFlow[];
}
