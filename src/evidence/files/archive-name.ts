import { isAbsolute, parse, relative, sep } from 'node:path';

/** Replaces each `..` in the name of a file above the workspace. */
const parentMark = '__parent__';

/** Replaces the root in the name of a file that has nothing but the root in common with the workspace. */
const rootMark = '__root__';

/**
 * The name of a file inside an archive: its path from the workspace, with forward slashes. The name of a file outside
 * the workspace is changed so that it is unpacked inside the target directory: `../x` becomes `__parent__/x`, and a
 * path that has only the root in common with the workspace (`/tmp/x`, another drive) becomes `__root__/tmp/x`.
 */
export function archiveName(path: string, workspace: string): string {
  const inside = workspace.endsWith(sep) ? workspace : workspace + sep;
  // The same result as `relative`, but without its garbage: there can be thousands of files.
  const relativePath = path.startsWith(inside) ? path.slice(inside.length) : relative(workspace, path);
  const parts = relativePath.split(sep);
  const parentCount = parts.filter((part) => part === '..').length;
  const outside = isAbsolute(relativePath) || (parentCount > 0 && parentCount >= directoryDepth(workspace));
  const names = outside ? [rootMark, ...splitFromRoot(path)] : parts.map((part) => (part === '..' ? parentMark : part));
  // A backslash is part of the name here, but a separator when the archive is unpacked on Windows.
  return names.map((name) => name.replaceAll('\\', '_')).join('/');
}

/** Makes the names unique by putting underscores in front of repeated ones. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    while (taken.has(free)) free = `_${free}`;
    taken.add(free);
    return free;
  });
}

function directoryDepth(directory: string): number {
  return splitBelowRoot(directory).length;
}

function splitFromRoot(path: string): readonly string[] {
  const volume = parse(path)
    .root.replaceAll(/[:/\\]/g, ' ')
    .trim()
    .split(/ +/);
  return [...volume, ...splitBelowRoot(path)].filter((part) => part !== '');
}

function splitBelowRoot(path: string): readonly string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== '');
}
