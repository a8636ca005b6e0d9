import { translateError } from './database.ts';

/**
 * Reads are short and the connection belongs to this thread, so they happen at once; what they throw rejects.
 *
 * @throws StorageError if the database cannot be read.
 */
export async function answer<Result>(read: () => Result): Promise<Result> {
  let result: Result;
  try {
    result = read();
  } catch (error) {
    throw translateError(error);
  }
  return Promise.resolve(result);
}

/** The value converted, where there is one. */
export function optional<From, To>(value: From | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined ? undefined : convert(value);
}
