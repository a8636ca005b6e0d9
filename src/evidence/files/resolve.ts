import { archiveName, uniqueNames } from './archive-name.ts';
import { select, type FileSelection } from './selection.ts';

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
 * @throws MistakeError naming every line that stands for nothing, every broken link and everything unreadable.
 */
export async function resolveFiles(selection: FileSelection): Promise<readonly MatchedFile[]> {
  const found = [...(await select(selection, 'content'))];
  const names = uniqueNames(found.map(([path]) => archiveName(path, selection.workspace)));
  return found.map(([path, size], at) => ({ path, name: names[at] ?? path, size }));
}
