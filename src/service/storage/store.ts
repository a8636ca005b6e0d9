import type { ArtifactDossier, Attestation, ReportedArtifact, TrailDossier } from '../domain/records.ts';
import type { AttestationListStore } from './attestation-list-store.ts';
import type { EnvironmentStore } from './environment-store.ts';
import type { NotificationStore } from './notification-store.ts';
import type { PolicyStore } from './policy-store.ts';

/** Which artifact is looked for. */
export interface ArtifactQuery {
  readonly org: string;
  readonly flow: string;
  /** The whole fingerprint or its first digits. */
  readonly fingerprint: string;
  /** Only an artifact that was reported to this trail. */
  readonly trail?: string | undefined;
  /** Only the report of this id. */
  readonly attestationId?: string | undefined;
}

/** What was found of an artifact. */
export type ArtifactFinding =
  | { readonly outcome: 'found'; readonly dossier: ArtifactDossier }
  | { readonly outcome: 'flow not found' }
  | { readonly outcome: 'artifact not found' }
  /** The digits are the beginning of so many fingerprints. */
  | { readonly outcome: 'ambiguous'; readonly count: number };

/** What became of an attestation: the last means that what it is about has `maximumEvidenceNames` of others. */
export type AttestationRecording = 'recorded' | 'flow not found' | 'too many names';

/**
 * Where the service keeps what it is told. A promise of a write resolves only after the write would survive a loss of
 * power. Records come back as they were given, in the order they were recorded; nothing that belongs to one organization
 * is ever answered for another.
 *
 * @throws StorageError if the disk, the file system or another process keeps it from working.
 */
export interface Store extends AttestationListStore, EnvironmentStore, NotificationStore, PolicyStore {
  /** Makes the trail if it is the first. */
  recordAttestation(attestation: Attestation): Promise<AttestationRecording>;
  /** Makes the trail where it is the first. */
  recordArtifact(artifact: ReportedArtifact): Promise<'recorded' | 'flow not found'>;

  /** Whether the artifact was reported to the trail. */
  hasArtifact(org: string, flow: string, trail: string, fingerprint: string): Promise<boolean>;
  /** The latest report that fits the query, with what counts for it. */
  findArtifact(query: ArtifactQuery): Promise<ArtifactFinding>;
  findTrail(org: string, flow: string, trail: string): Promise<TrailDossier | undefined>;
  findAttestation(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined>;

  /** Whether any attestation of any organization has an attachment of this content. */
  isAttached(digest: string): Promise<boolean>;
  /** How many different contents are attached to attestations. */
  countAttached(): Promise<number>;
}

/** How many entries a list of a trail has at most. */
export const longestTrailList = 100;

/** How many attestations the history of an artifact has at most; reading them is most of what a look-up costs. */
export const longestHistory = 20;

/** How many of the stretches of time that an artifact runs are told with it at most; those that last come first. */
export const longestAppearances = 100;
