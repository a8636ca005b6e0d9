import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { errorCode } from '../../../runtime/failure.ts';
import { DamagedAttachmentError, type AttachedContent } from '../attachments.ts';
import { translateFileError } from '../storage-faults.ts';

/** The size of the chunks in which files are read, in bytes. */
export const chunkBytes = 256 * 1024;

/** Compares content with its record, chunk by chunk. */
export class ContentCheck {
  readonly #content: AttachedContent;
  readonly #hash = createHash('sha256');
  #size = 0;

  constructor(content: AttachedContent) {
    this.#content = content;
  }

  /** The bytes added so far. */
  get size(): number {
    return this.#size;
  }

  /** @throws DamagedAttachmentError if it is longer than it should be */
  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    if (this.#size > this.#content.size) throw new DamagedAttachmentError('altered', this.#content);
  }

  /** @throws DamagedAttachmentError if the added content is not the recorded content */
  end(): void {
    if (this.#size < this.#content.size) throw new DamagedAttachmentError('truncated', this.#content);
    if (this.#hash.digest('hex') !== this.#content.digest) throw new DamagedAttachmentError('altered', this.#content);
  }
}

/** An open file whose content was verified. Read its stream to the end, destroy the stream, or close the file. */
export interface VerifiedFile {
  /** Streams the content and verifies it again: the last chunk is emitted only if all of the content was correct. */
  stream(): Readable;
  close(): Promise<void>;
}

/**
 * Opens a file and compares its content with its digest, without holding it in memory.
 *
 * @throws DamagedAttachmentError if it is missing or does not match its record.
 */
export async function openVerified(path: string, content: AttachedContent): Promise<VerifiedFile> {
  const file = await openAttachment(path, content);
  try {
    await verify(file, content);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    stream: () => {
      const stream = Readable.from(verifiedChunks(file, content), { objectMode: false });
      // Needed if the stream is not read: a generator that was not started would not close the file.
      return stream.once('close', () => {
        file.close().catch(() => undefined);
      });
    },
    close: () => file.close(),
  };
}

/** @throws DamagedAttachmentError if it is missing */
export async function openAttachment(path: string, content: AttachedContent): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new DamagedAttachmentError('missing', content, { cause: error });
    throw error;
  }
}

async function verify(file: FileHandle, content: AttachedContent): Promise<void> {
  const check = new ContentCheck(content);
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, content.size + 1));
  for (;;) {
    const chunk = await readAt(file, buffer, check.size);
    if (chunk.length === 0) break;
    check.add(chunk);
  }
  check.end();
}

/**
 * Each chunk is held back until the next one is read, so that the last one is emitted after the digest was compared.
 */
async function* verifiedChunks(file: FileHandle, content: AttachedContent): AsyncGenerator<Buffer> {
  const check = new ContentCheck(content);
  let held: Buffer | undefined;
  for (;;) {
    const chunk = await readAt(file, Buffer.allocUnsafe(chunkBytes), check.size);
    if (chunk.length === 0) break;
    check.add(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  check.end();
  if (held !== undefined) yield held;
}

/** Reads from a position of the file; the result is shorter than the buffer at the end of the file. */
export async function readAt(file: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  try {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw translateFileError(error);
  }
}
