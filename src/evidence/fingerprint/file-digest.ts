import { hash, createHash } from 'node:crypto';
import { closeSync, openSync, read, readSync, type PathLike } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);

/**
 * How much is read at once, in bytes. Below half of this, hashing waits for reading; above, it gains nothing (measured on a
 * file of 1 GB).
 */
const chunkBytes = 1024 * 1024;

/**
 * Computes SHA-256 digests of files, one after another, in memory that does not grow with their size.
 *
 * A file below 1 MiB is read synchronously: opening, reading and closing it takes microseconds, less than handing the work
 * to a thread and back, and directories hold thousands. A larger one is read by a thread into one buffer while the other is
 * hashed.
 */
export class FileDigester {
  readonly #buffer = Buffer.allocUnsafeSlow(chunkBytes);

  /**
   * 64 lowercase hex digits; at once for a small file. A symbolic link is followed. Throws the system's errors, and within a
   * large file the signal's reason.
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

/** Reads until the buffer is full or the file ends: a single read may give less than it could. */
function fill(file: number, buffer: Buffer): number {
  let length = 0;
  for (;;) {
    const count = readSync(file, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length === buffer.length) return length;
  }
}

/** Takes over the open file, of which the first buffer is filled. */
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
      // After the read, so that nothing reads from a file that is closed.
      signal?.throwIfAborted();
      [current, spare] = [spare, current];
    }
    return digest.digest('hex');
  } finally {
    closeSync(file);
  }
}
