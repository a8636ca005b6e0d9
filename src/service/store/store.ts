import type {
  ArtifactDossier,
  Attestation,
  Flow,
  ReportedArtifact,
  StoredKey,
  TrailDossier,
} from '../domain/records.ts';

/** What a flow is made of when it is saved. */
export type FlowToSave = Omit<Flow, 'createdAt' | 'lastModifiedAt'>;

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

/**
 * Where the service keeps what it is told. A promise of a write resolves only after the write would survive a loss of
 * power. Records come back as they were given, in the order they were recorded; nothing that belongs to one organization
 * is ever answered for another.
 *
 * @throws StorageFullError where there is no room, StorageBusyError where it is locked by someone else.
 */
export interface Store {
  createOrganization(name: string, createdAt: number): Promise<'created' | 'exists'>;
  hasOrganization(name: string): Promise<boolean>;

  /** Keys of every organization share one space of ids, because a key is found by its id alone. */
  addKey(key: StoredKey): Promise<'added' | 'exists' | 'organization not found'>;
  findKey(id: string): Promise<StoredKey | undefined>;
  /** Whether the organization has any key, revoked ones included. */
  hasKeys(org: string): Promise<boolean>;
  /** A key that was revoked before stays revoked since then. */
  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'>;

  /** Replaces all of a flow of that name. */
  saveFlow(flow: FlowToSave, savedAt: number): Promise<'created' | 'updated'>;
  findFlow(org: string, name: string): Promise<Flow | undefined>;

  /** Makes the trail where it is the first. */
  recordAttestation(attestation: Attestation): Promise<'recorded' | 'flow not found'>;
  /** Makes the trail where it is the first. */
  recordArtifact(artifact: ReportedArtifact): Promise<'recorded' | 'flow not found'>;

  /** The latest report that fits the query, with what counts for it. */
  findArtifact(query: ArtifactQuery): Promise<ArtifactFinding>;
  findTrail(org: string, flow: string, trail: string): Promise<TrailDossier | undefined>;
  findAttestation(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined>;

  /** Whether any attestation of any organization has an attachment of this content. */
  isAttached(digest: string): Promise<boolean>;
  /** Ends after every write that was asked for before. */
  close(): Promise<void>;
}

/** How many entries a list within a dossier has at most. */
export const longestDossierList = 100;

/** There is no room left to write. Nothing of the write remains. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

/** Another process holds the storage. Nothing of the write remains. */
export class StorageBusyError extends Error {
  override readonly name = 'StorageBusyError';
}
