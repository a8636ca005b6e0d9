import type { Readable } from 'node:stream';
import { StorageError } from './storage-error.ts';

/** A file that has arrived whole and is not yet kept. Either `keep` or `discard` must be called. */
export interface ReceivedFile {
  /** The SHA-256 of its content in hex. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** All of it, for what is read at once and is not kept; as large as the endpoint lets a file be. */
  bytes(): Promise<Uint8Array>;
  /** Ends when the content would survive a loss of power. Call it before the record that names the digest is written. */
  keep(): Promise<void>;
  /** Leaves nothing behind; harmless after `keep`. Never rejects: what cannot be removed now goes at the next start. */
  discard(): Promise<void>;
}

/** What a record says of the content it names. */
export interface AttachedContent {
  /** The SHA-256 in hex. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** How content that is kept differs from what was received. */
export type AttachmentFault = 'missing' | 'truncated' | 'altered';

/** What is kept under a digest is not what was received. */
export class DamagedAttachmentError extends StorageError {
  override readonly name = 'DamagedAttachmentError';
  readonly fault: AttachmentFault;

  constructor(fault: AttachmentFault, { digest }: AttachedContent, options?: ErrorOptions) {
    super('damaged', `the content with the SHA-256 ${digest} is ${fault}`, options);
    this.fault = fault;
  }
}

/**
 * Where the content of attachments is kept, by its SHA-256.
 *
 * @throws StorageError if the disk or the file system keeps it from working.
 */
export interface AttachmentStore {
  /** Takes the content in without holding it in memory. A stream that fails leaves nothing behind. */
  receive(content: Readable): Promise<ReceivedFile>;
  /**
   * The content. All of it was compared with its digest before the first byte leaves; it is compared again on its way, and
   * the stream fails before its last byte if it was altered meanwhile.
   *
   * @throws DamagedAttachmentError
   */
  read(content: AttachedContent): Promise<Readable>;
  /**
   * Compares what is kept with its digest.
   *
   * @throws DamagedAttachmentError
   */
  verify(content: AttachedContent): Promise<void>;
  /**
   * Writes what a request would write, and leaves nothing.
   *
   * @throws StorageError if nothing can be received now.
   */
  probe(): Promise<void>;
}
