import { createHash, hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, type PathLike, read, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);

/**
 * The size of a chunk, in bytes. With less than half of it, hashing waits for reading; more gains nothing (measured
 * with a file of 1 GB).
 */
const chunkBytes = 1024 * 1024;

/**
 * Computes the SHA-256 of a file, 64 lowercase hex digits, in memory that does not grow with its size. Follows symbolic
 * links.
 *
 * A file below 1 MiB is read synchronously: that takes microseconds, less than a round trip to the thread pool, and
 * directories can contain thousands. A larger file is read into one buffer while the other is hashed.
 *
 * @throws the system's error if the file cannot be read; for a large file, the signal's reason if it is aborted
 */
export function digestFile(path: PathLike, signal?: AbortSignal): string | Promise<string> {
  const file = openSync(path, 'r');
  if (fstatSync(file).size >= chunkBytes) return digestLarge(file, signal);
  try {
    return hash('sha256', readFileSync(file), 'hex');
  } finally {
    closeSync(file);
  }
}

/** Closes the file. */
async function digestLarge(file: number, signal: AbortSignal | undefined): Promise<string> {
  try {
    const digest = createHash('sha256');
    let [current, spare] = [Buffer.allocUnsafeSlow(chunkBytes), Buffer.allocUnsafeSlow(chunkBytes)];
    let length = 0;
    let position = 0;
    do {
      const next = readAt(file, spare, 0, spare.length, position);
      digest.update(current.subarray(0, length));
      length = (await next).bytesRead;
      position += length;
      // After the read, so that no read is pending when the file is closed.
      signal?.throwIfAborted();
      [current, spare] = [spare, current];
    } while (length > 0);
    return digest.digest('hex');
  } finally {
    closeSync(file);
  }
}
