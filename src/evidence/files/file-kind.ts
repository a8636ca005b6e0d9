import { lstatSync, statSync } from 'node:fs';
import type { Dirent } from 'node:fs';

/** What a path leads to, symbolic links followed. */
export type FileKind =
  | 'file'
  | 'directory'
  /** A socket, a pipe or a device. */
  | 'other'
  /** A symbolic link to something that is not there, or to itself. */
  | 'broken';

/** What a path leads to, with its size in bytes; undefined if there is nothing, or if it may not be read. */
export function inspectPath(path: string): { readonly kind: FileKind; readonly size: number } | undefined {
  try {
    const stats = statSync(path);
    return { kind: toFileKind(stats), size: stats.size };
  } catch {
    return isLink(path) ? { kind: 'broken', size: 0 } : undefined;
  }
}

/** The kind of a directory entry. Asks the file system only about symbolic links. */
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
