import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { valueAt } from '../../../../runtime/untrusted-data.ts';
import { databaseFile, makePrivateFile } from '../../attachments/files/data-folder.ts';
import { StartError, toStartError } from '../start-error.ts';
import type { StorageReason } from '../storage-error.ts';
import { isFull, storageError, translateFileError } from '../storage-faults.ts';
import { migrate, readVersion, schemaVersion } from './migrations.ts';

/** How long a statement waits for another process that has locked the file, in milliseconds. */
export const busyTimeout = 5000;

/**
 * Opens a connection for writing. A commit is on the disk before it returns (`synchronous=FULL` in WAL mode syncs the
 * log at every commit).
 */
export function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeout, enableForeignKeyConstraints: true });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @throws StartError if the file is not a database of this service, or cannot be used. */
export function openDatabase(folder: string): DatabaseSync {
  const path = join(folder, databaseFile);
  let database: DatabaseSync | undefined;
  try {
    requireNoLostLog(path);
    makePrivateFile(path);
    database = connect(path);
    migrate(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw toStartError(translateError(error), path);
  }
}

/** @throws StartError */
export function openReadOnly(path: string): DatabaseSync {
  try {
    requireNoLostLog(path);
    return new DatabaseSync(path, { readOnly: true, timeout: busyTimeout });
  } catch (error) {
    throw toStartError(translateError(error), path);
  }
}

/**
 * Opens a database that nobody changes for reading, without its log and the files that SQLite needs for it: so it can be
 * read on a full disk. It has to have the current tables.
 *
 * @param full the error because of which it cannot be opened as usual
 * @throws the error if the log has records, or the tables have to be migrated
 */
export function openWithoutLog(folder: string, full: unknown): DatabaseSync {
  const path = join(folder, databaseFile);
  if (sizeOf(path) === 0 || sizeOf(`${path}-wal`) > 0) throw full;
  const address = pathToFileURL(path);
  address.searchParams.set('immutable', '1');
  const database = new DatabaseSync(address, { readOnly: true });
  if (readVersion(database, path) === schemaVersion) return database;
  database.close();
  throw full;
}

/** Whether the folder has no database yet, or one without tables. */
export function isNewDatabase(folder: string): boolean {
  const path = join(folder, databaseFile);
  if (sizeOf(path) === 0) return true;
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeout });
    return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  } catch (error) {
    const fault = translateError(error);
    // If it has no tables, it cannot get any now.
    if (isFull(fault)) return false;
    throw toStartError(fault, path);
  }
}

/** If the database is missing or empty, SQLite deletes the log when it opens it, and loses the writes that are only there. */
function requireNoLostLog(path: string): void {
  if (sizeOf(path) > 0 || sizeOf(`${path}-wal`) === 0) return;
  throw new StartError(
    `${path} is missing or empty, but its write-ahead log ${path}-wal holds writes; ` +
      'put the database back beside its log, or move the log away to start with a new database',
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** SQLite's result codes (sqlite.org, Result and Error Codes); the primary code is in the low byte. */
const reasons: ReadonlyMap<number, StorageReason> = new Map([
  [3, 'inaccessible'], // SQLITE_PERM
  [5, 'busy'], // SQLITE_BUSY
  [6, 'busy'], // SQLITE_LOCKED
  [8, 'read-only'], // SQLITE_READONLY
  [10, 'failing'], // SQLITE_IOERR
  [11, 'damaged'], // SQLITE_CORRUPT
  [13, 'full'], // SQLITE_FULL
  [14, 'inaccessible'], // SQLITE_CANTOPEN
  [26, 'damaged'], // SQLITE_NOTADB
]);

/** Extended result codes that say more than their primary codes. */
const extendedReasons: ReadonlyMap<number, StorageReason> = new Map([
  [1032, 'missing'], // SQLITE_READONLY_DBMOVED: the file was moved or removed while it was open
  [4874, 'full'], // SQLITE_IOERR_SHMSIZE: there is no room for the index of the write-ahead log
]);

/** Converts an error of SQLite or the file system to a storage error. Returns other errors unchanged. */
export function translateError(error: unknown): unknown {
  const code = valueAt(error, 'errcode');
  if (typeof code !== 'number') return translateFileError(error);
  const reason = extendedReasons.get(code) ?? reasons.get(code & 0xff);
  return reason === undefined ? error : storageError(reason, error);
}
