import { mkdir, mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { maximumFileBytes } from '../../../contract/limits.ts';
import { describeError } from '../../../runtime/failure.ts';
import { Damage, withRegularFile } from '../regular-file.ts';
import { entryPath, showName, type ArchiveEntry } from './archive-entry.ts';
import { archiveFormat } from './archive-format.ts';
import { decompress } from './decompress.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';

/** The limits for unpacking. */
export interface UnpackLimits {
  /** How many files and folders an archive may have. */
  readonly entries: number;
  /** The size of a file, in bytes. */
  readonly fileBytes: number;
  /** The size of all files of all archives, in bytes. */
  readonly totalBytes: number;
}

/** Room for a thousand items with large attachments, on every runner. */
const defaultLimits: UnpackLimits = { entries: 10_000, fileBytes: maximumFileBytes, totalBytes: 1024 ** 3 };

/** An archive as a folder, or why it is refused: the end of a sentence. */
export type Unpacked = { readonly folder: string } | { readonly problem: string };

/** Unpacks archives into folders of its own, which are removed at the end. */
export class Unpacker {
  readonly #parent: string;
  readonly #limits: UnpackLimits;
  readonly #folders: string[] = [];
  #bytesLeft: number;

  /** @param parent a folder for temporary files */
  constructor(parent: string, limits: UnpackLimits = defaultLimits) {
    this.#parent = parent;
    this.#limits = limits;
    this.#bytesLeft = limits.totalBytes;
  }

  /** Unpacks an archive whose name says its format. If anything is wrong with it, nothing of it is to be used. */
  async unpack(archive: string): Promise<Unpacked> {
    try {
      const folder = await mkdtemp(join(this.#parent, 'spool-'));
      this.#folders.push(folder);
      await withRegularFile(archive, (file, size) =>
        this.#unpackInto(folder, readArchive(archive, file, size, this.#limits)),
      );
      return { folder };
    } catch (thrown) {
      const reason = thrown instanceof Damage ? thrown.message : describeError(thrown);
      return { problem: `cannot be unpacked: ${reason}` };
    }
  }

  /** Removes everything that was unpacked, as far as possible: the runner empties its temporary folder later. */
  async remove(): Promise<void> {
    const options = { recursive: true, force: true, maxRetries: 3 };
    await Promise.allSettled(this.#folders.map((folder) => rm(folder, options)));
  }

  async #unpackInto(folder: string, entries: AsyncIterable<ArchiveEntry>): Promise<void> {
    const names = new TakenNames();
    let count = 0;
    for await (const entry of entries) {
      count += 1;
      if (count > this.#limits.entries) throw new Damage(`it has more than ${this.#limits.entries} entries`);
      this.#spend(entry);
      const parts = entryPath(entry);
      names.take(entry, parts);
      // Hidden files are not part of a spool.
      if (parts.length === 0 || parts.some((part) => part.startsWith('.'))) continue;
      await write(join(folder, ...parts.slice(0, -1)), parts.at(-1) ?? '', entry);
    }
  }

  #spend({ name, size }: ArchiveEntry): void {
    const { fileBytes, totalBytes } = this.#limits;
    if (size > fileBytes) throw new Damage(`${showName(name)} is larger than ${fileBytes} bytes`);
    if (size > this.#bytesLeft) throw new Damage(`the archives have more than ${totalBytes} bytes when unpacked`);
    this.#bytesLeft -= size;
  }
}

function readArchive(path: string, file: FileHandle, size: number, limits: UnpackLimits): AsyncIterable<ArchiveEntry> {
  const format = archiveFormat(basename(path))?.format;
  if (format === 'zip') return readZip(file, size, limits.entries);
  const bytes: AsyncIterable<Uint8Array> = file.createReadStream({ autoClose: false, start: 0 });
  return readTar(atMost(tarBytes(limits), format === 'tar' ? bytes : decompress(bytes, createGunzip())));
}

/** The maximum size of a tar archive: its headers, descriptions and padding take as much as a few files. */
function tarBytes({ entries, totalBytes }: UnpackLimits): number {
  return totalBytes + entries * 4096;
}

async function* atMost(
  maximum: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0;
  for await (const chunk of chunks) {
    count += chunk.length;
    if (count > maximum) throw new Damage(`it has more than ${maximum} bytes when unpacked`);
    yield chunk;
  }
}

async function write(folder: string, name: string, entry: ArchiveEntry): Promise<void> {
  const path = join(folder, name);
  await mkdir(entry.type === 'folder' ? path : folder, { recursive: true, mode: 0o700 });
  if (entry.type === 'folder') return;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of entry.content()) await file.appendFile(chunk);
  } finally {
    await file.close();
  }
}

/** The names of an archive's entries: no name may stand for two entries, not even on a disk that ignores case. */
class TakenNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** @throws Damage if the name is taken */
  take({ name, type }: ArchiveEntry, parts: readonly string[]): void {
    const paths = parts.map((_, index) => comparable(parts.slice(0, index + 1)));
    const own = paths.at(-1) ?? '';
    const folders = type === 'folder' ? paths : paths.slice(0, -1);
    const isTaken =
      folders.some((path) => this.#files.has(path)) ||
      (type === 'file' && (this.#files.has(own) || this.#folders.has(own)));
    if (isTaken) throw new Damage(`${showName(name)} has the name of another entry`);
    for (const path of folders) this.#folders.add(path);
    if (type === 'file') this.#files.add(own);
  }
}

function comparable(parts: readonly string[]): string {
  return parts.join('/').normalize('NFC').toLowerCase();
}
