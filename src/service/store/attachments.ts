import type { Readable } from 'node:stream';

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
  /** Leaves nothing behind; harmless after `keep`. */
  discard(): Promise<void>;
}

/** Where the content of attachments is kept, by its SHA-256. */
export interface AttachmentStore {
  /** Takes the content in without holding it in memory. A stream that fails leaves nothing behind. */
  receive(content: Readable): Promise<ReceivedFile>;
  /** The content; undefined where none of that digest is kept. */
  read(digest: string): Promise<Readable | undefined>;
  /**
   * Removes what a crash left behind: files that had not arrived whole, and content that no record names. Only to be
   * called while nothing is received. Answers how many were removed.
   */
  sweep(isAttached: (digest: string) => Promise<boolean>): Promise<number>;
}
