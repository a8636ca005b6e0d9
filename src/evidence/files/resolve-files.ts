import { closeSync, constants, openSync, readSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { UserError } from '../../runtime/failure.ts';
import { archiveName, uniqueNames } from './archive-name.ts';
import { requireOwnFile } from './attachment-rules.ts';
import { forInput, sizeUnknown, wrapReadErrors } from './file-problems.ts';
import { type FileSelection, selectPaths } from './select-files.ts';

/** A file that the input `files` matches. */
export interface MatchedFile {
  readonly path: string;
  /** The unique name in the evidence: with forward slashes, without `..` and without a leading slash. */
  readonly name: string;
  /** In bytes, at the time when the file was found. */
  readonly size: number;
}

/**
 * The files that the lines match, in the order of `selectPaths`; a directory stands for the files in it.
 *
 * @throws UserError that names every line without a match, every broken link and every unreadable path; or every file
 * whose reported size is 0 although it has content, because it would be recorded as empty
 */
export async function resolveFiles(selection: FileSelection): Promise<readonly MatchedFile[]> {
  const found = [...(await selectPaths(selection, 'content'))];
  const [first, ...rest] = found.flatMap(([path, size]) => (size === 0 && hasContent(path) ? sizeUnknown(path) : []));
  if (first !== undefined) throw new UserError([first, ...rest]);
  const names = uniqueNames(found.map(([path]) => archiveName(path, selection.workspace)));
  return found.map(([path, size], at) => ({ path, name: names[at] ?? path, size }));
}

/** Whether a file has content. Does not wait for data that a special file may provide later. */
function hasContent(path: string): boolean {
  return wrapReadErrors(path, () => {
    // Windows has no O_NONBLOCK: undefined adds nothing.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readSync(file, Buffer.alloc(1), 0, 1, null) > 0;
    } finally {
      closeSync(file);
    }
  });
}

/** The maximum number of files that an error message lists. */
const maximumListed = 10;

/**
 * Finds the single file that the lines match.
 *
 * @param purpose what the file contains, for error messages: `the policy`
 * @param input the input with the lines
 * @throws UserError if they match no file, or more than one
 */
export async function resolveOnlyFile(
  patterns: readonly string[],
  workspace: string,
  purpose: string,
  input = 'files',
): Promise<MatchedFile> {
  const found = await forInput(input, () => resolveFiles({ patterns, workspace }));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) {
    requireOwnFile(input, only.path, workspace);
    return only;
  }
  const listed = found.slice(0, maximumListed).map(({ name }) => `\n  ${name}`);
  const rest = found.length > maximumListed ? `\n  and ${found.length - maximumListed} more` : '';
  throw new UserError({
    input,
    what: `\`${input}\` must name exactly one file, ${purpose}, but matches ${found.length}:${listed.join('')}${rest}`,
    remedy: 'Name the one file by its path.',
  });
}

/** A file or directory that is an artifact. */
export interface ArtifactPath {
  readonly path: string;
  /** The path from the workspace, with forward slashes, for people. */
  readonly name: string;
}

/**
 * The artifacts that the lines match, in the order of `selectPaths`. A directory that a line matches (`dist`,
 * `build/*`) is one artifact; with `dist/**`, each file in it is one.
 *
 * @throws UserError that names every line without a match, every broken link and every unreadable path
 */
export async function resolveArtifactPaths(selection: FileSelection): Promise<readonly ArtifactPath[]> {
  const found = await selectPaths(selection, 'whole');
  return [...found.keys()].map((path) => {
    const relativePath = relative(selection.workspace, path).replaceAll(sep, '/');
    return { path, name: relativePath === '' ? '.' : relativePath };
  });
}
