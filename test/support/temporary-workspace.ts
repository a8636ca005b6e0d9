import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';

/** A temporary folder for a test. */
export interface Workspace {
  readonly path: string;
  /** Writes a file and its folders, and returns its absolute path. */
  write(path: string, content: string | Uint8Array): Promise<string>;
}

export interface TemporaryWorkspace extends Workspace {
  remove(): Promise<void>;
}

/** Creates an empty folder. The test must remove it. */
export async function temporaryWorkspace(): Promise<TemporaryWorkspace> {
  // The temporary folder can be a link (macOS); without resolving it, paths would have two names.
  const path = await realpath(await mkdtemp(join(tmpdir(), 'workspace-')));
  return {
    path,
    async write(relative, content) {
      const file = join(path, relative);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** An empty folder for each test of a file or a block, which is removed after the test. */
export function workspaceForEachTest(): Workspace {
  // Filled before each test.
  const current = {} as TemporaryWorkspace;
  beforeEach(async () => {
    Object.assign(current, await temporaryWorkspace());
  });
  afterEach(() => current.remove());
  return current;
}
