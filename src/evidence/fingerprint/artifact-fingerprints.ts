import { resolveArtifactPaths } from '../files/artifact-paths.ts';
import { fingerprintOf } from './fingerprint.ts';

/** An artifact in the workspace. */
export interface FingerprintedArtifact {
  /** Its path from the workspace. */
  readonly name: string;
  readonly fingerprint: string;
}

/**
 * The fingerprints of the files and directories that paths and globs name, in order. One after the other: hashing keeps a
 * core busy, so that doing several at once would gain nothing and take memory.
 *
 * @throws UserError where nothing is named or something cannot be read; the signal's reason where that is aborted
 */
export async function* artifactFingerprints(request: {
  readonly patterns: readonly string[];
  readonly workspace: string;
  readonly signal?: AbortSignal | undefined;
}): AsyncGenerator<FingerprintedArtifact, void, undefined> {
  for (const { path, name } of await resolveArtifactPaths(request)) {
    yield { name, fingerprint: await fingerprintOf(path, request.signal) };
  }
}
