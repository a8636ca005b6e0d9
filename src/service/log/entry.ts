import { createHash } from 'node:crypto';

/** An entry of the log of an organization: one state of one record. */
export interface LogEntry {
  /** Counts the entries of the organization, from 0. */
  readonly sequence: number;
  /** When it was entered, in Unix seconds. */
  readonly at: number;
  /** What it is about, such as `attestation`; with ` removed` at its end if the record was removed. */
  readonly kind: string;
  /** The digest of the document with its random bytes, in hex (`digestDocument`). */
  readonly documentDigest: string;
  /** The SHA-256 of the attachment in hex. */
  readonly attachmentDigest?: string | undefined;
  /** Whether the record is older than the log, and was entered by an upgrade. */
  readonly isLate: boolean;
}

/** The bytes of the entry, whose hash is the leaf: JSON, with the fields always in this order. */
export function encodeEntry({ sequence, at, kind, documentDigest, attachmentDigest, isLate }: LogEntry): Uint8Array {
  const json = JSON.stringify({
    ...{ sequence, time: at, kind, document: documentDigest, attachment: attachmentDigest },
    late: isLate ? true : undefined,
  });
  return Buffer.from(json);
}

/**
 * The SHA-256 of the random bytes of a record and its document, in hex. The bytes are only in the database, so that a
 * document cannot be guessed from its digest, and nothing is left of it after both are removed.
 */
export function digestDocument(random: Uint8Array, document: string): string {
  return createHash('sha256').update(random).update(document).digest('hex');
}
