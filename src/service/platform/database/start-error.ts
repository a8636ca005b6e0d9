import { StorageError, type StorageReason } from './storage-error.ts';
import { translateFileError } from './storage-faults.ts';

/** The service cannot start with its data folder; the message names the path and the remedy. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const sentences: Readonly<Record<StorageReason, (path: string) => string>> = {
  full: (path) => `the disk of ${path} is full; make room there and start again`,
  busy: (path) => `${path} is held by another process; stop it and start again`,
  'read-only': (path) => `${path} is read-only; make it writable, or choose another folder with --data`,
  inaccessible: (path) =>
    `the service may not use ${path}; give it to the user that runs the service (chown), or choose another folder with --data`,
  missing: (path) => `${path} does not exist, or a part of its path is not a folder; check --data`,
  exhausted: (path) => `${path} cannot be opened, because too many files are open; raise the limit (ulimit -n)`,
  failing: (path) => `the disk of ${path} reports an error; check the disk, and restore a backup if files are damaged`,
  damaged: (path) =>
    `${path} is damaged, or is not a database of this service; restore a backup, or choose another folder with --data`,
  unreachable: (path) => `${path} cannot be reached; check its address and the network, and start again`,
  slow: (path) => `${path} did not answer in time; see what it waits for, and start again`,
};

/**
 * Converts a file or storage error at start to a `StartError` with the path and the remedy. Returns other errors
 * unchanged.
 */
export function toStartError(error: unknown, path: string): unknown {
  const fault = translateFileError(error);
  if (!(fault instanceof StorageError)) return error;
  return new StartError(sentences[fault.reason](path), { cause: error });
}

/** Runs a step of the start that concerns a path, and converts its errors with `toStartError`. */
export async function atStart<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toStartError(error, path);
  }
}
