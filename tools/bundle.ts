import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');

/** The folder that a runner downloads with the action. */
export const dist = join(root, 'dist');

/**
 * Bundles the action with everything it contains, and the licences of that, into files by name. Node is given by its own
 * path: what is first on PATH differs between an npm script and a shell.
 */
export async function bundle(): Promise<ReadonlyMap<string, Buffer>> {
  const directory = await mkdtemp(join(tmpdir(), 'compliance-action-build-'));
  try {
    const ncc = join(root, 'node_modules', '@vercel', 'ncc', 'dist', 'ncc', 'cli.js');
    const parameters = [
      'build',
      join('src', 'main.ts'),
      '-o',
      directory,
      '--license',
      'licenses.txt',
      '--no-cache',
      '-q',
    ];
    await promisify(execFile)(process.execPath, [ncc, ...parameters], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
    await mkdir(dist, { recursive: true });
    const names = (await readdir(directory)).sort();
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))] as const)),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}
