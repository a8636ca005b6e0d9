import type { Scope } from '../domain/binding.ts';
import type { Attestation, AttestationSummary } from '../domain/records.ts';

/** The place of an attestation in its flow: counts from 1 without gaps, in the order of recording. */
export interface Sequenced {
  readonly sequence: number;
}

/** An attestation without its document, with its place in its flow. */
export interface RecordedSummary extends AttestationSummary, Sequenced {}

/** A flow whose attestations are read. */
export interface FlowReference {
  readonly org: string;
  readonly flow: string;
}

/** Attestations as they are read. Nothing is ever removed from a flow, so its sequence has no gaps. */
export interface AttestationReader {
  find(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined>;
  /** The place and time of the latest attestation of a flow; undefined if it has none. */
  findLatest(flow: FlowReference): Promise<{ readonly sequence: number; readonly createdAt: number } | undefined>;
  /** The latest attestations of a trail, newest first. */
  listByTrail(flow: FlowReference, trail: string, limit: number): Promise<readonly AttestationSummary[]>;

  /** The latest attestation of each evidence name in each of the scopes, by scope; without scopes that have none. */
  listCurrent(flow: FlowReference, scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, readonly RecordedSummary[]>>;
  /** The latest attestations that are bound to any of the scopes, each once, newest first. */
  listBound(flow: FlowReference, scopes: readonly Scope[], limit: number): Promise<readonly RecordedSummary[]>;
  /** Whether one of the scopes has evidence of so many names, and none of this name. */
  isAnyScopeFull(
    flow: FlowReference,
    scopes: readonly Scope[],
    evidence: string,
    maximumNames: number,
  ): Promise<boolean>;

  /** Whether any attestation of any organization has an attachment of this content. */
  isAttached(digest: string): Promise<boolean>;
  /** How many different contents are attached to attestations. */
  countAttached(): Promise<number>;
}

/** An attestation as it is stored. */
export interface NewAttestation extends AttestationSummary, Sequenced {
  /** Whether its time is before that of the attestation before it. */
  readonly isStepBack: boolean;
  /** What it is about. */
  readonly scopes: readonly Scope[];
  /** The name of the evidence that it is the latest of from now on, in each of the scopes. */
  readonly evidence: string;
  /** Its document as JSON, written out before the transaction, because others wait for it. */
  readonly documentJson: string;
}

/** Attestations as they are written. */
export interface AttestationWriter extends AttestationReader {
  /** Inserts the attestation and binds it to its scopes. Its trail exists. */
  insert(attestation: NewAttestation): Promise<void>;
}
