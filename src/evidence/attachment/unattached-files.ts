import { createHash } from 'node:crypto';
import { wrapReadErrors } from '../files/file-problems.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { FileDigester } from '../fingerprint/file-digest.ts';

interface UnattachedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Lowercase hex digits. */
  readonly sha256: string;
}

/** Files that were too large to be attached, with digests that prove their identity later. */
export interface UnattachedFiles {
  readonly count: number;
  /** All files together, in bytes. */
  readonly size: number;
  /** The digest of the list that `sha256sum` prints for the files, in the order of their names. */
  readonly sha256: string;
  /** The first files in the order of their names. */
  readonly files: readonly UnattachedFile[];
}

/** The maximum number of files whose own digest is recorded: `user_data` must fit into the request. */
const maximumListed = 500;

/**
 * Computes the digests of files.
 *
 * @throws UserError if a file cannot be read; the signal's reason if it is aborted
 */
export async function digestUnattachedFiles(
  files: readonly MatchedFile[],
  signal: AbortSignal | undefined,
): Promise<UnattachedFiles> {
  const digester = new FileDigester();
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const described: UnattachedFile[] = [];
  for (const { name, path, size } of sorted) {
    signal?.throwIfAborted();
    described.push({ name, size, sha256: await wrapReadErrors(path, () => digester.digest(path, signal)) });
  }
  const list = createHash('sha256');
  for (const { name, sha256 } of described) list.update(`${sha256}  ${name}\n`);
  return {
    count: files.length,
    size: files.reduce((sum, file) => sum + file.size, 0),
    sha256: list.digest('hex'),
    files: described.slice(0, maximumListed),
  };
}
