import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file system in memory that Linux has for shared memory. */
const ramDisk = '/dev/shm';

/** How much space the temporary files of all tests may need, in bytes. Containers often have only 64 MiB in memory. */
const neededBytes = 1024 ** 3;

/**
 * Lets the tests keep their temporary files in memory if there is space: they sync thousands of small databases, which
 * takes long on a disk. The variable TMPDIR still names another folder.
 */
export function useRamDisk(environment: NodeJS.ProcessEnv = process.env): void {
  const chosen = environment['TMPDIR'] ?? '';
  if (chosen === '' && isUsableFolder(ramDisk, neededBytes)) environment['TMPDIR'] = ramDisk;
}

/** Whether a folder has that much space, and programs in it can be run. */
export function isUsableFolder(path: string, bytes: number): boolean {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(path);
    if (bavail * bsize < bytes) return false;
    folder = mkdtempSync(join(path, 'compliance-action-'));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    return spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}
