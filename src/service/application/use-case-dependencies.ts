import type { ArtifactCache } from './artifact-cache.ts';
import type { Judging } from './judging/judging.ts';
import type { Storage } from '../storage/storage.ts';
import type { Now } from '../../runtime/clock.ts';
import type { RandomBytes } from '../../runtime/random.ts';

/**
 * What use cases work with; each names what it needs of it. A use case takes its dependencies and a command, and returns
 * what came of it; what is not possible is a result as well, and only failures are thrown.
 */
export interface UseCaseDependencies {
  readonly storage: Storage;
  readonly now: Now;
  readonly randomBytes: RandomBytes;
  readonly judging: Judging;
  /** Artifacts that were looked up before. */
  readonly artifactCache: ArtifactCache;
}
