import { closeSync, constants, openSync, readSync } from 'node:fs';
import { UserError } from '../../runtime/failure.ts';
import { archiveName, uniqueNames } from './archive-name.ts';
import { select, type FileSelection } from './selection.ts';
import { reading, sizeUnknown } from './unreadable.ts';

/** A file that the user named. */
export interface MatchedFile {
  /** The absolute path. */
  readonly path: string;
  /** The name inside the evidence: forward slashes, no `..`, no leading slash, and no other file's. */
  readonly name: string;
  /** In bytes, when it was found. */
  readonly size: number;
}

/**
 * The files that the lines stand for, in the order of `select`; a directory means the files in it.
 *
 * @throws UserError naming every line that stands for nothing, every broken link and everything unreadable; or the files
 * that are empty by their size and not by their content, which would be recorded as empty.
 */
export async function resolveFiles(selection: FileSelection): Promise<readonly MatchedFile[]> {
  const found = [...(await select(selection, 'content'))];
  const [first, ...rest] = found.flatMap(([path, size]) => (size === 0 && hasContent(path) ? sizeUnknown(path) : []));
  if (first !== undefined) throw new UserError([first, ...rest]);
  const names = uniqueNames(found.map(([path]) => archiveName(path, selection.workspace)));
  return found.map(([path, size], at) => ({ path, name: names[at] ?? path, size }));
}

/** Whether something can be read from a file. Does not wait for what a special file may hold later. */
function hasContent(path: string): boolean {
  return reading(path, () => {
    // Windows has no O_NONBLOCK: undefined adds nothing.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readSync(file, Buffer.alloc(1), 0, 1, null) > 0;
    } finally {
      closeSync(file);
    }
  });
}
