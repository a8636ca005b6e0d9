import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RandomBytes } from '../../../../runtime/random.ts';
import { privateFileMode } from '../files/durable-files.ts';

export interface TemporaryFolder {
  readonly folder: string;
  readonly randomBytes: RandomBytes;
}

/**
 * Opens a new file for writing and reading, and removes its name at once: the content is gone when the file is closed
 * or the process ends. Errors are those of the file system.
 */
export async function openTemporaryFile({ folder, randomBytes }: TemporaryFolder): Promise<FileHandle> {
  const path = join(folder, `compliance-upload-${randomBytes(16).toString('hex')}`);
  const file = await open(path, 'wx+', privateFileMode);
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}
