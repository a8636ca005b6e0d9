import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of a test. */
export interface TemporaryWorkspace {
  readonly path: string;
  /** Writes a file, with the folders on the way, and gives its whole path. */
  write(path: string, content: string | Uint8Array): Promise<string>;
  remove(): Promise<void>;
}

/** A new, empty folder; the test has to remove it. */
export async function temporaryWorkspace(): Promise<TemporaryWorkspace> {
  // Where the temporary folder is a link (macOS), paths would otherwise have two names.
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
