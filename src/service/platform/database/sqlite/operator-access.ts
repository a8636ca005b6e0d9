import { statSync } from 'node:fs';
import { join } from 'node:path';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import type { AttachmentStore } from '../../attachments/attachments.ts';
import { AttachmentFolder } from '../../attachments/files/attachment-folder.ts';
import { attachmentsFolder, databaseFile } from '../../attachments/files/data-folder.ts';
import { toStartError } from '../start-error.ts';
import type { Storage, StorageDependencies } from '../storage.ts';
import { StorageError } from '../storage-error.ts';
import { storageError } from '../storage-faults.ts';
import { isNewDatabase, openReadOnly, translateError } from './database.ts';
import { lockFolder } from './folder-lock.ts';
import { schemaVersion } from './migrations.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { markStopped, requireLog } from './unclean-stop.ts';

export interface OperatorAccess {
  /** Whether the tables of an earlier version may be migrated if no service is running. Default: no. */
  readonly mayMigrate?: boolean;
}

/**
 * Opens the storage of a data folder for an operator's command, also while a service is running on it.
 *
 * @throws Error if there is no database or it has no tables, or they have a different version that must not be changed.
 */
export async function withOperatorFolder<Result>(
  folder: string,
  sources: Pick<StorageDependencies, 'now' | 'randomBytes'>,
  work: (storage: Storage, openAttachments: () => Promise<AttachmentStore>) => Promise<Result>,
  { mayMigrate = false }: OperatorAccess = {},
): Promise<Result> {
  const path = join(folder, databaseFile);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw noDatabase(folder);
  const release = lockUnlessServed(folder);
  try {
    const isServed = release === undefined;
    if (!isServed) requireLog(folder);
    requireTables(folder, path);
    if (isServed || !mayMigrate) requireSameVersion(path, { isServed });
    const storage = new SqliteStorage(folder, sources);
    try {
      if (!storage.isWritable) throw toStartError(storageError('full'), path);
      return await work(storage, () => AttachmentFolder.open(join(folder, attachmentsFolder), sources.randomBytes));
    } catch (error) {
      // The path of the system's error is that of an attachment.
      throw toStartError(error, textAt(error, 'cause', 'path') ?? path);
    } finally {
      // Closing the last connection removes the log, whose writes are in the database then.
      if (!isServed) await markStopped(folder);
      await storage.close();
    }
  } finally {
    release?.();
  }
}

/** Tables that a command created would hide from the next start that the database does not belong to the attachments. */
function requireTables(folder: string, path: string): void {
  if (findVersion(path) === 0 && isNewDatabase(folder)) throw noDatabase(folder);
}

function noDatabase(folder: string): Error {
  return new Error(`there is no database in ${folder}; name the data folder of the service with --data`);
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

/** After a migration, the version of the service that uses the folder could not go on, or not start any more. */
function requireSameVersion(path: string, { isServed }: { readonly isServed: boolean }): void {
  const version = findVersion(path);
  if (version === undefined || version === schemaVersion) return;
  if (isServed) {
    throw new Error(
      `the running service uses version ${version} of the tables in ${path}, and this command version ${schemaVersion}; ` +
        'run the command of the version that is running, or stop the service first',
    );
  }
  // Opening refuses a later version, and the database of another program.
  if (version > schemaVersion || version === 0) return;
  throw new Error(
    `the database ${path} has version ${version}, and this command version ${schemaVersion}; ` +
      'run the command of the version that uses the folder, or start this version of the service with it first',
  );
}

/** The version of the tables; undefined if it cannot be read, because what opens the database reports why. */
function findVersion(path: string): number | undefined {
  try {
    using database = openReadOnly(path);
    return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  } catch {
    return undefined;
  }
}
