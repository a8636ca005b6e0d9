import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { onDisk, translateFileError } from '../../database/storage-faults.ts';
import type { ReceivedFile } from '../attachments.ts';
import { verifyChunks } from '../content-check.ts';
import { readChunks } from '../files/verified-file.ts';
import { openTemporaryFile, type TemporaryFolder } from './temporary-file.ts';

/** The maximum number of bytes of a content in memory. Larger content is in a temporary file. */
export const memoryBytes = 256 * 1024;

/** The size of the first allocation, in bytes. Small, because V8 collects all garbage after few large allocations. */
const initialBytes = 8 * 1024;

/** The size of a probe in bytes. A disk without that much space has no space for an upload. */
const probeBytes = 64 * 1024;

/** Content that was received completely, on this machine. Call `discard` in the end: it frees memory or disk space. */
export interface BufferedUpload extends Omit<ReceivedFile, 'keep'> {
  /**
   * Reads the content from the beginning; may be called several times. The last chunk is emitted only if all of the
   * content was correct.
   *
   * @throws DamagedAttachmentError instead of the last chunk, if the temporary file was altered
   */
  chunks(): AsyncGenerator<Buffer>;
}

/**
 * Receives uploads for storage elsewhere: in memory up to `memoryBytes`, else in a temporary file without a name, so
 * that a crash leaves nothing.
 *
 * @throws StorageError from every method, if the disk or file system fails.
 */
export class UploadBuffer {
  readonly #temporary: TemporaryFolder;

  constructor(temporary: TemporaryFolder) {
    this.#temporary = temporary;
  }

  /** Reads content to its end. If it fails, nothing is left. */
  async receive(content: AsyncIterable<Buffer>): Promise<BufferedUpload> {
    const writer = new UploadWriter(this.#temporary);
    const hash = createHash('sha256');
    try {
      for await (const chunk of content) {
        hash.update(chunk);
        await writer.append(chunk);
      }
      return await writer.end(hash.digest('hex'));
    } catch (error) {
      await writer.discard();
      throw translateFileError(error);
    }
  }

  /** Checks that the disk has space for uploads, by a write that leaves no file. */
  async probe(): Promise<void> {
    await onDisk(async () => {
      await using file = await openTemporaryFile(this.#temporary);
      await file.writeFile(Buffer.alloc(probeBytes));
    });
  }
}

/** Streams the content of an upload, and discards the upload when the stream ends or is destroyed. */
export function streamAndDiscard(upload: BufferedUpload): Readable {
  const stream = Readable.from(upload.chunks(), { objectMode: false });
  return stream.once('close', () => {
    void upload.discard();
  });
}

/**
 * Collects content in one piece of memory, however small its chunks are. Whenever that is full, it is written to a
 * temporary file. Errors are those of the file system.
 */
class UploadWriter {
  readonly #temporary: TemporaryFolder;
  #memory = Buffer.allocUnsafe(initialBytes);
  /** The bytes of `#memory` that are in use. */
  #used = 0;
  #written = 0;
  #file: FileHandle | undefined;

  constructor(temporary: TemporaryFolder) {
    this.#temporary = temporary;
  }

  async append(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0;) {
      if (this.#used === memoryBytes) await this.#flush();
      this.#grow(rest.length);
      const copied = rest.copy(this.#memory, this.#used);
      this.#used += copied;
      rest = rest.subarray(copied);
    }
  }

  async end(digest: string): Promise<BufferedUpload> {
    const content = { digest, size: this.#written + this.#used };
    if (this.#file !== undefined) await this.#flush();
    const [file, memory] = [this.#file, this.#memory.subarray(0, this.#used)];
    this.#memory = Buffer.alloc(0);
    const chunks = (): AsyncGenerator<Buffer> =>
      verifyChunks(file === undefined ? [memory].filter(({ length }) => length > 0) : readChunks(file), content);
    return { ...content, chunks, bytes: () => buffer(chunks()), discard: () => this.discard() };
  }

  async discard(): Promise<void> {
    // The file has no name, so there is nothing to remove.
    await this.#file?.close().catch(() => undefined);
  }

  /** Makes room for more bytes, by doubling up to the maximum. */
  #grow(count: number): void {
    const needed = Math.min(this.#used + count, memoryBytes);
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafe(Math.min(Math.max(needed, this.#memory.length * 2), memoryBytes));
    this.#memory.copy(larger, 0, 0, this.#used);
    this.#memory = larger;
  }

  async #flush(): Promise<void> {
    this.#file ??= await openTemporaryFile(this.#temporary);
    await this.#file.writeFile(this.#memory.subarray(0, this.#used));
    this.#written += this.#used;
    this.#used = 0;
  }
}
