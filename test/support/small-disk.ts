import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from '@jest/globals';

/** A file system of its own that holds 64 KiB. Unmount it. */
export interface SmallDisk {
  readonly path: string;
  /** Leaves no room for one byte more. */
  fill(): void;
  unmount(): void;
}

/** Mounts one; undefined if the user of the tests may not, as only root on Linux may. */
export function mountSmallDisk(): SmallDisk | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]);
  if (mounted.status !== 0) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    fill() {
      try {
        writeFileSync(join(path, 'filling'), Buffer.alloc(128 * 1024));
      } catch {
        // What fits is there.
      }
    },
    unmount() {
      spawnSync('umount', [path]);
      rmSync(path, { recursive: true });
    },
  };
}

/** For tests that need a disk of their own. */
export const itWithSmallDisk = canMount() ? it : it.skip;

function canMount(): boolean {
  const disk = mountSmallDisk();
  disk?.unmount();
  return disk !== undefined;
}
