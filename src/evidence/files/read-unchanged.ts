import { closeSync, fstatSync, openSync, read, readSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { UserError } from '../../runtime/failure.ts';
import { sizeUnknown, unreadableError, wrapReadErrors } from './file-problems.ts';

const readAt = promisify(read);

/** The maximum size of a chunk, in bytes. */
export const chunkBytes = 64 * 1024;

/**
 * Reads a file in chunks of at most 64 KiB, and checks that it has the expected size and does not change until the last
 * byte: a mix of old and new content would be no evidence. The last chunk is yielded only after the check, so that no
 * reader gets a whole file that is inconsistent.
 *
 * @param buffer returns a buffer of 64 KiB for each chunk; a new one by default. If it returns the same buffer again,
 * the reader must be done with a chunk before it requests the next.
 * @throws UserError if the file cannot be read or has changed
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
 * Reads a whole file that fits into the buffer, with the same checks.
 *
 * @throws UserError if the file cannot be read or has changed
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

/** The error for a file that ends early: if it has not changed, the size that the system reported was wrong. */
function createIncompleteError(file: number, path: string, state: FileState): UserError {
  return isUnchanged(file, state) ? new UserError(sizeUnknown(path)) : createChangedError(path);
}

/**
 * Reads a small file synchronously: that takes microseconds, less than a round trip to the thread pool. A large file is
 * read asynchronously, which also gives the garbage collector time to free earlier chunks.
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
