import type { ArtifactCache } from './artifact-cache.ts';
import type { Judging } from './judging/judging.ts';
import type { TokenVerifier } from '../domain/workflow-identity.ts';
import type { Storage } from '../storage/storage.ts';
import type { Now } from '../../runtime/clock.ts';
import type { RandomBytes } from '../../runtime/random.ts';

/**
 * The dependencies of use cases; each use case declares which of them it needs. A use case takes its dependencies and a
 * command, and returns a result. An expected obstacle is a result, too; only failures are thrown.
 */
export interface UseCaseDependencies {
  readonly storage: Storage;
  readonly now: Now;
  readonly randomBytes: RandomBytes;
  readonly judging: Judging;
  readonly artifactCache: ArtifactCache;
  readonly tokens: TokenVerifier;
}
