import { isAbsolute, parse, relative, sep } from 'node:path';

/** Stands for one `..` in the name of a file above the workspace. */
const parentMark = '__parent__';

/** Stands for the root of the file system in the name of a file that shares nothing but the root with the workspace. */
const rootMark = '__root__';

/**
 * The name of a file inside an archive: its path from the workspace, with forward slashes. A file outside keeps its place
 * too, spelled so that unpacking stays inside the directory it is done in: `../x` is `__parent__/x`, and what shares only the
 * root with the workspace (`/tmp/x`, another drive) is `__root__/tmp/x`.
 */
export function archiveName(path: string, workspace: string): string {
  const inside = workspace.endsWith(sep) ? workspace : workspace + sep;
  // The answer of `relative` without its garbage, since there can be thousands of files.
  const relativePath = path.startsWith(inside) ? path.slice(inside.length) : relative(workspace, path);
  const parts = relativePath.split(sep);
  const parentCount = parts.filter((part) => part === '..').length;
  const outside = isAbsolute(relativePath) || (parentCount > 0 && parentCount >= directoryDepth(workspace));
  const names = outside ? [rootMark, ...splitFromRoot(path)] : parts.map((part) => (part === '..' ? parentMark : part));
  // A backslash is a character of a name here, and a separator to whoever unpacks on Windows.
  return names.map((name) => name.replaceAll('\\', '_')).join('/');
}

/** The same names, each with as many underscores before it as it takes to be the only one of its kind. */
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
