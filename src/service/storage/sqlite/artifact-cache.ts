import type { ArtifactDossier } from '../../domain/records.ts';
import type { ArtifactFinding, ArtifactQuery } from '../store.ts';
import { fingerprintLength, findArtifact, scopesOf } from './artifact-search.ts';
import { ReadCache } from './read-cache.ts';
import type { Statements } from './statements.ts';
import { sourceOf, type Source, type WrittenSources } from './written-sources.ts';

/** How many characters the kept answers may have as JSON; in memory they take several times as many bytes. */
const maximumCharacters = 8 * 1024 * 1024;

/**
 * Artifacts as they were found, for those who look the same one up again and again: gates that wait, and deployments of one
 * artifact to many places. Only what was found by its whole fingerprint is kept: anything else would have to be forgotten
 * with every new report of its flow.
 */
export class ArtifactCache {
  readonly #statements: Statements;
  readonly #found: ReadCache<ArtifactFinding>;

  constructor(statements: Statements, written: WrittenSources) {
    this.#statements = statements;
    this.#found = new ReadCache(written, maximumCharacters);
  }

  /** As `findArtifact`; the same object as before where nothing of it was written since. */
  find(query: ArtifactQuery): ArtifactFinding {
    if (query.fingerprint.length !== fingerprintLength) return findArtifact(this.#statements, query);
    const key = keyOf(query);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const finding = findArtifact(this.#statements, query);
    if (finding.outcome === 'found') {
      this.#found.set(key, finding, sourcesOf(finding.dossier), JSON.stringify(finding).length);
    }
    return finding;
  }
}

// An absent part stands apart from an empty one.
function keyOf({ org, flow, fingerprint, trail, attestationId }: ArtifactQuery): string {
  const narrowed = `${trail === undefined ? '' : `=${trail}`}\n${attestationId === undefined ? '' : `=${attestationId}`}`;
  return `${org}\n${flow}\n${fingerprint}\n${narrowed}`;
}

/** All that the dossier was read from. */
function sourcesOf({ artifact, appearances }: ArtifactDossier): readonly Source[] {
  const { org, flow, report } = artifact;
  const { fingerprint } = report;
  return [
    sourceOf('flows', org, flow),
    sourceOf('artifacts', org, fingerprint),
    ...scopesOf(artifact).map((scope) => sourceOf('bindings', org, flow, scope)),
    sourceOf('appearances', org, fingerprint),
    // The last snapshot that shows a running artifact is the environment's latest.
    ...appearances.map(({ environment }) => sourceOf('environments', org, environment)),
  ];
}
