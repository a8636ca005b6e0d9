import path, { type PlatformPath } from 'node:path';

/** Replaces each `..` in the name of a file above the workspace. */
const parentMark = '__parent__';

/** Replaces the root in the name of a file that has nothing but the root in common with the workspace. */
const rootMark = '__root__';

/**
 * The name of a file inside an archive: its path from the workspace, with forward slashes. The name of a file outside
 * the workspace is changed so that it is unpacked inside the target directory: `../x` becomes `__parent__/x`, and a
 * path that has only the root in common with the workspace (`/tmp/x`, another drive) becomes `__root__/tmp/x`.
 *
 * @param platform the rules for paths of the machine
 */
export function archiveName(file: string, workspace: string, platform: PlatformPath = path): string {
  const { sep } = platform;
  const inside = workspace.endsWith(sep) ? workspace : workspace + sep;
  // The same result as `relative`, but without its garbage: there can be thousands of files.
  const relativePath = file.startsWith(inside) ? file.slice(inside.length) : platform.relative(workspace, file);
  const parts = relativePath.split(sep);
  const parentCount = parts.filter((part) => part === '..').length;
  const outside =
    platform.isAbsolute(relativePath) || (parentCount > 0 && parentCount >= splitBelowRoot(workspace, platform).length);
  const names = outside
    ? [rootMark, ...splitFromRoot(file, platform)]
    : parts.map((part) => (part === '..' ? parentMark : part));
  // A backslash is part of the name here, but a separator when the archive is unpacked on Windows.
  return names.map((name) => name.replaceAll('\\', '_')).join('/');
}

/**
 * Makes the names unique by putting underscores in front of repeated ones. Names that differ only in case count as
 * repeated, because one file would replace the other when the archive is unpacked on Windows or macOS.
 */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    while (taken.has(free.toLowerCase())) free = `_${free}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

function splitFromRoot(file: string, platform: PlatformPath): readonly string[] {
  const volume = platform
    .parse(file)
    .root.replaceAll(/[:/\\]/g, ' ')
    .trim()
    .split(/ +/);
  return [...volume, ...splitBelowRoot(file, platform)].filter((part) => part !== '');
}

function splitBelowRoot(file: string, platform: PlatformPath): readonly string[] {
  return file
    .slice(platform.parse(file).root.length)
    .split(platform.sep)
    .filter((part) => part !== '');
}
