/**
 * Why the storage cannot be used, in one word for `/ready` and the log: no room; held by another process; read-only; not
 * permitted; a folder or file is gone; no file handles left; input/output errors; content that is not what was written.
 */
export type StorageReason =
  'full' | 'busy' | 'read-only' | 'inaccessible' | 'missing' | 'exhausted' | 'failing' | 'damaged';

/** The storage cannot do what it was asked for. Nothing of the write remains. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  readonly reason: StorageReason;

  constructor(reason: StorageReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** There is no room left to write. */
export class StorageFullError extends StorageError {
  override readonly name = 'StorageFullError';

  constructor(message: string, options?: ErrorOptions) {
    super('full', message, options);
  }
}

/** Another process holds the storage. */
export class StorageBusyError extends StorageError {
  override readonly name = 'StorageBusyError';

  constructor(message: string, options?: ErrorOptions) {
    super('busy', message, options);
  }
}
