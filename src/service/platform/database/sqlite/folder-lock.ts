import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockFile, makePrivateFile } from '../../attachments/files/data-folder.ts';
import { StartError, toStartError } from '../start-error.ts';
import { StorageError } from '../storage-error.ts';
import { translateError } from './database.ts';

/**
 * Locks the data folder for this process, and returns a function that unlocks it. Two services on one folder would
 * remove each other's uploads. The lock is an uncommitted transaction in a separate file, because the operating system
 * releases it on every platform, however the process ends.
 *
 * @throws StartError if another process has locked the folder, or the lock file cannot be used.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, lockFile);
  let claim: DatabaseSync | undefined;
  try {
    makePrivateFile(path);
    claim = new DatabaseSync(path);
    // Nothing is written, not even a journal, so that a full disk does not prevent it.
    claim.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    claim?.close();
    const fault = translateError(error);
    if (!(fault instanceof StorageError) || fault.reason !== 'busy') throw toStartError(fault, path);
    throw new StartError(`the data folder ${folder} is in use by another process; stop it, or choose another folder`, {
      cause: error,
    });
  }
  const held = claim;
  return () => {
    held.close();
  };
}
