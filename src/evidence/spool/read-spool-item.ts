import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { violations } from '../../contract/check.ts';
import { maximumFileBytes } from '../../contract/limits.ts';
import { describeError, errorCode, UserError } from '../../runtime/failure.ts';
import { valueAt } from '../../runtime/untrusted-data.ts';
import { requireSmallJson } from '../files/json-limits.ts';
import { readUnchanged } from '../files/read-unchanged.ts';
import type { FoundItem } from './find-spool-items.ts';
import {
  attachmentFile,
  checksumFile,
  deliveredFile,
  manifestFile,
  maximumManifestBytes,
  type SpoolManifest,
  spoolManifest,
  spoolVersion,
} from './spool-item.ts';

/** The attachment of an item, whose digest was checked. */
export interface SpooledFile {
  readonly filename: string;
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** An item that is complete and undamaged. What it claims about its run is not checked yet. */
export interface SpoolItem {
  readonly manifest: SpoolManifest;
  readonly file?: SpooledFile;
}

/** An item, or why it is refused: the end of a sentence. */
export type ReadItem =
  { readonly item: SpoolItem; readonly problem?: never } | { readonly item?: never; readonly problem: string };

/** A spool is not as it was written, or hostile. The message is the end of a sentence. */
class Damage extends Error {
  override readonly name = 'Damage';
}

/** Reads an item, and checks its format and its digests. */
export async function readSpoolItem({ path }: FoundItem): Promise<ReadItem> {
  try {
    const bytes = await readRegularFile(join(path, manifestFile), maximumManifestBytes);
    const sums = await readRegularFile(join(path, checksumFile), 1024);
    const expected = `${createHash('sha256').update(bytes).digest('hex')}  ${manifestFile}`;
    if (!sums.toString('latin1').split('\n').includes(expected)) {
      return { problem: `is damaged: ${checksumFile} does not have the SHA-256 of ${manifestFile}` };
    }
    return await readContent(path, bytes);
  } catch (thrown) {
    if (thrown instanceof Damage || thrown instanceof UserError) return { problem: `is damaged: ${thrown.message}` };
    throw thrown;
  }
}

async function readContent(path: string, bytes: Buffer): Promise<ReadItem> {
  const manifest = parseManifest(bytes);
  const { file } = manifest;
  if (file === undefined) return { item: { manifest } };
  if (file.size > maximumFileBytes) throw new Damage(`${attachmentFile} is larger than ${maximumFileBytes} bytes`);
  const attachment = join(path, attachmentFile);
  const digest = await digestRegularFile(attachment, file.size);
  if (digest !== file.sha256) throw new Damage(`${attachmentFile} does not have the SHA-256 of ${manifestFile}`);
  return {
    item: {
      manifest,
      file: { filename: file.name, size: file.size, open: () => readUnchanged(attachment, file.size) },
    },
  };
}

/** @throws Damage */
function parseManifest(bytes: Buffer): SpoolManifest {
  let manifest: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    requireSmallJson(text, maximumManifestBytes, (what) => new Damage(manifestFile + what));
    manifest = JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof Damage) throw thrown;
    throw new Damage(`${manifestFile} is not JSON (${describeError(thrown)})`);
  }
  const version = valueAt(manifest, 'version');
  if (version !== spoolVersion) {
    throw new Damage(
      `${manifestFile} has the version ${describeVersion(version)}, but this action reads only ${spoolVersion}`,
    );
  }
  const [wrong] = violations(spoolManifest, manifest);
  if (wrong !== undefined) throw new Damage(`in ${manifestFile}, ${wrong.field} ${wrong.rule}`);
  // Checked in the line above.
  return manifest as SpoolManifest;
}

function describeVersion(version: unknown): string {
  return typeof version === 'number' ? String(version) : `of the type ${typeof version}`;
}

// A named pipe would block, and a link could lead anywhere. Windows has neither flag.
const safeFlags =
  process.platform === 'win32' ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading. Links, folders and devices are refused.
 *
 * @param work gets the open file and its size in bytes
 * @throws Damage
 */
async function withRegularFile<Result>(
  path: string,
  work: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const file = await open(path, safeFlags).catch((thrown: unknown) => {
    if (errorCode(thrown) === 'ENOENT') throw new Damage(`${name} is missing`);
    if (errorCode(thrown) === 'ELOOP') throw new Damage(`${name} is a symbolic link`);
    throw new Damage(`${name} cannot be read (${describeError(thrown)})`);
  });
  try {
    const state = await file.stat();
    if (!state.isFile()) throw new Damage(`${name} is not a file`);
    return await work(file, state.size);
  } finally {
    await file.close();
  }
}

function readRegularFile(path: string, maximum: number): Promise<Buffer> {
  return withRegularFile(path, async (file, size) => {
    if (size > maximum) throw new Damage(`${path.split(/[/\\]/u).at(-1) ?? ''} is larger than ${maximum} bytes`);
    return file.readFile();
  });
}

function digestRegularFile(path: string, expectedSize: number): Promise<string> {
  return withRegularFile(path, async (file, size) => {
    if (size !== expectedSize) throw new Damage(`${attachmentFile} has ${size} bytes instead of ${expectedSize}`);
    const sum = createHash('sha256');
    for await (const chunk of file.createReadStream({ autoClose: false }))
      if (chunk instanceof Buffer) sum.update(chunk);
    return sum.digest('hex');
  });
}

/** Whether an item is marked as delivered. A forged mark only keeps its own item from being recorded. */
export async function isMarkedDelivered({ path }: FoundItem): Promise<boolean> {
  try {
    await readRegularFile(join(path, deliveredFile), 1024);
    return true;
  } catch (thrown) {
    if (thrown instanceof Damage) return false;
    throw thrown;
  }
}

/** Marks an item as delivered, so that a second replay of the same folder skips it. */
export async function markDelivered({ path }: FoundItem, deliveredAt: string): Promise<void> {
  const temporary = join(path, `.${deliveredFile}`);
  await writeFile(temporary, `${JSON.stringify({ delivered_at: deliveredAt })}\n`, { flag: 'wx', mode: 0o600 });
  await rename(temporary, join(path, deliveredFile));
}
