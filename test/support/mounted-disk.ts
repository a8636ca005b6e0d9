import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, to be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Makes it read-only, or writable again. */
  remount(mode: 'ro' | 'rw'): void;
  remove(): void;
}

/** Mounts a disk of so many bytes in memory. Undefined where this user or system may not. */
export function mountSmallDisk(bytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'compliance-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  return {
    path,
    remount: (mode) => {
      execFileSync('mount', ['-o', `remount,${mode}`, path]);
    },
    remove: () => {
      execFileSync('umount', [path]);
      rmdirSync(path);
    },
  };
}

/** Whether this user may mount a disk here. */
export function canMountDisks(): boolean {
  const disk = mountSmallDisk(64 * 1024);
  disk?.remove();
  return disk !== undefined;
}

/** Sets a limit of a running process (prlimit(1)), such as `fsize` or `nofile`; the hard limit stays. */
export function limitProcess(pid: number | undefined, limit: string, value: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--${limit}=${value}:`]);
}

/** Whether processes can be limited here. */
export function canLimitProcesses(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return process.platform === 'linux';
  } catch {
    return false;
  }
}
