import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withRunnerFile } from '../../runtime/runner-file.ts';
import { archiveFile, writeArchive, type ArchiveLimit } from './archive.ts';
import type { MatchedFile } from './resolve.ts';

/** An archive that was put aside until it is sent. */
export interface ArchiveAside {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Removes it. */
  readonly dispose: () => void;
}

/**
 * Makes an archive of files in a folder of its own.
 *
 * @param temporary the folder in which that folder is made; made itself when missing
 * @throws RunnerFileError if the folder cannot be made; as `writeArchive`; nothing is left behind then
 */
export async function putArchiveAside(
  files: readonly MatchedFile[],
  temporary: string,
  limit: ArchiveLimit,
  signal: AbortSignal | undefined,
): Promise<ArchiveAside> {
  const directory = withRunnerFile(archiveFile, () => {
    mkdirSync(temporary, { recursive: true });
    return mkdtempSync(join(temporary, 'evidence-'));
  });
  const dispose = (): void => {
    rmSync(directory, { recursive: true, force: true });
  };
  const path = join(directory, 'evidence.tgz');
  try {
    return { path, size: await writeArchive(files, path, limit, signal), dispose };
  } catch (thrown) {
    dispose();
    throw thrown;
  }
}
