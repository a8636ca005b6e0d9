import { type Stats, statSync } from 'node:fs';
import { storageError } from '../storage-faults.ts';

/**
 * Returns a function that checks that the files of an open database are still there, and throws a StorageError if not.
 * Without the check, SQLite goes on writing to files whose folder was removed or unmounted; such writes succeed and are
 * lost when the process ends.
 */
export function createFileCheck(paths: readonly string[]): () => void {
  const known = paths.flatMap((path) => {
    const stats = findStats(path);
    return stats === undefined ? [] : [{ path, stats }];
  });
  return () => {
    for (const { path, stats } of known) {
      const now = findStats(path);
      if (now?.ino !== stats.ino || now.dev !== stats.dev) throw storageError('missing', new Error(`${path} is gone`));
    }
  };
}

function findStats(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
