import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../runtime/failure.ts';

/** Only the user that the service runs as may read and write what it keeps. */
export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/**
 * Makes a folder, and those that it is in, so that they outlive a loss of power: a new name is only safe once its parent is
 * on the disk. (Node's own recursion does not end in a folder that takes no folders, such as `/proc`.)
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
  await mkdir(path, { mode: privateFolderMode });
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

/** Windows cannot open a folder to sync it; its file system journals renames by itself. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
