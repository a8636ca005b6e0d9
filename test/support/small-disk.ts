import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from '@jest/globals';

/** A small file system in memory, which a test can fill. */
export interface SmallDisk {
  readonly path: string;
  /** Writes a file that takes all the space that is left. */
  fill(): void;
  /** Makes it read-only, or writable again. */
  remount(mode: 'ro' | 'rw'): void;
  /** Unmounts it. Its content is lost. */
  remove(): void;
}

/** Mounts a disk of this many bytes. Returns undefined if this user or system may not; root on Linux may. */
export function mountSmallDisk(bytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  return {
    path,
    fill: () => {
      try {
        writeFileSync(join(path, 'filling'), Buffer.alloc(2 * bytes));
      } catch {
        // As many bytes as fit were written.
      }
    },
    remount: (mode) => {
      execFileSync('mount', ['-o', `remount,${mode}`, path]);
    },
    remove: () => {
      execFileSync('umount', [path]);
      rmdirSync(path);
    },
  };
}

/** Whether this user can mount a disk here. */
export function canMountDisks(): boolean {
  const disk = mountSmallDisk(64 * 1024);
  disk?.remove();
  return disk !== undefined;
}

/** For tests that need a disk of their own. */
export const itWithSmallDisk = canMountDisks() ? it : it.skip;
