import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, write, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGzip, type Gzip } from 'node:zlib';
import { type RunnerFile, withRunnerFile, withRunnerFileAsync } from '../../runtime/runner-file.ts';
import { chunkBytes, readAllUnchanged, readUnchanged } from '../files/read-unchanged.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

/** Where gzip's header (RFC 1952) names the operating system, and the value for "unknown". */
const osByte = { position: 9, unknown: 0xff };

/** Where an archive is written before it is sent. */
export const archiveFile: RunnerFile = { variable: 'RUNNER_TEMP', holds: 'the archive of the files' };

/** The maximum size of an archive. */
export interface ArchiveLimit {
  /** In bytes, exactly that included. */
  readonly maximumBytes: number;
  /** Makes the error for more than that. */
  readonly tooLarge: () => Error;
}

/**
 * Writes the files as a gzipped tar archive: for the same names and contents always the same bytes, whatever the order they
 * are given in, their times, owners and modes, and whichever system this is.
 *
 * @returns the size of the archive in bytes.
 * @throws what `tooLarge` makes, as soon as more than `maximumBytes` are there; UserError when a file cannot be read or
 * changes; RunnerFileError if the archive cannot be written; the signal's reason soon after it is aborted. What was written until then is left for the caller to remove.
 */
export async function writeArchive(
  files: readonly MatchedFile[],
  destination: string,
  { maximumBytes, tooLarge }: ArchiveLimit,
  signal?: AbortSignal,
): Promise<number> {
  const output = withRunnerFile(archiveFile, () => openSync(destination, 'wx', 0o600));
  const gzip = createGzip({ chunkSize: chunkBytes });
  // Whichever side fails first destroys the stream between the two, and so ends the other.
  const writing = writeTar(gzip, files, signal).catch((thrown: unknown) => {
    gzip.destroy(thrown instanceof Error ? thrown : new Error('the archive was given up', { cause: thrown }));
  });
  try {
    const size = await writeCompressed(gzip, output, maximumBytes, tooLarge);
    withRunnerFile(archiveFile, () => writeSync(output, Uint8Array.of(osByte.unknown), 0, 1, osByte.position));
    return size;
  } finally {
    await writing;
    closeSync(output);
  }
}

/** All that a tar archive of the files consists of. */
async function writeTar(gzip: Gzip, files: readonly MatchedFile[], signal: AbortSignal | undefined): Promise<void> {
  const blocks = new BlockWriter(gzip, signal);
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const { name, path, size } of sorted) {
    await blocks.add(tarHeader(name, size));
    // Not chunk by chunk where one is all: thousands of small files would leave megabytes of garbage.
    if (size <= chunkBytes) await blocks.add(readAllUnchanged(path, size, buffer));
    else for await (const chunk of readUnchanged(path, size, () => buffer)) await blocks.add(chunk);
    await blocks.add(tarPadding(size));
  }
  await blocks.add(tarEnd);
  await blocks.end();
}

/** Hands bytes over to gzip in blocks of one size, since each hand-over has its price. */
class BlockWriter {
  readonly #gzip: Gzip;
  readonly #signal: AbortSignal | undefined;
  readonly #block = Buffer.allocUnsafeSlow(chunkBytes);
  #filled = 0;

  constructor(gzip: Gzip, signal: AbortSignal | undefined) {
    this.#gzip = gzip;
    this.#signal = signal;
  }

  /** Ends when the bytes are no longer needed. Throws the signal's reason. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let taken = 0; taken < bytes.length;) {
      const part = bytes.subarray(taken, taken + this.#block.length - this.#filled);
      this.#block.set(part, this.#filled);
      taken += part.length;
      this.#filled += part.length;
      if (this.#filled === this.#block.length) await this.#flush();
    }
  }

  /** Hands over what is left, and closes the archive. */
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

// `node:fs/promises` would take a megabyte of its own.
const writeSome = promisify(write);

async function writeAll(file: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await writeSome(file, bytes, done, bytes.length - done)).bytesWritten;
  }
}

/**
 * Frees the memory of a chunk that is done with, instead of letting megabytes wait for the garbage collector. Zlib takes a
 * new buffer once one is full, so that a chunk at the end of its buffer is the last that is in it.
 */
function release({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0);
}

async function writeCompressed(
  compressed: AsyncIterable<Buffer>,
  output: number,
  maximumBytes: number,
  tooLarge: () => Error,
): Promise<number> {
  let size = 0;
  for await (const chunk of compressed) {
    size += chunk.length;
    if (size > maximumBytes) throw tooLarge();
    await withRunnerFileAsync(archiveFile, () => writeAll(output, chunk));
    release(chunk);
  }
  return size;
}

/** An archive in a temporary folder. */
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
 * @param temporary the folder in which that folder is made; created if missing
 * @throws RunnerFileError if the folder cannot be made; as `writeArchive`; nothing is left behind then
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
