import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A temporary directory for a test. Paths are relative to it, with forward slashes. */
export interface FileTree {
  /** The absolute path, with symbolic links resolved. */
  readonly root: string;
  /** The absolute path of an entry. */
  readonly at: (...way: readonly string[]) => string;
  /** Writes files and their directories. A name that ends with a slash is an empty directory. */
  readonly write: (files: Readonly<Record<string, string | Uint8Array>>) => void;
  /** Creates a symbolic link with exactly this target. */
  readonly link: (path: string, target: string) => void;
}

/** Runs a test in a temporary directory with these files, and removes it afterwards. */
export async function withFileTree<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (tree: FileTree) => Result | Promise<Result>,
): Promise<Result> {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'file-tree-')));
  const at: FileTree['at'] = (...way) => join(root, ...way);
  const tree: FileTree = {
    root,
    at,
    write(added) {
      for (const [path, content] of Object.entries(added)) {
        mkdirSync(path.endsWith('/') ? at(path) : dirname(at(path)), { recursive: true });
        if (!path.endsWith('/')) writeFileSync(at(path), content);
      }
    },
    link(path, target) {
      mkdirSync(dirname(at(path)), { recursive: true });
      symlinkSync(target, at(path));
    },
  };
  try {
    tree.write(files);
    return await use(tree);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
