import type { ArtifactReport } from '../../contract/artifact-report.ts';
import type { SonarAttestation } from '../../contract/attestation.ts';
import type { Verdict } from '../../contract/compliance.ts';
import type { FlowPayload } from '../../contract/flow.ts';

/** What the service keeps. Every time is in Unix seconds, with a fraction. */

/** A flow. */
export interface Flow {
  readonly org: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: FlowPayload['visibility'];
  /** As it was sent; `requiredEvidence` reads it. */
  readonly template: readonly string[];
  readonly repoUrl: FlowPayload['repo_url'];
  readonly createdAt: number;
  readonly lastModifiedAt: number;
}

/** The file that came with an attestation. */
export interface Attachment {
  /** Its name at the sender. */
  readonly filename: string;
  /** The SHA-256 of its content in hex: where the content is kept. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** An attestation without its document, which can be large and is not needed to judge. */
export interface AttestationSummary {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  readonly id: string;
  /** As it was sent: `unit` or `web.unit`. */
  readonly name: string;
  readonly type: 'sonar';
  readonly verdict: Verdict;
  /** What led to the verdict, in words. */
  readonly reason: string;
  readonly createdAt: number;
  /** The owner of the key it was sent with (`actorName`). */
  readonly reportedBy: string;
  readonly attachment?: Attachment | undefined;
}

/** An attestation, never changed after it was recorded. */
export interface Attestation extends AttestationSummary {
  /** As it was sent. */
  readonly document: SonarAttestation;
}

/** One report of an artifact, never changed after it was recorded. The same artifact may be reported again. */
export interface ReportedArtifact {
  readonly org: string;
  readonly flow: string;
  readonly id: string;
  readonly createdAt: number;
  readonly reportedBy: string;
  readonly report: ArtifactReport;
}

/** A trail: what belongs together in a flow, usually one commit. Made by what is first reported to it. */
export interface Trail {
  readonly org: string;
  readonly flow: string;
  readonly name: string;
  readonly createdAt: number;
}

/** A stretch of time in which an artifact runs in an environment. */
export interface Appearance {
  readonly environment: string;
  /** The number of the first snapshot that shows it, and when that was made. */
  readonly started: number;
  readonly startedAt: number;
  /** The number of the last snapshot that shows it so far. */
  readonly last: number;
  /** When it was gone; undefined while it runs. */
  readonly exitedAt: number | undefined;
}

/** All that is known of an artifact, read at one moment. */
export interface ArtifactDetails {
  readonly flow: Flow;
  readonly artifact: ReportedArtifact;
  /** The attestations that count for it: the latest of each name, in the order they were recorded. */
  readonly evidence: readonly AttestationSummary[];
  /** The latest attestations about it, those that count no longer included, newest first; cut where there are many. */
  readonly history: readonly AttestationSummary[];
  /** Where it runs, and then where it ran, each newest first; cut where there are many. */
  readonly appearances: readonly Appearance[];
}

/** All that is known of a trail, read at one moment; both lists newest first, cut where there are many. */
export interface TrailDetails {
  readonly trail: Trail;
  readonly artifacts: readonly ReportedArtifact[];
  readonly attestations: readonly AttestationSummary[];
}
