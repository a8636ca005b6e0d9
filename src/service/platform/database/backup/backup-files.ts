import { open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../../../runtime/failure.ts';
import { type AttachedContent, DamagedAttachmentError } from '../../attachments/attachments.ts';
import { collectDamaged, type DamagedAttachment } from '../../attachments/collect-damaged.ts';
import { verifyChunks } from '../../attachments/content-check.ts';
import { attachmentPath } from '../../attachments/files/attachment-layout.ts';
import { attachmentsFolder } from '../../attachments/files/data-folder.ts';
import { makeFolder, privateFileMode, syncFolder } from '../../attachments/files/durable-files.ts';
import { openAttachment, openVerified, readChunks } from '../../attachments/files/verified-file.ts';

const concurrency = 8;

/**
 * Lists the names in a folder; empty if the folder does not exist.
 *
 * @throws Error if it is a file
 */
export async function listEntries(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    if (errorCode(error) === 'ENOTDIR') throw new Error(`${folder} is not a folder; name another`, { cause: error });
    throw error;
  }
}

/**
 * Copies attachments between folders with the layout of a data folder, and compares each with its digest. Resolves when
 * all of them are on the disk.
 *
 * @returns the attachments that are damaged in the source; they are not copied.
 */
export async function copyAttachments(
  source: string,
  target: string,
  contents: readonly AttachedContent[],
): Promise<readonly DamagedAttachment[]> {
  const paths = contents.map(({ digest }) => attachmentPath(join(target, attachmentsFolder), digest));
  const groups = new Set(paths.map((path) => dirname(path)));
  for (const group of groups) await makeFolder(group);
  const damaged = await collectDamaged(contents, concurrency, (content) => copyAttachment(source, target, content));
  for (const group of groups) await syncFolder(group);
  return damaged;
}

/** Compares attachments with their digests; returns the damaged ones. */
export function verifyAttachments(
  folder: string,
  contents: readonly AttachedContent[],
): Promise<readonly DamagedAttachment[]> {
  return collectDamaged(contents, concurrency, async (content) => {
    const file = await openVerified(attachmentPath(join(folder, attachmentsFolder), content.digest), content);
    await file.close();
  });
}

async function copyAttachment(source: string, target: string, content: AttachedContent): Promise<void> {
  await using from = await openAttachment(attachmentPath(join(source, attachmentsFolder), content.digest), content);
  const path = attachmentPath(join(target, attachmentsFolder), content.digest);
  try {
    const verified = verifyChunks(readChunks(from), content);
    await writeFile(path, verified, { flag: 'wx', mode: privateFileMode, flush: true });
  } catch (error) {
    if (error instanceof DamagedAttachmentError) await rm(path, { force: true });
    throw error;
  }
}

export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}
