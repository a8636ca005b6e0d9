import { createHash, hash } from 'node:crypto';
import { closeSync, openSync, type PathLike, read, readSync } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);

/**
 * The size of a chunk, in bytes. With less than half of it, hashing waits for reading; more gains nothing (measured
 * with a file of 1 GB).
 */
const chunkBytes = 1024 * 1024;

/**
 * Computes SHA-256 digests of files, one after another, in memory that does not grow with their size.
 *
 * A file below 1 MiB is read synchronously: opening, reading and closing it takes microseconds, less than a round trip
 * to the thread pool, and directories can contain thousands. A larger file is read asynchronously into one buffer while
 * the other is hashed.
 */
export class FileDigester {
  readonly #buffer = Buffer.allocUnsafeSlow(chunkBytes);

  /**
   * Computes the digest: 64 lowercase hex digits, synchronously for a small file. Follows symbolic links.
   *
   * @throws the system's error if the file cannot be read; for a large file, the signal's reason if it is aborted
   */
  digest(path: PathLike, signal?: AbortSignal): string | Promise<string> {
    const file = openSync(path, 'r');
    let isLarge = false;
    try {
      const length = fill(file, this.#buffer);
      isLarge = length === chunkBytes;
      return isLarge
        ? digestLarge(file, this.#buffer, signal)
        : hash('sha256', this.#buffer.subarray(0, length), 'hex');
    } finally {
      if (!isLarge) closeSync(file);
    }
  }
}

/** Reads until the buffer is full or the file ends: a single read may return fewer bytes. */
function fill(file: number, buffer: Buffer): number {
  let length = 0;
  for (;;) {
    const count = readSync(file, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length === buffer.length) return length;
  }
}

/** Computes the digest of an open file whose first chunk has been read. Closes the file. */
async function digestLarge(file: number, first: Buffer, signal: AbortSignal | undefined): Promise<string> {
  try {
    const digest = createHash('sha256');
    let current: Buffer = first;
    let spare: Buffer = Buffer.allocUnsafeSlow(chunkBytes);
    let length = first.length;
    for (let position = length; length > 0; position += length) {
      const next = readAt(file, spare, 0, spare.length, position);
      digest.update(current.subarray(0, length));
      length = (await next).bytesRead;
      // After the read, so that no read is pending when the file is closed.
      signal?.throwIfAborted();
      [current, spare] = [spare, current];
    }
    return digest.digest('hex');
  } finally {
    closeSync(file);
  }
}
