import type { CountsFor } from '../domain/audience.ts';
import type { Scope } from '../domain/evidence-scope.ts';
import type { Attestation, AttestationSummary, ListedAttestation } from '../domain/records.ts';
import type { AttestationWithSubject } from '../domain/trail-details.ts';
import type { RecordKey } from './remembered-answers.ts';

/** The sequence number of an attestation in its flow: from 1 without gaps, in the order of recording. */
export interface Sequenced {
  readonly sequence: number;
}

/** An attestation with its sequence number, without its document. */
export interface RecordedSummary extends AttestationSummary, Sequenced {}

/** Identifies a flow. */
export interface FlowReference {
  readonly org: string;
  readonly flow: string;
}

/** What is read of the latest attestation of a flow. */
export interface LatestAttestation extends Sequenced {
  readonly createdAt: number;
}

/** Reads attestations. None is ever removed, so the sequence of a flow has no gaps. */
export interface AttestationReader {
  find(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined>;
  /** Finds an attestation in any trail. */
  findById(org: string, id: string): Promise<(Attestation & Sequenced) | undefined>;
  /** The digest of the request with this idempotency key that recorded an attestation; undefined if there is none. */
  findRequestDigest(org: string, key: string): Promise<string | undefined>;
  /**
   * Whether the attestation that was recorded with this idempotency key, or one with the same content, is the latest of
   * its evidence name in each of its scopes.
   */
  isCurrent(org: string, key: string, scopes: readonly Scope[], evidence: string): Promise<boolean>;
  /** The sequence number and time of the latest attestation of a flow; undefined if it has none. */
  findLatest(flow: FlowReference): Promise<LatestAttestation | undefined>;
  /** The latest attestations of a trail, newest first. */
  listByTrail(flow: FlowReference, trail: string, limit: number): Promise<readonly RecordedSummary[]>;

  /**
   * Like `listByTrail`, with what the attestations are about.
   *
   * @param maximumBytes the list ends before their documents have more bytes in total
   */
  listSubjects(
    flow: FlowReference,
    trail: string,
    limits: { readonly count: number; readonly maximumBytes: number },
  ): Promise<readonly AttestationWithSubject[]>;

  /**
   * The latest attestation of each evidence name in each of the scopes, by scope; of those that do not count for all
   * environments, the latest of each `countsFor`, too. Scopes without any are left out.
   */
  listCurrent(flow: FlowReference, scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, readonly RecordedSummary[]>>;
  /** The latest attestations that are bound to any of the scopes, newest first, without duplicates. */
  listBound(flow: FlowReference, scopes: readonly Scope[], limit: number): Promise<readonly ListedAttestation[]>;
  /** Whether any attestation of any organization has an attachment with this digest. */
  isAttached(digest: string): Promise<boolean>;
  /** The number of distinct attachment digests. */
  countAttached(): Promise<number>;
}

/** An attestation to store. */
export interface NewAttestation extends AttestationSummary, Sequenced {
  /** Unique within the organization. */
  readonly requestKey?: RecordKey | undefined;
  /** Whether its time is before that of its predecessor. */
  readonly isStepBack: boolean;
  /** The scopes that it applies to. */
  readonly scopes: readonly Scope[];
  /** Its evidence name. In each of the scopes, it becomes the latest attestation with that name and its `countsFor`. */
  readonly evidence: string;
  /** Its document as JSON, serialized before the transaction, because other transactions wait for it. */
  readonly documentJson: string;
}

/** Where a new attestation is to count. */
export interface EvidencePlace {
  readonly scopes: readonly Scope[];
  /** Its evidence name. */
  readonly evidence: string;
  /** Evidence with another `countsFor` is counted on its own, so that it cannot take all names. */
  readonly countsFor?: CountsFor;
  /** How many evidence names a scope may have. */
  readonly maximumNames: number;
}

/** Reads and writes attestations. */
export interface AttestationWriter extends AttestationReader {
  /** Whether any of the scopes has the maximum number of evidence names and none of them is this one. */
  isAnyScopeFull(flow: FlowReference, place: EvidencePlace): Promise<boolean>;
  /** Inserts the attestation and binds it to its scopes. Its trail must exist. */
  insert(attestation: NewAttestation): Promise<void>;
}
