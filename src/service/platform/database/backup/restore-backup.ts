import { copyFile, rename, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../../../../runtime/failure.ts';
import {
  databaseFile,
  isUnusedFolder,
  makePrivateFile,
  prepareDataFolder,
} from '../../attachments/files/data-folder.ts';
import { syncFolder } from '../../attachments/files/durable-files.ts';
import { lockFolder } from '../sqlite/folder-lock.ts';
import { copyAttachments, listEntries, syncFile } from './backup-files.ts';
import { hashFile } from './manifest.ts';
import type { VerifiedBackup } from './verify-backup.ts';

/** @throws Error if the folder is not empty or its disk has too little space. */
export async function requireRestorable({ manifest }: VerifiedBackup, dataFolder: string): Promise<void> {
  if (!isUnusedFolder(await listEntries(dataFolder))) {
    throw new Error(
      `the folder ${dataFolder} is not empty, and a restore overwrites nothing; ` +
        'name one that is empty or does not exist yet with --data',
    );
  }
  const needed = manifest.database.bytes + manifest.attachments.bytes;
  const free = await freeBytes(resolve(dataFolder));
  if (free < needed) {
    throw new Error(`the disk of ${dataFolder} has ${free} bytes free, and the backup needs ${needed}; make room`);
  }
}

/**
 * Restores a backup to an empty data folder. The database is copied last and renamed when it is complete, so that no
 * service starts with the attachments alone.
 *
 * @throws Error if that is not possible.
 */
export async function restoreBackup(backup: VerifiedBackup, dataFolder: string): Promise<void> {
  const { folder, manifest, attachments } = backup;
  await requireRestorable(backup, dataFolder);
  await prepareDataFolder(dataFolder, () => undefined);
  const release = lockFolder(dataFolder);
  try {
    const damaged = await copyAttachments(folder, dataFolder, attachments);
    const path = join(dataFolder, databaseFile);
    const partial = `${path}.partial`;
    makePrivateFile(partial);
    await copyFile(join(folder, databaseFile), partial);
    await syncFile(partial);
    if (damaged.length > 0 || (await hashFile(partial)) !== manifest.database.sha256) {
      throw new Error(`the backup ${folder} changed while it was restored; remove ${dataFolder} and start again`);
    }
    await rename(partial, path);
    await syncFolder(dataFolder);
  } finally {
    release();
  }
}

/** Free space in bytes on the disk of the folder, which need not exist yet. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    return freeBytes(dirname(folder));
  }
}
