/**
 * Why the storage cannot be used, as one word for `/ready` and the log. In this order: no space left; locked by another
 * process; read-only; no permission; folder or file missing; no file handles left; input/output error; content altered;
 * database or object storage not reached; no answer of the database in time, although it is reached.
 */
export type StorageReason =
  | 'full'
  | 'busy'
  | 'read-only'
  | 'inaccessible'
  | 'missing'
  | 'exhausted'
  | 'failing'
  | 'damaged'
  | 'unreachable'
  | 'slow';

/** A storage operation failed. A failed write has no effect. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  readonly reason: StorageReason;

  constructor(reason: StorageReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A commit was not confirmed, and it could not be found out whether the write has an effect. */
export class UncertainWriteError extends StorageError {
  override readonly name = 'UncertainWriteError';

  constructor(options?: ErrorOptions) {
    super('unreachable', 'the database has not confirmed what it was to record', options);
  }
}
