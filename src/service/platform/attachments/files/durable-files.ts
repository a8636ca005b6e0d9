import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../../runtime/failure.ts';

/** Only the user that the service runs as may access its files. */
export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/**
 * Creates a folder and its parents so that they survive a power failure: a new entry is durable only after its parent
 * folder was synced. (The `recursive` option of Node.js does not terminate in a folder that accepts no folders, such as
 * `/proc`.)
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  try {
    await makeOne(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: privateFolderMode });
  } catch (error) {
    // Another process has just created it.
    if (errorCode(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
  await syncFolder(dirname(path));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Syncs a folder. Does nothing on Windows, which cannot open folders for syncing; its file system journals renames. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
}
