import { closeSync, openSync } from 'node:fs';
import { access, chmod, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../runtime/failure.ts';
import { atStart, StartError, toStartError } from '../start-error.ts';
import { contentFolder } from './attachment-layout.ts';
import { makeFolder, privateFileMode, privateFolderMode } from './durable-files.ts';

/** The parts of a data folder. */
export const databaseFile = 'compliance.sqlite';
export const claimFile = 'claim.sqlite';
export const attachmentsFolder = 'attachments';

const dataFolderParts = [databaseFile, claimFile, attachmentsFolder];
const databaseFiles = [databaseFile, claimFile].flatMap((name) =>
  ['', '-wal', '-shm', '-journal'].map((ending) => name + ending),
);
/** What a folder may hold before the service first uses it: the mount point of a disk, and what Node.js keeps there. */
const harmless = ['lost+found', 'compile-cache'];

/**
 * Makes sure that there is a data folder which only this user can use. A folder that others may use is restricted.
 *
 * @param tell hears what was changed
 * @throws StartError if it is not a data folder, or cannot be used by this user alone.
 */
export async function prepareDataFolder(folder: string, tell: (line: string) => void): Promise<void> {
  const entries = await atStart(folder, () => listEntries(folder));
  if (entries === undefined) {
    await atStart(folder, () => makeFolder(folder));
    return;
  }
  requireDataFolder(folder, entries);
  await restrictPermissions(folder, entries, tell);
  await atStart(folder, () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK));
}

/** Undefined if there is no such folder. */
async function listEntries(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether a folder with these entries can become a new data folder. */
export function isUnusedFolder(entries: readonly string[]): boolean {
  return entries.every((name) => harmless.includes(name));
}

/** Narrowing the permissions of somebody else's folder would do harm, and its files are not for a service to guess. */
function requireDataFolder(folder: string, entries: readonly string[]): void {
  if (isUnusedFolder(entries) || dataFolderParts.some((part) => entries.includes(part))) return;
  const foreign = entries.filter((name) => !harmless.includes(name));
  throw new StartError(
    `the folder ${folder} holds other files than a service's data (${foreign.sort().slice(0, 3).join(', ')}); ` +
      'choose an empty folder, or one that does not exist yet, with --data',
  );
}

async function restrictPermissions(
  folder: string,
  entries: readonly string[],
  tell: (line: string) => void,
): Promise<void> {
  // Windows has access control lists, which a new folder takes over from the one it is in.
  if (process.platform === 'win32') return;
  let restricted = await restrictOne(folder, privateFolderMode);
  for (const name of databaseFiles.filter((known) => entries.includes(known))) {
    restricted = (await restrictOne(join(folder, name), privateFileMode)) || restricted;
  }
  const attachments = join(folder, attachmentsFolder);
  if (await isTooPermissive(join(attachments, contentFolder), privateFolderMode))
    await restrictAttachments(attachments);
  if (restricted) tell(`others on this machine could use ${folder}; now only the user that runs the service can`);
}

/**
 * The folder around them keeps others out already; what cannot be restricted stays as it is. The content's own folder comes
 * last and says that this was done, so that later starts do not look at every file again.
 */
async function restrictAttachments(attachments: string): Promise<void> {
  const content = join(attachments, contentFolder);
  const entries = await readdir(attachments, { recursive: true, withFileTypes: true });
  const modes = entries
    .map((entry) => {
      const mode = entry.isDirectory() ? privateFolderMode : entry.isFile() ? privateFileMode : undefined;
      return [join(entry.parentPath, entry.name), mode] as const;
    })
    .filter(([path]) => path !== content);
  for (const [path, mode] of [...modes, [attachments, privateFolderMode], [content, privateFolderMode]] as const) {
    if (mode !== undefined) await chmod(path, mode).catch(() => undefined);
  }
}

/** Whether it had to be restricted. */
async function restrictOne(path: string, mode: number): Promise<boolean> {
  if (!(await isTooPermissive(path, mode))) return false;
  try {
    await chmod(path, mode);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw toStartError(error, path);
    throw new StartError(
      `${path} belongs to another user, and others than the service may use it; ` +
        'give it to the user that runs the service (chown), or choose a folder inside of it with --data',
      { cause: error },
    );
  }
  // A file system without permissions takes the call and changes nothing.
  return !(await isTooPermissive(path, mode));
}

async function isTooPermissive(path: string, mode: number): Promise<boolean> {
  try {
    return ((await stat(path)).mode & 0o777 & ~mode) !== 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw toStartError(error, path);
  }
}

/** Makes a file, empty and for this user alone, if there is none. SQLite gives its other files the same permissions. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', privateFileMode));
}
