import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteCodeOf } from '../../domain/thrown.ts';
import { StorageBusyError, StorageFullError } from '../store.ts';
import { migrate } from './migrations.ts';

/** How long a statement waits for another process that holds the file, in milliseconds. */
const busyTimeout = 5000;

/**
 * Opens the database of a data folder and brings its tables up to date. A commit reaches the disk before it returns
 * (`synchronous=FULL` in WAL mode syncs the log at every commit).
 */
export function openDatabase(folder: string): DatabaseSync {
  const database = new DatabaseSync(join(folder, 'compliance.sqlite'), {
    timeout: busyTimeout,
    enableForeignKeyConstraints: true,
  });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite's result codes (sqlite.org, Result and Error Codes); the primary code is in the low byte. */
const resultCodes = { busy: 5, locked: 6, full: 13 };

/** The same error, or the store's own where SQLite says that there is no room or that the file is held. */
export function translateError(error: unknown): unknown {
  const code = (sqliteCodeOf(error) ?? 0) & 0xff;
  if (code === resultCodes.full) return new StorageFullError('the disk is full', { cause: error });
  if (code === resultCodes.busy || code === resultCodes.locked) {
    return new StorageBusyError('the database is held by another process', { cause: error });
  }
  return error;
}
