import { lstatSync, statSync } from 'node:fs';
import type { Dirent } from 'node:fs';

/** What stands at a path, symbolic links followed. */
export type Kind =
  | 'file'
  | 'directory'
  /** A socket, a pipe or a device. */
  | 'other'
  /** A symbolic link to something that is not there, or to itself. */
  | 'broken';

/** What stands at a path, and its size in bytes; undefined when nothing does, or the system does not let us look. */
export function inspectPath(path: string): { readonly kind: Kind; readonly size: number } | undefined {
  try {
    const stats = statSync(path);
    return { kind: kindOf(stats), size: stats.size };
  } catch {
    return isLink(path) ? { kind: 'broken', size: 0 } : undefined;
  }
}

/** What a directory's entry is, asked of the file system only where the listing does not tell. */
export function kindOfEntry(entry: Dirent, path: string): Kind {
  return entry.isSymbolicLink() ? (inspectPath(path)?.kind ?? 'broken') : kindOf(entry);
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }): Kind {
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
