import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ReportedInstance } from '../../contract/environment-report.ts';
import { UserError } from '../../runtime/failure.ts';
import { wrapReadErrors } from '../files/file-problems.ts';
import { type ArtifactPath, resolveArtifactPaths } from '../files/resolve-files.ts';
import type { FileSelection } from '../files/select-files.ts';
import { computeFingerprint } from '../fingerprint/fingerprint.ts';

/**
 * Computes the fingerprints of what runs on a server: each file or folder is one artifact, with its own time of change.
 *
 * @throws UserError if nothing matches or something cannot be read; the signal's reason if it is aborted
 */
export async function readServerFiles(
  selection: FileSelection,
  signal?: AbortSignal,
): Promise<readonly ReportedInstance[]> {
  const artifacts: ReportedInstance[] = [];
  for (const { path, name } of await resolveArtifactPaths(selection)) {
    // What is outside the workspace is known by its whole path.
    const named = name.startsWith('../') ? path : name;
    artifacts.push(await toArtifact(named, path, changeTime(path), signal));
  }
  return artifacts;
}

/**
 * Computes the fingerprints of copies of buckets: each folder is one bucket, with the latest time of change of its files.
 * A bucket with a single object is that file, as for the public client.
 *
 * @throws UserError as above, and if a folder has no files
 */
export async function readBuckets(
  selection: FileSelection,
  signal?: AbortSignal,
): Promise<readonly ReportedInstance[]> {
  const artifacts: ReportedInstance[] = [];
  for (const { path, name } of await resolveArtifactPaths(selection)) {
    const files = statSync(path).isDirectory() ? listFiles(path) : [path];
    const [first, ...others] = files;
    if (first === undefined) throw createEmptyError({ path, name });
    const stored = others.length === 0 ? first : path;
    // A loop, because a bucket can have more files than a call can have arguments.
    let changedAt = 0;
    for (const file of files) changedAt = Math.max(changedAt, changeTime(file));
    artifacts.push(await toArtifact(basename(stored), stored, changedAt, signal));
  }
  return artifacts;
}

async function toArtifact(
  name: string,
  path: string,
  creationTimestamp: number,
  signal: AbortSignal | undefined,
): Promise<ReportedInstance> {
  return { digests: { [name]: await computeFingerprint(path, signal) }, creationTimestamp };
}

/** In Unix seconds. */
function changeTime(path: string): number {
  return Math.floor(wrapReadErrors(path, () => statSync(path).mtimeMs) / 1000);
}

function listFiles(folder: string): readonly string[] {
  const entries = wrapReadErrors(folder, () => readdirSync(folder, { withFileTypes: true, recursive: true }));
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

function createEmptyError({ name }: ArtifactPath): UserError {
  return new UserError({
    input: 'files',
    what: `the folder ${name} has no files`,
    remedy: 'Copy the bucket into it first: `aws s3 sync s3://BUCKET BUCKET`.',
  });
}
