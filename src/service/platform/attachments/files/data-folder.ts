import { closeSync, openSync } from 'node:fs';
import { access, chmod, constants, readdir, stat } from 'node:fs/promises';
import { errorCode } from '../../../../runtime/failure.ts';
import { atStart, StartError, toStartError } from '../../database/start-error.ts';
import { makeFolder, privateFileMode, privateFolderMode } from './durable-files.ts';

export const databaseFile = 'compliance.sqlite';
export const lockFile = 'claim.sqlite';
/** Is there while a service runs, and after one was killed. */
export const runningFile = 'running';
export const attachmentsFolder = 'attachments';

const dataFolderParts = [databaseFile, lockFile, attachmentsFolder];
/** Files with new API keys, which the operator has not deleted yet: `api-key-of-ORG.txt`. */
export const apiKeyFileForm = /^api-key-of-.+\.txt$/u;
/** Entries that an unused folder may contain: those of a new file system, and the compile cache of Node.js. */
const ignoredEntries = ['lost+found', 'compile-cache'];

/** Whether an entry says nothing about what the folder is. With a database elsewhere, a folder has no others. */
function isIgnored(name: string): boolean {
  return ignoredEntries.includes(name) || apiKeyFileForm.test(name);
}

/**
 * Ensures that the data folder exists and only this user can access it. Wider permissions of the folder are restricted,
 * so that no other user can open the files in it.
 *
 * @param writeLine receives a log line if permissions were changed
 * @throws StartError if it is not a data folder, or cannot be used by this user alone.
 */
export async function prepareDataFolder(folder: string, writeLine: (line: string) => void): Promise<void> {
  const entries = await atStart(folder, () => listOrCreate(folder));
  requireDataFolder(folder, entries);
  // Windows has access control lists, which a new folder inherits from its parent.
  if (process.platform !== 'win32' && (await restrictPermissions(folder)))
    writeLine(`other users of this machine could access ${folder}; now only the user that runs the service can`);
  await atStart(folder, () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK));
}

/** Lists the entries of the folder, or creates it. */
async function listOrCreate(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makeFolder(folder);
    return [];
  }
}

/** Whether a folder with these entries can become a new data folder. */
export function isUnusedFolder(entries: readonly string[]): boolean {
  return entries.every(isIgnored);
}

/** A folder with other files is refused: restricting the permissions of an unrelated folder would do harm. */
function requireDataFolder(folder: string, entries: readonly string[]): void {
  if (isUnusedFolder(entries) || dataFolderParts.some((part) => entries.includes(part))) return;
  const foreign = entries.filter((name) => !isIgnored(name));
  throw new StartError(
    `the folder ${folder} has files that do not belong to a service (${foreign.sort().slice(0, 3).join(', ')}); ` +
      'choose an empty folder, or one that does not exist yet, with --data',
  );
}

/** Returns whether the permissions were changed. */
async function restrictPermissions(folder: string): Promise<boolean> {
  if (!(await isTooPermissive(folder))) return false;
  try {
    await chmod(folder, privateFolderMode);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw toStartError(error, folder);
    throw new StartError(
      `${folder} belongs to another user, and not only the service can use it; ` +
        'give it to the user that runs the service (chown), or choose a folder inside it with --data',
      { cause: error },
    );
  }
  // A file system without permissions accepts the call and changes nothing.
  return !(await isTooPermissive(folder));
}

async function isTooPermissive(folder: string): Promise<boolean> {
  const { mode } = await atStart(folder, () => stat(folder));
  return (mode & 0o777 & ~privateFolderMode) !== 0;
}

/**
 * Creates an empty file that only this user can access, if there is none. SQLite gives its other files the same
 * permissions.
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', privateFileMode));
}
