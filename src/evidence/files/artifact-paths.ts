import { relative, sep } from 'node:path';
import { select, type FileSelection } from './selection.ts';

/** A file or directory that is an artifact. */
export interface ArtifactPath {
  /** The absolute path. */
  readonly path: string;
  /** The path from the workspace, with forward slashes, for people. */
  readonly name: string;
}

/**
 * The artifacts that the lines stand for, in the order of `select`. A directory that a line names (`dist`, `build/*`) is one
 * artifact; `dist/**` means each file in it.
 *
 * @throws UserError naming every line that stands for nothing, every broken link and everything unreadable.
 */
export async function resolveArtifactPaths(selection: FileSelection): Promise<readonly ArtifactPath[]> {
  const found = await select(selection, 'whole');
  return [...found.keys()].map((path) => {
    const way = relative(selection.workspace, path).replaceAll(sep, '/');
    return { path, name: way === '' ? '.' : way };
  });
}
