import { translateError } from './database.ts';

/**
 * Reads are short and the connection belongs to this thread, so they happen at once; what they throw rejects.
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
