import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { claimFile, makePrivateFile } from '../files/data-folder.ts';
import { StartError, toStartError } from '../start-error.ts';
import { StorageBusyError } from '../storage-error.ts';
import { translateError } from './database.ts';

/**
 * Claims the data folder for this process, and answers how to give it back. Two services over one folder would sweep each
 * other's uploads away. The claim is a transaction that is never committed, in a file of its own: the operating system
 * ends it with the process, however the process ends, on every platform.
 *
 * @throws StartError if another process has the folder, or the claim's file cannot be used.
 */
export function claimFolder(folder: string): () => void {
  const path = join(folder, claimFile);
  let claim: DatabaseSync | undefined;
  try {
    makePrivateFile(path);
    claim = new DatabaseSync(path);
    claim.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    claim?.close();
    const fault = translateError(error);
    if (!(fault instanceof StorageBusyError)) throw toStartError(fault, path);
    throw new StartError(`the data folder ${folder} is in use by another process; stop it, or choose another folder`, {
      cause: error,
    });
  }
  const held = claim;
  return () => {
    held.close();
  };
}
