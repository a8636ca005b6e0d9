import type { Scope } from '../domain/binding.ts';
import type { Appearance, ReportedArtifact } from '../domain/records.ts';
import type { Version } from './version.ts';

/** Which reports of artifacts are looked for. */
export interface ArtifactPlace {
  readonly org: string;
  readonly flow: string;
  /** Only those of this trail. */
  readonly trail?: string | undefined;
}

/** All that an artifact with its evidence was read from. */
export interface ArtifactSources {
  readonly org: string;
  readonly flow: string;
  readonly fingerprint: string;
  readonly scopes: readonly Scope[];
  /** The environments that it runs or ran in. */
  readonly environments: readonly string[];
}

/** Artifacts as they are read. */
export interface ArtifactReader {
  /** The latest report of an artifact. */
  findLatest(place: ArtifactPlace, fingerprint: string): Promise<ReportedArtifact | undefined>;
  /** Whether the artifact was reported. */
  exists(place: ArtifactPlace, fingerprint: string): Promise<boolean>;
  findById(org: string, flow: string, id: string): Promise<ReportedArtifact | undefined>;
  /** How many fingerprints begin with these digits, and one of them. */
  findByDigits(
    place: ArtifactPlace,
    digits: string,
  ): Promise<{ readonly fingerprint: string | undefined; readonly count: number }>;
  /** The latest reports to a trail, newest first. */
  listByTrail(org: string, flow: string, trail: string, limit: number): Promise<readonly ReportedArtifact[]>;
  /** Where the artifact runs, and then where it ran, each newest first. */
  listAppearances(org: string, fingerprint: string, limit: number): Promise<readonly Appearance[]>;

  /** The latest report of each artifact in any flow, by fingerprint; without those that no flow knows. */
  findLatestInAnyFlow(org: string, fingerprints: readonly string[]): Promise<ReadonlyMap<string, ReportedArtifact>>;
  /** The latest report of each artifact in each flow that knows it, by fingerprint; flows by name. */
  listLatestByFlow(
    org: string,
    fingerprints: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ReportedArtifact[]>>;

  /** The version of what an artifact was read from: see `Version`. */
  version(sources: ArtifactSources): Promise<Version>;
}

/** Artifacts as they are written. */
export interface ArtifactWriter extends ArtifactReader {
  /**
   * Inserts the report as the latest of its flow. Its trail exists.
   *
   * @param reportJson its report as JSON, written out before the transaction, because others wait for it
   */
  insert(artifact: ReportedArtifact, reportJson: string): Promise<void>;
}
