import { lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../runtime/failure.ts';
import { StartError } from '../start-error.ts';
import {
  attachmentPath,
  contentFolder,
  listAttachments,
  listUnfinishedUploads,
  trashFolder,
} from './attachment-layout.ts';
import { makeFolder, syncFolder } from './durable-files.ts';

/** A younger file may belong to a record that is only missing for now: an older backup was put back, for example. */
export const trashAfterMilliseconds = 24 * 60 * 60 * 1000;
/** At one start at most so many files, and at most this share of all, go to the trash. */
export const maximumTrashed = 100;
export const maximumTrashedShare = 0.1;
/** So few files without a record are what a crash can leave, whatever their share. */
const fewFiles = 3;

/** What the sweep needs to know. */
export interface SweepRules {
  /** The `attachments` folder. */
  readonly folder: string;
  readonly isAttached: (digest: string) => Promise<boolean>;
  /** The database was made just now, so it names none of the files that are there. */
  readonly isNewDatabase: boolean;
  /** The operator means it: everything that no record names goes to the trash, however much and however young. */
  readonly trashAll: boolean;
  /** The time of day in milliseconds. */
  readonly now: number;
}

/** What a sweep found and did. */
export interface Sweep {
  /** How many attachments a record names. */
  readonly attached: number;
  /** How many were moved, and to which folder. */
  readonly trashed: number;
  readonly trash: string;
  /** How many without a record were left where they are. */
  readonly left: number;
  /** How many unfinished uploads were removed. Nobody was told that they had arrived. */
  readonly unfinished: number;
}

/**
 * Tidies up after a crash: unfinished uploads are removed, and attachments that no record names are moved to a folder of
 * their day in the trash. No attachment is ever removed. Only to be called while nothing is received.
 *
 * @throws StartError if so many files have no record that the database is probably not theirs; nothing was touched then.
 */
export async function sweepAttachments(rules: SweepRules): Promise<Sweep> {
  const { folder, isAttached, trashAll, now } = rules;
  let attached = 0;
  const unnamed: string[] = [];
  for await (const digest of listAttachments(folder)) {
    if (await isAttached(digest)) attached += 1;
    else unnamed.push(digest);
  }
  if (!trashAll) requireMatchingDatabase(rules, attached, unnamed.length);
  const trash = join(folder, trashFolder, new Date(now).toISOString().slice(0, 10));
  const chosen = trashAll ? unnamed : await chooseOld(rules, unnamed, attached + unnamed.length);
  await moveToTrash(folder, chosen, trash);
  const unfinished = await listUnfinishedUploads(folder);
  for (const path of unfinished) await rm(path, { force: true });
  return {
    attached,
    trashed: chosen.length,
    trash,
    left: unnamed.length - chosen.length,
    unfinished: unfinished.length,
  };
}

function requireMatchingDatabase({ folder, isNewDatabase }: SweepRules, attached: number, unnamed: number): void {
  const all = attached + unnamed;
  const remedy =
    'put the database back that belongs to them, or restore a backup; to start all the same, move that folder away, or ' +
    'move these attachments to its trash with --trash-unnamed-attachments';
  if (isNewDatabase && unnamed > 0) {
    throw new StartError(`the database is new, but ${folder} holds ${unnamed} attachments; ${remedy}`);
  }
  if (unnamed > fewFiles && 2 * unnamed > all) {
    throw new StartError(
      `the database names only ${attached} of the ${all} attachments in ${folder}, so it is probably not theirs; ${remedy}`,
    );
  }
}

/** The oldest, as far as the bounds go. */
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

/** What is in the trash is not overwritten, either. */
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
