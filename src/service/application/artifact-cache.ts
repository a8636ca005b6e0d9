import type { ArtifactDetails } from '../domain/records.ts';
import type { ArtifactSources } from '../storage/artifacts.ts';
import { VersionedCache } from '../storage/versioned-cache.ts';

/** An artifact as it was found, with all that it was read from. */
export interface CachedArtifact {
  readonly details: ArtifactDetails;
  readonly sources: ArtifactSources;
}

/**
 * Artifacts as they were found, for those who look the same one up again and again: gates that wait, and deployments of one
 * artifact to many places.
 */
export type ArtifactCache = VersionedCache<CachedArtifact>;

/** How many characters the kept artifacts may have as JSON; in memory they take several times as many bytes. */
const maximumWeight = 8 * 1024 * 1024;

/** Creates an empty cache. */
export function createArtifactCache(): ArtifactCache {
  return new VersionedCache({ maximumWeight });
}
