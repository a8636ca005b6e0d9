import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip, type Gzip } from 'node:zlib';
import { type RunnerFile, withRunnerFile } from '../../runtime/runner-file.ts';
import { chunkBytes, readAllUnchanged, readUnchanged } from '../files/read-unchanged.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

// Written by hand instead of a package, to stay within the memory limit for archives (docs/contributing/performance.md).

/** The position of the operating system in gzip's header (RFC 1952), and the value for "unknown". */
const osByte = { position: 9, unknown: 0xff };

/** The folder in which an archive is written before it is sent. */
export const archiveFile: RunnerFile = { variable: 'RUNNER_TEMP', holds: 'the archive of the files' };

export interface ArchiveLimit {
  /** In bytes, inclusive. */
  readonly maximumBytes: number;
  /** Creates the error for a larger archive. */
  readonly tooLarge: () => Error;
}

/**
 * Writes the files as a gzipped tar archive. The same names and contents always give the same bytes, regardless of the
 * order of the files, their times, owners and modes, and the operating system.
 *
 * @returns the size of the archive in bytes
 * @throws the error of `tooLarge` as soon as the archive exceeds `maximumBytes`; UserError if a file cannot be read or
 * changes meanwhile; RunnerFileError if the archive cannot be written; the signal's reason soon after it is aborted.
 * The caller has to remove a partly written archive.
 */
export async function writeArchive(
  files: readonly MatchedFile[],
  destination: string,
  { maximumBytes, tooLarge }: ArchiveLimit,
  signal?: AbortSignal,
): Promise<number> {
  const output = withRunnerFile(archiveFile, () => openSync(destination, 'wx', 0o600));
  const gzip = createGzip({ chunkSize: chunkBytes });
  // If either side fails, it destroys the stream between them, which ends the other side.
  const writing = writeTar(gzip, files, signal).catch((thrown: unknown) => {
    gzip.destroy(thrown instanceof Error ? thrown : new Error('writing the archive failed', { cause: thrown }));
  });
  const compressed: AsyncIterable<Buffer> = gzip;
  let size = 0;
  try {
    for await (const chunk of compressed) {
      if (size === 0) chunk[osByte.position] = osByte.unknown;
      size += chunk.length;
      if (size > maximumBytes) throw tooLarge();
      withRunnerFile(archiveFile, () => {
        writeFileSync(output, chunk);
      });
      release(chunk);
    }
    return size;
  } finally {
    await writing;
    closeSync(output);
  }
}

/** Writes the uncompressed tar archive to gzip: headers, contents, padding and end, in the order of the names. */
async function writeTar(gzip: Gzip, files: readonly MatchedFile[], signal: AbortSignal | undefined): Promise<void> {
  const blocks = new BlockWriter(gzip, signal);
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const { name, path, size } of sorted) {
    await blocks.add(tarHeader(name, size));
    // Small files are read at once: reading thousands of them chunk by chunk would leave megabytes of garbage.
    if (size <= chunkBytes) await blocks.add(readAllUnchanged(path, size, buffer));
    else for await (const chunk of readUnchanged(path, size, () => buffer)) await blocks.add(chunk);
    await blocks.add(tarPadding(size));
  }
  await blocks.add(tarEnd);
  await blocks.end();
}

/** Collects bytes and writes them to gzip in blocks of equal size, because every write has a fixed cost. */
class BlockWriter {
  readonly #gzip: Gzip;
  readonly #signal: AbortSignal | undefined;
  readonly #block = Buffer.allocUnsafeSlow(chunkBytes);
  #filled = 0;

  constructor(gzip: Gzip, signal: AbortSignal | undefined) {
    this.#gzip = gzip;
    this.#signal = signal;
  }

  /**
   * Copies the bytes, so that the caller may reuse the buffer once the promise resolves.
   *
   * @throws the signal's reason if it is aborted
   */
  async add(bytes: Uint8Array): Promise<void> {
    for (let taken = 0; taken < bytes.length;) {
      const part = bytes.subarray(taken, taken + this.#block.length - this.#filled);
      this.#block.set(part, this.#filled);
      taken += part.length;
      this.#filled += part.length;
      if (this.#filled === this.#block.length) await this.#flush();
    }
  }

  /** Writes the remaining bytes and ends the stream. */
  async end(): Promise<void> {
    await this.#flush();
    this.#gzip.end();
  }

  async #flush(): Promise<void> {
    this.#signal?.throwIfAborted();
    const block = this.#block.subarray(0, this.#filled);
    await new Promise<void>((resolve, reject) => {
      this.#gzip.write(block, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    this.#filled = 0;
  }
}

/**
 * Frees the memory of a written chunk at once, instead of leaving megabytes to the garbage collector. Zlib allocates a
 * new buffer when one is full, so a chunk at the end of its buffer is the last one in it.
 */
function release({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0);
}

export interface TemporaryArchive {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Removes it. */
  readonly dispose: () => void;
}

/**
 * Writes an archive of the files in a new temporary folder.
 *
 * @param temporary the parent of that folder; created if missing
 * @throws RunnerFileError if the folder cannot be created; whatever `writeArchive` throws. Nothing is left behind then.
 */
export async function createTemporaryArchive(
  files: readonly MatchedFile[],
  temporary: string,
  limit: ArchiveLimit,
  signal: AbortSignal | undefined,
): Promise<TemporaryArchive> {
  const directory = withRunnerFile(archiveFile, () => {
    mkdirSync(temporary, { recursive: true });
    return mkdtempSync(join(temporary, 'evidence-'));
  });
  const dispose = (): void => {
    rmSync(directory, { recursive: true, force: true });
  };
  const path = join(directory, 'evidence.tgz');
  try {
    return { path, size: await writeArchive(files, path, limit, signal), dispose };
  } catch (thrown) {
    dispose();
    throw thrown;
  }
}
