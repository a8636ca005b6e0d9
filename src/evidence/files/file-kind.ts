import { type Dirent, lstatSync, statSync } from 'node:fs';

/** What a path refers to after symbolic links are followed. */
export type FileKind =
  | 'file'
  | 'directory'
  /** A socket, a pipe or a device. */
  | 'other'
  /** A symbolic link to something that does not exist, or to itself. */
  | 'broken';

/** The kind and the size in bytes of what a path refers to; undefined if nothing is there or it may not be read. */
export function inspectPath(path: string): { readonly kind: FileKind; readonly size: number } | undefined {
  try {
    const stats = statSync(path);
    return { kind: toFileKind(stats), size: stats.size };
  } catch {
    return isLink(path) ? { kind: 'broken', size: 0 } : undefined;
  }
}

/** The kind of a directory entry. Accesses the file system only for symbolic links. */
export function inspectEntry(entry: Dirent, path: string): FileKind {
  return entry.isSymbolicLink() ? (inspectPath(path)?.kind ?? 'broken') : toFileKind(entry);
}

function toFileKind(found: { isFile(): boolean; isDirectory(): boolean }): FileKind {
  if (found.isFile()) return 'file';
  return found.isDirectory() ? 'directory' : 'other';
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
