import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { itWithPosixFiles } from './platform.ts';
import { itWithSmallDisk, mountSmallDisk } from './small-disk.ts';
import { workspaceForEachTest } from './temporary-workspace.ts';
import { isUsableFolder, useRamDisk } from './use-ram-disk.ts';

describe('a folder for the temporary files of tests', () => {
  const workspace = workspaceForEachTest();

  itWithPosixFiles('is usable if it has the space, and stays empty', async () => {
    expect(isUsableFolder(workspace.path, 1)).toBe(true);
    expect(await readdir(workspace.path)).toEqual([]);
  });

  it('is not usable without the space, or if it does not exist', () => {
    expect(isUsableFolder(workspace.path, Number.MAX_VALUE)).toBe(false);
    expect(isUsableFolder(join(workspace.path, 'missing'), 1)).toBe(false);
  });

  itWithSmallDisk('is not usable if no programs run in it', () => {
    const disk = mountSmallDisk(64 * 1024);
    try {
      execFileSync('mount', ['-o', 'remount,noexec', disk?.path ?? '']);
      expect(isUsableFolder(disk?.path ?? '', 1)).toBe(false);
    } finally {
      disk?.remove();
    }
  });

  it('is the one that TMPDIR names', () => {
    const environment = { TMPDIR: workspace.path };
    useRamDisk(environment);
    expect(environment).toEqual({ TMPDIR: workspace.path });
  });
});
