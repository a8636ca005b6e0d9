import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, constants, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../../../runtime/failure.ts';
import type { RandomBytes } from '../../../../runtime/random.ts';
import { onDisk, translateFileError } from '../../database/storage-faults.ts';
import type { AttachedContent, AttachmentStore, ReceivedFile } from '../attachments.ts';
import { attachmentPath, contentFolder, incomingFolder } from './attachment-layout.ts';
import { makeFolder, privateFileMode, privateFolderMode, syncFolder } from './durable-files.ts';
import { openVerified, type VerifiedFile } from './verified-file.ts';

/** The maximum number of bytes that are buffered during a write; they are then written at once. */
const waitingBytes = 1024 * 1024;
/** The size of a probe in bytes. A disk without that much space has no space for a request. */
const probeBytes = 64 * 1024;

/**
 * Attachments as files: `incoming/` holds uploads in progress, `content/ab/ab12…` the received content by its SHA-256.
 * Files get a name in `content/` when they are complete, and folders are synced like files. Until its record is written,
 * an upload also has its name in `incoming/`: so a start after a crash knows which content has no record because of it.
 */
export class AttachmentFolder implements AttachmentStore {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #content: string;
  readonly #randomBytes: RandomBytes;

  private constructor(folder: string, randomBytes: RandomBytes) {
    this.#folder = folder;
    this.#incoming = join(folder, incomingFolder);
    this.#content = join(folder, contentFolder);
    this.#randomBytes = randomBytes;
  }

  /** Opens the folder; creates it if it does not exist. */
  static async open(folder: string, randomBytes: RandomBytes): Promise<AttachmentFolder> {
    const attachments = new AttachmentFolder(folder, randomBytes);
    await makeFolder(attachments.#incoming);
    await makeFolder(attachments.#content);
    return attachments;
  }

  async receive(content: Readable): Promise<ReceivedFile> {
    const path = this.#newPath();
    const hash = createHash('sha256');
    let size: number;
    try {
      size = await writeDurably(path, content, hash);
    } catch (error) {
      content.destroy();
      await removeIfPossible(path);
      throw translateFileError(error);
    }
    const digest = hash.digest('hex');
    return {
      digest,
      size,
      bytes: () => onDisk(() => readFile(path)),
      keep: () => onDisk(() => this.#keep(path, digest)),
      discard: () => removeIfPossible(path),
    };
  }

  async #keep(path: string, digest: string): Promise<void> {
    const target = attachmentPath(this.#folder, digest);
    await this.#makeGroup(join(target, '..'));
    await linkOrRename(path, target, this.#newPath());
    await syncFolder(join(target, '..'));
  }

  /**
   * `content/` itself is not created again: if it is missing, so are the attachments, and that must not go unnoticed.
   */
  async #makeGroup(group: string): Promise<void> {
    try {
      await mkdir(group, { mode: privateFolderMode });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      throw error;
    }
    await syncFolder(this.#content);
  }

  async read(content: AttachedContent): Promise<Readable> {
    return (await this.#openVerified(content)).stream();
  }

  async verify(content: AttachedContent): Promise<void> {
    await (await this.#openVerified(content)).close();
  }

  async #openVerified(content: AttachedContent): Promise<VerifiedFile> {
    return onDisk(async () => {
      // If the folder is missing, the whole storage is gone and not just this file.
      await access(this.#content);
      return openVerified(attachmentPath(this.#folder, content.digest), content);
    });
  }

  remove(digest: string): Promise<void> {
    const path = attachmentPath(this.#folder, digest);
    return onDisk(async () => {
      await this.#makeGroup(dirname(path));
      await rm(path, { force: true });
      await syncFolder(dirname(path));
    });
  }

  async probe(): Promise<void> {
    const path = this.#newPath();
    try {
      await onDisk(async () => {
        await access(this.#content, constants.R_OK | constants.W_OK | constants.X_OK);
        await writeFile(path, Buffer.alloc(probeBytes), { flag: 'wx', mode: privateFileMode });
      });
    } finally {
      await removeIfPossible(path);
    }
  }

  #newPath(): string {
    return join(this.#incoming, this.#randomBytes(16).toString('hex'));
  }
}

/** Writes the content and waits until it is on the disk. Returns the size in bytes. */
async function writeDurably(path: string, content: Readable, hash: Hash): Promise<number> {
  const flags = { flags: 'wx', mode: privateFileMode, flush: true };
  const file = createWriteStream(path, { ...flags, highWaterMark: waitingBytes });
  const hashed = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(content, hashed, file);
  } finally {
    // A file that is still being opened would otherwise appear after its removal.
    if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve));
  }
  return file.bytesWritten;
}

/**
 * Gives a file a second name, and replaces a file with this name, which may be damaged. If the file system has no hard
 * links, the file is moved instead.
 *
 * @param unused a path in the same file system
 */
async function linkOrRename(path: string, target: string, unused: string): Promise<void> {
  try {
    await link(path, unused);
    await rename(unused, target);
    // Renaming one name of a file to another name of it does nothing.
    await removeIfPossible(unused);
  } catch {
    await rename(path, target);
  }
}

async function removeIfPossible(path: string): Promise<void> {
  // A file that remains is an unfinished upload, and is removed at the next start.
  await rm(path, { force: true }).catch(() => undefined);
}
