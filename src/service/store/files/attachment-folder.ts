import { createHash, type Hash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RandomBytes } from '../../domain/sources.ts';
import { codeOf } from '../../domain/thrown.ts';
import type { AttachmentStore, ReceivedFile } from '../attachments.ts';
import { StorageFullError } from '../store.ts';
import { DurableWriter } from './durable-writer.ts';

/**
 * Attachments as files: `incoming/` holds what is on its way, `content/ab/ab12…` what has arrived, under its SHA-256. A file
 * comes into `content/` by being renamed, so it is whole or not there, and the folders are synced like the file itself.
 */
export class AttachmentFolder implements AttachmentStore {
  readonly #incoming: string;
  readonly #content: string;
  readonly #randomBytes: RandomBytes;

  private constructor(folder: string, randomBytes: RandomBytes) {
    this.#incoming = join(folder, 'incoming');
    this.#content = join(folder, 'content');
    this.#randomBytes = randomBytes;
  }

  /** Opens the folder, and makes it where there is none. */
  static async open(folder: string, randomBytes: RandomBytes): Promise<AttachmentFolder> {
    const attachments = new AttachmentFolder(folder, randomBytes);
    await makeFolder(attachments.#incoming);
    await makeFolder(attachments.#content);
    return attachments;
  }

  async receive(content: Readable): Promise<ReceivedFile> {
    const path = join(this.#incoming, this.#randomBytes(16).toString('hex'));
    const hash = createHash('sha256');
    let size: number;
    try {
      size = await writeDurably(path, content, hash);
    } catch (error) {
      content.destroy();
      await rm(path, { force: true });
      throw translateError(error);
    }
    const digest = hash.digest('hex');
    return {
      digest,
      size,
      bytes: () => readFile(path),
      keep: () => this.#keep(path, digest),
      discard: () => rm(path, { force: true }),
    };
  }

  async #keep(path: string, digest: string): Promise<void> {
    const target = this.#pathOf(digest);
    try {
      await makeFolder(dirname(target));
      await rename(path, target);
      await syncFolder(dirname(target));
    } catch (error) {
      throw translateError(error);
    }
  }

  async read(digest: string): Promise<Readable | undefined> {
    try {
      const file = await open(this.#pathOf(digest));
      return file.createReadStream();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async sweep(isAttached: (digest: string) => Promise<boolean>): Promise<number> {
    const unfinished = (await readdir(this.#incoming)).map((name) => join(this.#incoming, name));
    const orphans: string[] = [];
    for (const group of await readdir(this.#content)) {
      for (const digest of await readdir(join(this.#content, group))) {
        if (!(await isAttached(digest))) orphans.push(join(this.#content, group, digest));
      }
    }
    const leftovers = [...unfinished, ...orphans];
    for (const path of leftovers) await rm(path, { force: true });
    return leftovers.length;
  }

  #pathOf(digest: string): string {
    return join(this.#content, digest.slice(0, 2), digest);
  }
}

/** Writes all of it and waits until the disk has it. Answers the size in bytes. */
async function writeDurably(path: string, content: Readable, hash: Hash): Promise<number> {
  const file = await open(path, 'wx');
  try {
    const writer = new DurableWriter(file, hash);
    await pipeline(content, writer);
    return writer.size;
  } finally {
    await file.close();
  }
}

/** Makes a folder that outlives a loss of power: a new name is only safe once its parent is on the disk. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/** Windows cannot open a folder to sync it; its file system journals renames by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function translateError(error: unknown): unknown {
  const full = ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');
  return full ? new StorageFullError('the disk is full', { cause: error }) : error;
}
