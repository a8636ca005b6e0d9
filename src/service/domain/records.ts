import type { ArtifactReport } from '../../contract/artifact-report.ts';
import type { AttestationDocument, AttestationDocuments, AttestationType } from '../../contract/attestations/kinds.ts';
import type { Verdict } from '../../contract/compliance.ts';
import type { GitCommitInfo } from '../../contract/commit.ts';
import type { Proven } from '../../contract/proven.ts';
import type { FlowPayload } from '../../contract/flow.ts';
import type { TrailReport } from '../../contract/trail.ts';
import type { CountsFor } from './audience.ts';
import type { RecordedFault } from './reasons.ts';
import type { AppliedTemplate, Level, Template } from './template/template.ts';

/** The records of the service. All times are in Unix seconds, with a fraction. */

/**
 * A document as it was sent, with what the identity token of its sender proved; undefined if the sender used a stored
 * key. A client cannot send this field itself, because documents with unknown fields are rejected.
 */
export type Recorded<Document> = Document & { readonly proven?: Proven | undefined };

export interface Flow {
  readonly org: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: FlowPayload['visibility'];
  readonly template: Template;
  readonly repoUrl: FlowPayload['repo_url'];
  readonly createdAt: number;
  readonly lastModifiedAt: number;
}

/** The file that was sent with an attestation. */
export interface Attachment {
  /** The file name that the sender gave. */
  readonly filename: string;
  /** The SHA-256 of its content in hex; the content is stored under it. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** An attestation as the history of an artifact lists it. */
export interface ListedAttestation {
  readonly trail: string;
  readonly id: string;
  /** As it was sent: `unit` or `web.unit`. */
  readonly name: string;
  readonly type: AttestationType;
  readonly verdict: Verdict;
  /** The reason for the verdict. */
  readonly reason: string;
  /** What keeps it from being compliant; empty if it is compliant, or if only the reason was recorded. */
  readonly faults: readonly RecordedFault[];
  readonly createdAt: number;
  /** The owner of the key that it was sent with (`actorName`). */
  readonly reportedBy: string;
  readonly countsFor?: CountsFor;
}

/** An attestation without its document, which can be large and is not needed for judging. */
export interface AttestationSummary extends ListedAttestation {
  readonly org: string;
  readonly flow: string;
  readonly attachment?: Attachment | undefined;
}

/** An attestation; immutable once recorded. */
export interface Attestation extends AttestationSummary {
  readonly document: Recorded<AttestationDocument>;
}

/** An attestation that counts for an artifact or a trail. */
export interface CountedAttestation extends AttestationSummary {
  readonly level: Level;
}

/** An attestation of one kind. */
export interface AttestationOf<Type extends AttestationType> extends AttestationSummary {
  readonly type: Type;
  readonly document: Recorded<AttestationDocuments[Type]>;
}

/** Whether an attestation is of a kind. The type and the document of an attestation are always of the same kind. */
export function isOfKind<Type extends AttestationType>(
  attestation: AttestationSummary & { readonly document: unknown },
  type: Type,
): attestation is AttestationOf<Type> {
  return attestation.type === type;
}

/** One report of an artifact; immutable once recorded. The same artifact may be reported again. */
export interface ReportedArtifact {
  readonly org: string;
  readonly flow: string;
  readonly id: string;
  readonly createdAt: number;
  readonly reportedBy: string;
  readonly countsFor?: CountsFor;
  readonly report: Recorded<ArtifactReport>;
}

export interface TrailReference {
  readonly org: string;
  readonly flow: string;
  readonly name: string;
}

/** A trail: a unit of work in a flow, usually one commit. Created when it is begun, or by the first report to it. */
export interface Trail extends TrailReference {
  readonly createdAt: number;
  /** When it was last begun or updated. */
  readonly lastModifiedAt: number;
  /**
   * The merged reports that began and updated the trail, with what the token of the latest sender proved. If the report
   * of an artifact or an attestation began it, the commit and the run of that report (`trail-report.ts`).
   */
  readonly report: Recorded<TrailReport>;
}

/** An update of a trail after it was created. */
export interface TrailUpdate {
  readonly at: number;
  readonly commit: Pick<GitCommitInfo, 'sha1' | 'url'> | undefined;
}

/** A period in which an artifact runs in an environment. */
export interface Appearance {
  readonly environment: string;
  /** The number of the first snapshot that contains it, and the time of that snapshot. */
  readonly started: number;
  readonly startedAt: number;
  /** The number of the last snapshot that contains it so far. */
  readonly last: number;
  /** When it stopped running; undefined while it runs. */
  readonly exitedAt: number | undefined;
}

/** An artifact with everything that belongs to it, read in one transaction. */
export interface ArtifactDetails {
  readonly flow: Flow;
  readonly applied: AppliedTemplate;
  readonly artifact: ReportedArtifact;
  /** The attestations that count for it (`currentEvidence`), in the order of recording. */
  readonly evidence: readonly CountedAttestation[];
  /** The latest attestations that apply to it, including superseded ones, newest first; truncated if there are many. */
  readonly history: readonly ListedAttestation[];
  /** Where it runs, then where it ran, each newest first; truncated if there are many. */
  readonly appearances: readonly Appearance[];
}
