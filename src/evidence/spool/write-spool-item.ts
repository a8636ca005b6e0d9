import { createHash } from 'node:crypto';
import * as nodeFiles from 'node:fs/promises';
import { join } from 'node:path';
import { violations } from '../../contract/check.ts';
import { UserError } from '../../runtime/failure.ts';
import {
  attachmentFile,
  checksumFile,
  incompletePrefix,
  manifestFile,
  maximumManifestBytes,
  type SpoolEntry,
  type SpoolManifest,
  spoolManifest,
  spoolVersion,
} from './spool-item.ts';

/** The operations on files that write an item; tests interrupt them. */
export interface SpoolFiles {
  mkdir(path: string, options: { readonly recursive: boolean; readonly mode: number }): Promise<unknown>;
  writeFile(path: string, content: Uint8Array | AsyncIterable<Uint8Array>, options: typeof newFile): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly recursive: true; readonly force: true }): Promise<void>;
}

/** An attachment to keep. A chunk is valid only until the next is requested. */
export interface KeptFile {
  readonly filename: string;
  open(): AsyncIterable<Uint8Array>;
}

/** Where an item is written. */
export interface SpoolTarget {
  /** The folder of the spool; created if missing. */
  readonly folder: string;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  readonly files?: SpoolFiles;
}

/** Readable by the job's user only. */
const folderMode = 0o700;

/** Also readable by the job's user only; on the disk when it is written. */
const newFile = { flag: 'wx', mode: 0o600, flush: true } as const;

/**
 * Writes an item into a spool. It is written into a folder with another name first, which is renamed when the content of
 * all files is on the disk. If the process is killed at any moment, the spool has the whole item or nothing that a replay
 * would read. The request was prepared for the service, so it holds no secret of the step.
 *
 * @returns the path of the item
 * @throws UserError if the item does not have the format; an error of the system if it cannot be written
 */
export async function writeSpoolItem(
  entry: SpoolEntry,
  file: KeptFile | undefined,
  { folder, random, files = nodeFiles }: SpoolTarget,
): Promise<string> {
  const name = itemName(entry, random);
  const path = join(folder, name);
  const incomplete = join(folder, incompletePrefix + name);
  await files.mkdir(folder, { recursive: true, mode: folderMode });
  try {
    await files.mkdir(incomplete, { recursive: false, mode: folderMode });
    const attachment = file === undefined ? undefined : await writeAttachment(files, incomplete, file);
    const manifest = toManifest(entry, attachment);
    await files.writeFile(join(incomplete, manifestFile), manifest, newFile);
    const sums = `${createHash('sha256').update(manifest).digest('hex')}  ${manifestFile}\n`;
    await files.writeFile(join(incomplete, checksumFile), Buffer.from(sums), newFile);
    await files.rename(incomplete, path);
    return path;
  } catch (thrown) {
    await files.rm(incomplete, { recursive: true, force: true }).catch(() => undefined);
    throw thrown;
  }
}

/** Sorts by time: `20261002T120000000Z-0f3a9c1e`. */
function itemName({ gathered_at }: SpoolEntry, random: () => number): string {
  const digits = Array.from({ length: 8 }, () => Math.floor(random() * 16).toString(16)).join('');
  return `${gathered_at.replaceAll(/[-:.]/gu, '')}-${digits}`;
}

async function writeAttachment(
  files: SpoolFiles,
  folder: string,
  file: KeptFile,
): Promise<NonNullable<SpoolManifest['file']>> {
  const sum = createHash('sha256');
  let size = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of file.open()) {
      sum.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  await files.writeFile(join(folder, attachmentFile), counted(), newFile);
  return { name: file.filename, size, sha256: sum.digest('hex') };
}

function toManifest(entry: SpoolEntry, file: SpoolManifest['file']): Buffer {
  const manifest = { version: spoolVersion, ...entry, ...(file === undefined ? {} : { file }) };
  const [wrong] = violations(spoolManifest, manifest);
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  if (wrong === undefined && bytes.length <= maximumManifestBytes) return bytes;
  const rule = wrong === undefined ? `is ${bytes.length} bytes` : `has the field ${wrong.field}, which ${wrong.rule}`;
  throw new UserError({
    what: `the evidence does not fit the format of a spool: its manifest ${rule}`,
    remedy: 'Rename the attachment, or make `user-data` smaller.',
  });
}
