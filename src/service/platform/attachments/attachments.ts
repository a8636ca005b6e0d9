import type { Readable } from 'node:stream';
import { StorageError } from '../database/storage-error.ts';

/** A file that was received completely and is not stored yet. Always call `discard` in the end. */
export interface ReceivedFile {
  /** The SHA-256 of the content in hex. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /**
   * Reads the whole content into memory, for files that are parsed and not kept. The endpoint's maximum file size
   * limits it.
   */
  bytes(): Promise<Uint8Array>;
  /**
   * Stores the content; resolves when it would survive a power failure. Call it before writing the record that refers
   * to the digest.
   */
  keep(): Promise<void>;
  /**
   * Ends the upload. Content that was kept stays; otherwise, the file is removed. Call it after writing the record:
   * until then, a crash leaves content that is known to be without a record because of it. Never rejects: a file that
   * cannot be removed now is removed at the next start.
   */
  discard(): Promise<void>;
}

/** The digest and size of stored content, as in a record. */
export interface AttachedContent {
  /** The SHA-256 in hex. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** How stored content differs from the received content. */
export type AttachmentFault = 'missing' | 'truncated' | 'altered';

/** The stored content differs from the received content. */
export class DamagedAttachmentError extends StorageError {
  override readonly name = 'DamagedAttachmentError';
  readonly fault: AttachmentFault;

  constructor(fault: AttachmentFault, { digest }: AttachedContent, options?: ErrorOptions) {
    super('damaged', `the content with the SHA-256 ${digest} is ${fault}`, options);
    this.fault = fault;
  }
}

/**
 * Stores the content of attachments by its SHA-256.
 *
 * @throws StorageError from every method, if the disk, the file system or the network fails.
 */
export interface AttachmentStore {
  /** Receives content without holding it in memory. If the stream fails, no file is left. */
  receive(content: Readable): Promise<ReceivedFile>;
  /**
   * Reads content. It is compared with its digest before the first byte is emitted, and again while streaming: the
   * stream fails before its last byte if the content was altered in the meantime.
   *
   * @throws DamagedAttachmentError
   */
  read(content: AttachedContent): Promise<Readable>;
  /**
   * Compares stored content with its digest.
   *
   * @throws DamagedAttachmentError
   */
  verify(content: AttachedContent): Promise<void>;
  /** Removes content permanently, if there is any. No record may refer to it until the promise is settled. */
  remove(digest: string): Promise<void>;
  /**
   * Checks that content can be stored, by a write that leaves no content. With an object storage: that it can be
   * received.
   *
   * @throws StorageError if nothing can be stored now.
   */
  probe(): Promise<void>;
  /** The object storage that keeps the content, if one does. It may fail while everything else works. */
  readonly objectStorage?: Pick<AttachmentStore, 'probe'>;
}
