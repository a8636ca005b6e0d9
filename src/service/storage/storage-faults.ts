import { errorCode } from '../../runtime/failure.ts';
import { StorageBusyError, StorageError, StorageFullError, type StorageReason } from './storage-error.ts';

/** What the errors of the operating system mean for a storage (errno(3)). */
const reasons: Readonly<Record<string, StorageReason>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  // The limit that the operator sets on the size of files (RLIMIT_FSIZE).
  EFBIG: 'full',
  EROFS: 'read-only',
  EACCES: 'inaccessible',
  EPERM: 'inaccessible',
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ESTALE: 'missing',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  EIO: 'failing',
  ENXIO: 'failing',
  ENODEV: 'failing',
};

/** What the storage cannot do, in words without a path: they may reach a client. */
const messages: Readonly<Record<StorageReason, string>> = {
  full: 'the disk is full',
  busy: 'the database is held by another process',
  'read-only': 'the storage is read-only',
  inaccessible: 'the service may not use its files',
  missing: 'a folder or file of the storage is gone',
  exhausted: 'too many files are open',
  failing: 'the disk reports an error',
  damaged: 'the storage is damaged',
};

/** An error of the storage, for a reason. */
export function storageError(reason: StorageReason, cause?: unknown): StorageError {
  if (reason === 'full') return new StorageFullError(messages.full, { cause });
  if (reason === 'busy') return new StorageBusyError(messages.busy, { cause });
  return new StorageError(reason, messages[reason], { cause });
}

/** A failed file operation as an error of the storage; anything else as it is. */
export function translateFileError(error: unknown): unknown {
  const reason = reasons[errorCode(error) ?? ''];
  return reason === undefined ? error : storageError(reason, error);
}

/**
 * Runs a file operation.
 *
 * @throws StorageError if the file system refuses it.
 */
export async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translateFileError(error);
  }
}
