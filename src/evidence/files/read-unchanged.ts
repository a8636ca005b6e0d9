import { closeSync, fstatSync, openSync, read, readSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { UserError } from '../../runtime/failure.ts';
import { wrapReadErrors, unreadableError, sizeUnknown } from './file-problems.ts';

const readAt = promisify(read);

/** The most that is read at once, in bytes. */
export const chunkBytes = 64 * 1024;

/**
 * The content of a file, in chunks of at most 64 KiB, provided that it has the size it was found with and stays as it is
 * until the last byte; what is written before and after a change would be evidence of nothing. The last chunk comes only
 * when all is well, so that no reader ever holds a whole file that is not one.
 *
 * @param buffer gives the room for each chunk, 64 KiB; by default a new one. Who gives the same again must be done with a chunk
 * before asking for the next.
 * @throws UserError if the file cannot be read, or has changed.
 */
export async function* readUnchanged(
  path: string,
  size: number,
  buffer: () => Buffer = () => Buffer.allocUnsafe(Math.min(chunkBytes, size)),
): AsyncGenerator<Buffer, void, undefined> {
  const file = wrapReadErrors(path, () => openSync(path, 'r'));
  try {
    const state = requireSize(file, path, size);
    for (let done = 0; done < size;) {
      const chunk = buffer();
      const length = await readSome(file, chunk, done, size).catch((thrown: unknown) => {
        throw unreadableError(path, thrown);
      });
      done += length;
      if (length === 0 || (done === size && !isUnchanged(file, state))) throw createIncompleteError(file, path, state);
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * The whole content of a file that fits the buffer, under the same conditions.
 *
 * @throws UserError if the file cannot be read, or has changed.
 */
export function readAllUnchanged(path: string, size: number, buffer: Buffer): Buffer {
  const file = wrapReadErrors(path, () => openSync(path, 'r'));
  try {
    const state = requireSize(file, path, size);
    for (let done = 0; done < size;) {
      const length = wrapReadErrors(path, () => readSync(file, buffer, done, size - done, done));
      if (length === 0) throw createIncompleteError(file, path, state);
      done += length;
    }
    if (!isUnchanged(file, state)) throw createChangedError(path);
    return buffer.subarray(0, size);
  } finally {
    closeSync(file);
  }
}

type FileState = Pick<Stats, 'size' | 'mtimeMs'>;

function requireSize(file: number, path: string, size: number): FileState {
  const state = fstatSync(file);
  if (state.size !== size) throw createChangedError(path);
  return state;
}

function isUnchanged(file: number, { size, mtimeMs }: FileState): boolean {
  const now = fstatSync(file);
  return now.size === size && now.mtimeMs === mtimeMs;
}

/** A file that ends early and has not changed never had the size that the system gives. */
function createIncompleteError(file: number, path: string, state: FileState): UserError {
  return isUnchanged(file, state) ? new UserError(sizeUnknown(path)) : createChangedError(path);
}

/**
 * A small file is read at once: that takes microseconds, less than handing the work to a thread and back. While a thread
 * reads a large one, there is time to sweep up the chunks that are done with.
 */
async function readSome(file: number, chunk: Buffer, position: number, size: number): Promise<number> {
  const wanted = Math.min(chunk.length, size - position);
  if (size <= chunkBytes) return readSync(file, chunk, 0, wanted, position);
  return (await readAt(file, chunk, 0, wanted, position)).bytesRead;
}

function createChangedError(path: string): UserError {
  return new UserError({
    input: 'files',
    what: `${path} changed while it was read`,
    remedy: 'Let whatever writes the file finish before this step, or copy the file and name the copy.',
  });
}
