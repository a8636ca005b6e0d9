import type { OverrideMark } from '../../contract/attestation-list.ts';
import {
  type AttestationDocument,
  type AttestationDocuments,
  findKind,
  type KindName,
} from '../../contract/attestations/kinds.ts';
import type { Verdict } from '../../contract/compliance.ts';
import type { CountsFor } from '../account/audience.ts';
import type { Recorded } from '../login/recorded.ts';
import type { AttributedRecord, Recorder } from '../requirement/recorder.ts';
import type { Level } from '../template/template.ts';
import type { Facts } from './facts.ts';
import type { RecordedFault } from './reasons.ts';

/** Who removed an attachment, when (Unix seconds), and why. */
export interface Removal {
  readonly at: number;
  readonly by: string;
  readonly reason: string;
}

/** The file that was sent with an attestation. */
export interface Attachment {
  /** The file name that the sender gave. */
  readonly filename: string;
  /** The SHA-256 of its content in hex; the content is stored under it. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** Set if it was removed. Only read together with the document. */
  readonly removal?: Removal | undefined;
}

/** An attestation without its document, which can be large and is not needed for judging. */
export interface AttestationSummary {
  readonly org: string;
  readonly flow: string;
  /** Its number in its flow: from 1 without gaps, in the order of recording. */
  readonly sequence: number;
  readonly trail: string;
  readonly id: string;
  /** As it was sent: `unit` or `web.unit`. */
  readonly name: string;
  /** What templates and policies call it: `sonar`, `sbom`. */
  readonly type: string;
  readonly verdict: Verdict;
  /** The reason for the verdict, without a full stop: `the quality gate is ERROR`. */
  readonly reason: string;
  /** What keeps it from being compliant; empty if it is compliant, or if only the reason was recorded. */
  readonly faults: readonly RecordedFault[];
  /** Undefined for one of an earlier version. */
  readonly facts?: Facts | undefined;
  readonly createdAt: number;
  /** The owner of the key that it was sent with (`actorName`). */
  readonly reportedBy: string;
  readonly countsFor?: CountsFor;
  /** Absent for those of earlier versions and of users. */
  readonly recorders?: readonly Recorder[] | undefined;
  readonly attachment?: Attachment | undefined;
}

/** A document as it was sent; that of an override is the one of the original, with who overrode it. */
type RecordedDocument<Document> = Recorded<Document> & { readonly override?: OverrideMark };

/** An attestation; immutable once recorded. */
export interface Attestation extends AttestationSummary {
  readonly document: RecordedDocument<AttestationDocument>;
}

export interface CountedAttestation extends AttestationSummary, Pick<AttributedRecord, 'countsFrom' | 'isReplaced'> {
  readonly level: Level;
}

/** Whether an attestation is of a kind. The type and the document of an attestation are always of the same kind. */
export function isOfKind<Name extends KindName>(
  attestation: AttestationSummary & { readonly document: unknown },
  kind: Name,
): attestation is AttestationSummary & { readonly document: RecordedDocument<AttestationDocuments[Name]> } {
  return findKind(attestation.type) === kind;
}
