import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Claims the data folder for this process, and answers how to give it back. Two services over one folder would sweep each
 * other's uploads away. The claim is a transaction that is never committed, in a file of its own: the operating system
 * ends it with the process, however the process ends, on every platform.
 *
 * @throws Error where another process has the folder.
 */
export function claimFolder(folder: string): () => void {
  const claim = new DatabaseSync(join(folder, 'claim.sqlite'));
  try {
    claim.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    claim.close();
    throw new Error(`the data folder ${folder} is in use by another process; stop it, or choose another folder`, {
      cause: error,
    });
  }
  return () => {
    claim.close();
  };
}
