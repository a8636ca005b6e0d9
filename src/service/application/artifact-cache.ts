import type { ArtifactDetails } from '../domain/records.ts';
import { isListTemplate, type Template } from '../domain/template/template.ts';
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

/** About the length of the artifacts as JSON, in characters; in memory they take several times as many bytes. */
const maximumWeight = 8 * 1024 * 1024;

export function createArtifactCache(): ArtifactCache {
  return new VersionedCache({ maximumWeight });
}

/** The usual length of an entry of a list as JSON, in characters. */
const entryWeight = 400;

/** The weight of an artifact in the cache. Only what its reporter wrote, and its flow, can be long. */
export function weighArtifact({ flow, applied, artifact, evidence, history, appearances }: ArtifactDetails): number {
  const reported = JSON.stringify(artifact.report).length;
  const own = applied.owner === 'trail' ? weighTemplate(applied.template) : 0;
  // Artifacts need not share the flow: each keeps the one that was in memory when it was read.
  const shared = flow.description.length + weighTemplate(flow.template);
  return reported + own + shared + entryWeight * (evidence.length + history.length + appearances.length);
}

/** The names of a file are in its text, and again in what was parsed from it. */
function weighTemplate(template: Template): number {
  if (!isListTemplate(template)) return 2 * template.text.length;
  return template.reduce((sum, item) => sum + item.length, 0);
}
