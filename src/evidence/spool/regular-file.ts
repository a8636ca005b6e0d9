import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { describeError, errorCode } from '../../runtime/failure.ts';

/** A spool is not as it was written, or hostile. The message is the end of a sentence. */
export class Damage extends Error {
  override readonly name = 'Damage';
}

// A named pipe would block, and a link could lead anywhere. Windows has neither flag.
const safeFlags =
  process.platform === 'win32' ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading. Links, folders and devices are refused.
 *
 * @param work gets the open file and its size in bytes
 * @throws Damage
 */
export async function withRegularFile<Result>(
  path: string,
  work: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const file = await open(path, safeFlags).catch((thrown: unknown) => {
    if (errorCode(thrown) === 'ENOENT') throw new Damage(`${name} is missing`);
    if (errorCode(thrown) === 'ELOOP') throw new Damage(`${name} is a symbolic link`);
    throw new Damage(`${name} cannot be read (${describeError(thrown)})`);
  });
  try {
    const state = await file.stat();
    if (!state.isFile()) throw new Damage(`${name} is not a file`);
    return await work(file, state.size);
  } finally {
    await file.close();
  }
}
