import type { Audience } from '../domain/audience.ts';
import type { Appearance, ReportedArtifact } from '../domain/records.ts';
import type { RecordKey } from './remembered-answers.ts';

/** Where to look for reports of artifacts. */
export interface ArtifactPlace {
  readonly org: string;
  readonly flow: string;
  /** Only reports to this trail. */
  readonly trail?: string | undefined;
}

/** The reports to a flow, or those from a repository. */
export type ReportSource = { readonly org: string } & ({ readonly flow: string } | { readonly repository: string });

/** What begins with the same digits, without duplicates. */
export interface DigitMatches {
  readonly fingerprints: readonly string[];
  readonly commits: readonly string[];
}

/** Reads artifacts. */
export interface ArtifactReader {
  /** The latest report of an artifact. */
  findLatest(place: ArtifactPlace, fingerprint: string): Promise<ReportedArtifact | undefined>;
  /** Whether the artifact was reported. */
  exists(place: ArtifactPlace, fingerprint: string): Promise<boolean>;
  /** The digest of the request with this idempotency key that reported an artifact; undefined if there is none. */
  findRequestDigest(org: string, key: string): Promise<string | undefined>;
  findById(org: string, flow: string, id: string): Promise<ReportedArtifact | undefined>;
  /** Finds the fingerprints that begin with these digits: their number, and one of them. */
  findByDigits(
    place: ArtifactPlace,
    digits: string,
  ): Promise<{ readonly fingerprint: string | undefined; readonly count: number }>;
  /** The latest reports to a trail, newest first. */
  listByTrail(org: string, flow: string, trail: string, limit: number): Promise<readonly ReportedArtifact[]>;
  /** Where the artifact runs, then where it ran, each newest first. */
  listAppearances(org: string, fingerprint: string, limit: number): Promise<readonly Appearance[]>;

  // With an audience, only reports that count for it; without one, all.
  /** The latest report of each artifact in any flow, by fingerprint. Unreported artifacts are left out. */
  findLatestInAnyFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, ReportedArtifact>>;
  /** The latest report of each artifact in each flow that it was reported to, by fingerprint; sorted by flow. */
  listLatestByFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, readonly ReportedArtifact[]>>;

  /**
   * The latest report of an artifact with another fingerprint.
   *
   * @param branch only reports for a commit on this branch
   */
  findLatestOther(place: ArtifactPlace, fingerprint: string, branch?: string): Promise<ReportedArtifact | undefined>;
  /** The latest report of each artifact that was built from a commit, newest first. */
  listByCommit(place: ArtifactPlace, commit: string, limit: number): Promise<readonly ReportedArtifact[]>;
  /** All reports of a flow or of a repository, newest first. */
  listReports(
    source: ReportSource,
    part: { readonly limit: number; readonly offset: number },
  ): Promise<readonly ReportedArtifact[]>;
  /** The fingerprints and commits in the reports of all flows that begin with these digits, at most `limit` of each. */
  findMatches(org: string, digits: string, limit: number): Promise<DigitMatches>;
  /** The fingerprints of the artifacts of all flows that were built from a commit. */
  listFingerprintsOfCommit(org: string, commit: string, limit: number): Promise<readonly string[]>;
}

/** Reads and writes artifacts. */
export interface ArtifactWriter extends ArtifactReader {
  /**
   * Inserts the report as the latest of its flow. Its trail must exist.
   *
   * @param reportJson its report as JSON, serialized before the transaction, because other transactions wait for it
   * @param requestKey unique within the organization
   */
  insert(artifact: ReportedArtifact, reportJson: string, requestKey?: RecordKey): Promise<void>;
}
