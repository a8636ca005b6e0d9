import type { ArtifactDetails } from '../domain/records.ts';
import type { ArtifactSources } from '../storage/artifacts.ts';
import { VersionedCache } from '../storage/versioned-cache.ts';

/** A cached artifact with the records that it was read from. */
export interface CachedArtifact {
  readonly details: ArtifactDetails;
  readonly sources: ArtifactSources;
}

/**
 * Cached artifact lookups. The same artifact is looked up repeatedly by gates that poll, and by deployments to many
 * environments.
 */
export type ArtifactCache = VersionedCache<CachedArtifact>;

/** In characters of the artifacts as JSON, roughly; in memory they take several times as many bytes. */
const maximumWeight = 8 * 1024 * 1024;

/** Creates an empty cache. */
export function createArtifactCache(): ArtifactCache {
  return new VersionedCache({ maximumWeight });
}

/** The usual length of an entry of a list as JSON, in characters. */
const entryWeight = 400;

/** The weight of an artifact in the cache. Only what its reporter wrote can be long. */
export function weighArtifact({ applied, artifact, evidence, history, appearances }: ArtifactDetails): number {
  const written = JSON.stringify([artifact.report, applied.owner === 'trail' ? applied.template : []]).length;
  return written + entryWeight * (evidence.length + history.length + appearances.length);
}
