import type { Attestation } from '../domain/records.ts';

/** Which attestations of a flow are listed. */
export interface AttestationListQuery {
  readonly org: string;
  readonly flow: string;
  /** Only those of this second and later: Unix seconds. */
  readonly from?: number | undefined;
  /** Only those of this second and earlier: Unix seconds. */
  readonly to?: number | undefined;
  /** Which page, from 1. */
  readonly page: number;
  readonly perPage: number;
  /** In Unix seconds; a recorded time after it is wrong. */
  readonly now: number;
  /** How large the documents of the page may be together to be read at once, in bytes. */
  readonly maximumBytes: number;
}

/** Some attestations of a flow that follow each other, by their sequences. */
export interface AttestationRange {
  readonly org: string;
  readonly flow: string;
  readonly first: number;
  readonly last: number;
}

/** An attestation with its place in its flow. */
export interface RecordedAttestation extends Attestation {
  /** Counts the attestations of the flow in the order of recording, from 1 without gaps. */
  readonly sequence: number;
}

/** What was found of a list. */
export type AttestationListFinding =
  | {
      readonly outcome: 'found';
      /** The newest first; none if the page lies behind the last one. */
      readonly attestations: readonly RecordedAttestation[];
      /** How many there are on all pages. */
      readonly total: number;
    }
  | { readonly outcome: 'flow not found' }
  | LargeAttestationPage;

/** The documents of the page are larger than was asked for; `readAttestations` reads them in parts. */
export interface LargeAttestationPage {
  readonly outcome: 'too large';
  /** The documents together. */
  readonly bytes: number;
  /** The attestations of the page. They never change and none is ever removed. */
  readonly range: AttestationRange;
  /** How many there are on all pages. */
  readonly total: number;
}

/** Where the attestations of a flow are listed; the rules of `Store` hold. */
export interface AttestationListStore {
  /**
   * A page in the reverse order of recording, whatever the clock showed. `from` and `to` cut out a part of this order: if
   * times contradict it, the part is rather too large than too small (`domain/time-series.ts`). What is recorded later
   * comes before all pages, unless `to` leaves it out. A page costs the same wherever it lies and however many
   * attestations there are.
   */
  listAttestations(query: AttestationListQuery): Promise<AttestationListFinding>;

  /** The attestations of a range, the newest first. */
  readAttestations(range: AttestationRange): Promise<readonly RecordedAttestation[]>;
}
