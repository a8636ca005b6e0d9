import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Storage } from '../storage.ts';
import { StorageBusyError } from '../storage-error.ts';
import { translateError } from './database.ts';
import { claimFolder } from './folder-lock.ts';
import { schemaVersion } from './migrations.ts';
import { SqliteStorage } from './sqlite-storage.ts';

/**
 * Opens the storage of a data folder for a command of the operator, whether a service runs on it or not.
 *
 * Beside a running service the work may only add keys and members: the service keeps what it has read of rows in memory, but
 * nothing about rows that are not there.
 *
 * @throws Error if there is no database, or if it has another version than this code and a service uses it.
 */
export async function withOperatorStorage<Result>(
  folder: string,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const path = join(folder, 'compliance.sqlite');
  if (!existsSync(path)) {
    throw new Error(`there is no database in ${folder}; name the data folder of the service with --data`);
  }
  const release = claimUnlessServed(folder);
  try {
    if (release === undefined) requireSameVersion(path);
    const storage = new SqliteStorage(folder);
    return await work(storage).finally(() => storage.close());
  } finally {
    release?.();
  }
}

/** Keeps a service from starting meanwhile; undefined if one runs already. */
function claimUnlessServed(folder: string): (() => void) | undefined {
  try {
    return claimFolder(folder);
  } catch (error) {
    const cause = error instanceof Error ? translateError(error.cause) : undefined;
    if (cause instanceof StorageBusyError) return undefined;
    throw error;
  }
}

/** Changing the tables under a running service would break it. */
function requireSameVersion(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  database.close();
  if (version === schemaVersion) return;
  throw new Error(
    `the running service uses version ${version} of the tables in ${path}, and this command version ${schemaVersion}; ` +
      'run the command of the version that is running, or stop the service first',
  );
}
