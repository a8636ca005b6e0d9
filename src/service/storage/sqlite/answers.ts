import { translateError } from './database.ts';

/**
 * Runs a read synchronously, because reads are short and the connection belongs to this thread. Rejects if it throws.
 *
 * @throws StorageError if the database cannot be read.
 */
export function answer<Result>(read: () => Result): Promise<Result> {
  try {
    return Promise.resolve(read());
  } catch (error) {
    return Promise.resolve().then(() => {
      throw translateError(error);
    });
  }
}
