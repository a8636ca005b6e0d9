import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AttachmentStore } from '../../attachments/attachments.ts';
import { AttachmentFolder } from '../../attachments/files/attachment-folder.ts';
import { attachmentsFolder, databaseFile } from '../../attachments/files/data-folder.ts';
import { atStart, toStartError } from '../start-error.ts';
import type { Storage, StorageDependencies } from '../storage.ts';
import { StorageError } from '../storage-error.ts';
import { storageError } from '../storage-faults.ts';
import { openReadOnly, translateError } from './database.ts';
import { lockFolder } from './folder-lock.ts';
import { schemaVersion } from './migrations.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { markStopped, requireLog } from './unclean-stop.ts';

/**
 * Opens the storage of a data folder for an operator's command, also while a service is running on it.
 *
 * @throws Error if there is no database, or if a running service uses a different schema version.
 */
export async function withOperatorFolder<Result>(
  folder: string,
  sources: Pick<StorageDependencies, 'now' | 'randomBytes'>,
  work: (storage: Storage, openAttachments: () => Promise<AttachmentStore>) => Promise<Result>,
): Promise<Result> {
  const path = join(folder, databaseFile);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new Error(`there is no database in ${folder}; name the data folder of the service with --data`);
  }
  const release = lockUnlessServed(folder);
  try {
    if (release === undefined) requireSameVersion(path);
    else requireLog(folder);
    const storage = new SqliteStorage(folder, sources);
    try {
      if (!storage.isWritable) throw toStartError(storageError('full'), path);
      return await atStart(path, () =>
        work(storage, () => AttachmentFolder.open(join(folder, attachmentsFolder), sources.randomBytes)),
      );
    } finally {
      // Closing the last connection removes the log, whose writes are in the database then.
      if (release !== undefined) await markStopped(folder);
      await storage.close();
    }
  } finally {
    release?.();
  }
}

/** Locks the folder, so that no service can start in the meantime; returns undefined if a service is running. */
function lockUnlessServed(folder: string): (() => void) | undefined {
  try {
    return lockFolder(folder);
  } catch (error) {
    const cause = error instanceof Error ? translateError(error.cause) : undefined;
    if (cause instanceof StorageError && cause.reason === 'busy') return undefined;
    throw error;
  }
}

/** Migrating the tables of a running service would break it. */
function requireSameVersion(path: string): void {
  using database = openReadOnly(path);
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version === schemaVersion) return;
  throw new Error(
    `the running service uses version ${version} of the tables in ${path}, and this command version ${schemaVersion}; ` +
      'run the command of the version that is running, or stop the service first',
  );
}
