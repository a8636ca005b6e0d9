import { errorCode } from '../../../runtime/failure.ts';
import { StorageError, type StorageReason } from './storage-error.ts';

/** The reasons for error codes of the operating system (errno(3)). */
const reasons: Readonly<Record<string, StorageReason>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  // The file exceeds the size limit that the operator has set (RLIMIT_FSIZE).
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

/** Error messages. They contain no path, because they may be sent to a client. */
const messages: Readonly<Record<StorageReason, string>> = {
  full: 'the disk is full',
  busy: 'the database is held by another process',
  'read-only': 'the storage is read-only',
  inaccessible: 'the service may not use its files',
  missing: 'a file or folder of the storage is missing',
  exhausted: 'too many files are open',
  failing: 'the disk reports an error',
  damaged: 'the storage is damaged',
  unreachable: 'the database or object storage cannot be reached',
  slow: 'the storage did not answer in time',
};

export function storageError(reason: StorageReason, cause?: unknown): StorageError {
  return new StorageError(reason, messages[reason], { cause });
}

/** Whether an error is a storage error because there is no space left, or was caused by one. */
export function isFull(error: unknown): boolean {
  const fault = translateFileError(error);
  if (fault instanceof StorageError) return fault.reason === 'full';
  return error instanceof Error && error.cause !== undefined && isFull(error.cause);
}

/** Converts the error of a file operation to a storage error. Returns other errors unchanged. */
export function translateFileError(error: unknown): unknown {
  const reason = reasons[errorCode(error) ?? ''];
  return reason === undefined ? error : storageError(reason, error);
}

/** @throws StorageError if the file system reports an error. */
export async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translateFileError(error);
  }
}
