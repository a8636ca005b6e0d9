import { open, type FileHandle } from 'node:fs/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { MatchedFile } from './resolve.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';
import { chunkBytes, readUnchanged } from './unchanged.ts';

/** Where gzip's header (RFC 1952) names the operating system, and the value for "unknown". */
const systemByte = { position: 9, unknown: 0xff };

/**
 * Writes the files as a gzipped tar archive: for the same names and contents always the same bytes, whatever the order they
 * are given in, their times, owners and modes, and whichever system this is.
 *
 * @returns the size of the archive in bytes.
 * @throws what `tooLarge` makes, as soon as more than `maximumBytes` are there; MistakeError when a file cannot be read or
 * changes. What was written until then is left for the caller to remove.
 */
export async function writeArchive(
  files: readonly MatchedFile[],
  destination: string,
  maximumBytes: number,
  tooLarge: () => Error,
): Promise<number> {
  const output = await open(destination, 'wx', 0o600);
  const gzip = createGzip();
  // Whichever side fails first destroys the stream between the two, and so ends the other.
  const feeding = feed(gzip, inBlocks(tarOf(files))).catch((thrown: unknown) => {
    gzip.destroy(thrown instanceof Error ? thrown : new Error('the archive was given up', { cause: thrown }));
  });
  try {
    const size = await collect(gzip, output, maximumBytes, tooLarge);
    await output.write(Uint8Array.of(systemByte.unknown), 0, 1, systemByte.position);
    return size;
  } finally {
    await feeding;
    await output.close();
  }
}

async function feed(gzip: Gzip, blocks: AsyncIterable<Buffer>): Promise<void> {
  for await (const block of blocks) {
    await new Promise<void>((resolve, reject) => {
      gzip.write(block, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
  gzip.end();
}

async function collect(
  compressed: AsyncIterable<Buffer>,
  output: FileHandle,
  maximumBytes: number,
  tooLarge: () => Error,
): Promise<number> {
  let size = 0;
  for await (const chunk of compressed) {
    size += chunk.length;
    if (size > maximumBytes) throw tooLarge();
    await output.write(chunk);
  }
  return size;
}

/** The archive in pieces; each holds only until the next is asked for. */
async function* tarOf(files: readonly MatchedFile[]): AsyncGenerator<Uint8Array, void, undefined> {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const file of sorted) {
    yield tarHeader(file.name, file.size);
    yield* readUnchanged(file.path, file.size, () => buffer);
    yield tarPadding(file.size);
  }
  yield tarEnd;
}

/** The same bytes in blocks of one size, since each hand-over has its price; each holds only until the next is asked for. */
async function* inBlocks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const block = Buffer.allocUnsafeSlow(chunkBytes);
  let filled = 0;
  for await (const piece of pieces) {
    for (let taken = 0; taken < piece.length;) {
      const part = piece.subarray(taken, taken + block.length - filled);
      block.set(part, filled);
      taken += part.length;
      filled += part.length;
      if (filled < block.length) continue;
      yield block;
      filled = 0;
    }
  }
  yield block.subarray(0, filled);
}
