import { lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../../runtime/failure.ts';
import { StartError } from '../../database/start-error.ts';
import {
  attachmentPath,
  contentFolder,
  listAttachments,
  listUnfinishedUploads,
  trashFolder,
} from './attachment-layout.ts';
import { makeFolder, syncFolder } from './durable-files.ts';

/**
 * Younger files are kept: their record may be missing only temporarily, for example because an older backup was
 * restored.
 */
export const trashAfterMilliseconds = 24 * 60 * 60 * 1000;
/** At one start, at most this many files and at most this share of all files are moved to the trash. */
export const maximumTrashed = 100;
export const maximumTrashedShare = 0.1;
/** So many files without a record say nothing about the database, whatever their share. */
const fewFiles = 3;

export interface SweepRules {
  /** The `attachments` folder. */
  readonly folder: string;
  readonly isAttached: (digest: string) => Promise<boolean>;
  /** Whether the database was just created, so that it has no records. */
  readonly isNewDatabase: boolean;
  /** Whether the operator requested that all files without a record go to the trash, regardless of their number and age. */
  readonly trashAll: boolean;
  /** The time in Unix milliseconds. */
  readonly now: number;
}

export interface Sweep {
  readonly attached: number;
  readonly trashed: number;
  /** The folder that they were moved to. */
  readonly trash: string;
  /** The number of attachments without a record that were left in place. */
  readonly left: number;
  /** The number of unfinished uploads that were removed. Their senders got no success response. */
  readonly unfinished: number;
}

/**
 * Cleans up after a crash: removes unfinished uploads, and moves attachments that no record refers to into a dated
 * folder in the trash: at once if a crash came before their record was written, otherwise when they are old. Attachments
 * are never deleted. Call it only while nothing is being received.
 *
 * @throws StartError if so many files have no record that the database probably belongs to other files; nothing is
 *   changed then.
 */
export async function sweepAttachments(rules: SweepRules): Promise<Sweep> {
  const { folder, isAttached, trashAll, now } = rules;
  let attached = 0;
  const unnamed: string[] = [];
  for await (const digest of listAttachments(folder)) {
    if (await isAttached(digest)) attached += 1;
    else unnamed.push(digest);
  }
  const unfinished = await listUnfinishedUploads(folder);
  const interrupted = await findInterrupted(folder, unnamed, unfinished);
  const others = unnamed.filter((digest) => !interrupted.has(digest));
  if (!trashAll) requireMatchingDatabase(rules, { attached, interrupted: interrupted.size, others: others.length });
  const trash = join(folder, trashFolder, new Date(now).toISOString().slice(0, 10));
  const chosen = trashAll ? unnamed : [...interrupted, ...(await chooseOld(rules, others, attached + others.length))];
  await moveToTrash(folder, chosen, trash);
  for (const path of unfinished) await rm(path, { force: true });
  return {
    attached,
    trashed: chosen.length,
    trash,
    left: unnamed.length - chosen.length,
    unfinished: unfinished.length,
  };
}

/** Finds the attachments that an unfinished upload still has as its file: a crash came before their record. */
async function findInterrupted(
  folder: string,
  digests: readonly string[],
  unfinished: readonly string[],
): Promise<ReadonlySet<string>> {
  const uploads = new Set(await Promise.all(unfinished.map(fileNumber)));
  const numbered = await Promise.all(
    (uploads.size === 0 ? [] : digests).map(async (digest) => ({
      digest,
      number: await fileNumber(attachmentPath(folder, digest)),
    })),
  );
  return new Set(numbered.filter(({ number }) => uploads.has(number)).map(({ digest }) => digest));
}

/** The number that all names of a file share (inode). */
async function fileNumber(path: string): Promise<bigint> {
  return (await lstat(path, { bigint: true })).ino;
}

/** The numbers of attachments: with a record, without one because of a crash, and without one for another reason. */
interface AttachmentCounts {
  readonly attached: number;
  readonly interrupted: number;
  readonly others: number;
}

function requireMatchingDatabase({ folder, isNewDatabase }: SweepRules, counts: AttachmentCounts): void {
  const { attached, interrupted, others } = counts;
  const all = attached + others;
  const unnamed = interrupted + others;
  const remedy =
    'put back the database that belongs to them, or restore a backup; to start anyway, move that folder away, or ' +
    'move these attachments to its trash with --trash-unnamed-attachments';
  if (isNewDatabase && unnamed > 0) {
    throw new StartError(`the database is new, but ${folder} holds ${unnamed} attachments; ${remedy}`);
  }
  if (others > fewFiles && 2 * others > all) {
    throw new StartError(
      `the database names only ${attached} of the ${all} attachments in ${folder}, so it probably belongs to other files; ${remedy}`,
    );
  }
}

/** Selects the oldest files within the limits. */
async function chooseOld({ folder, now }: SweepRules, unnamed: readonly string[], all: number): Promise<string[]> {
  const aged = await Promise.all(
    unnamed.map(async (digest) => ({ digest, time: (await lstat(attachmentPath(folder, digest))).mtimeMs })),
  );
  const old = aged
    .filter(({ time }) => now - time >= trashAfterMilliseconds)
    .sort((one, other) => one.time - other.time);
  const maximum = Math.min(maximumTrashed, Math.max(1, Math.floor(maximumTrashedShare * all)));
  return old.slice(0, maximum).map(({ digest }) => digest);
}

async function moveToTrash(folder: string, digests: readonly string[], trash: string): Promise<void> {
  if (digests.length === 0) return;
  await makeFolder(trash);
  for (const digest of digests) await rename(attachmentPath(folder, digest), await freePath(join(trash, digest)));
  await syncFolder(trash);
  for (const group of new Set(digests.map((digest) => digest.slice(0, 2)))) {
    await syncFolder(join(folder, contentFolder, group));
  }
}

/** Finds an unused path, so that files in the trash are not overwritten. */
async function freePath(path: string): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const candidate = copy === 1 ? path : `${path}.${copy}`;
    try {
      await lstat(candidate);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return candidate;
      throw error;
    }
  }
}
