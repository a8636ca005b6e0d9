import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeArchive, type ArchiveLimit } from './archive.ts';
import type { MatchedFile } from './resolve.ts';

/** An archive that was put aside until it is sent. */
export interface ArchiveAside {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Removes it. */
  readonly dispose: () => Promise<void>;
}

/**
 * Makes an archive of files in a folder of its own.
 *
 * @param temporary the folder in which that folder is made; made itself when missing
 * @throws as `writeArchive`; nothing is left behind then
 */
export async function putArchiveAside(
  files: readonly MatchedFile[],
  temporary: string,
  limit: ArchiveLimit,
  signal: AbortSignal | undefined,
): Promise<ArchiveAside> {
  await mkdir(temporary, { recursive: true });
  const directory = await mkdtemp(join(temporary, 'evidence-'));
  const dispose = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const path = join(directory, 'evidence.tgz');
  try {
    return { path, size: await writeArchive(files, path, limit, signal), dispose };
  } catch (thrown) {
    await dispose();
    throw thrown;
  }
}
