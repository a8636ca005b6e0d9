import type { Attestation } from '../domain/records.ts';
import type { FlowReference, Sequenced } from './attestations.ts';

/** An attestation with its place in its flow. */
export interface RecordedAttestation extends Attestation, Sequenced {}

/** Places in a flow, both ends included. */
export interface SequenceRange {
  readonly first: number;
  readonly last: number;
}

/** The attestations of a flow by their place in it, as they are read. */
export interface AttestationSeriesReader {
  /** Those of the range, newest first. */
  listRange(flow: FlowReference, range: SequenceRange): Promise<readonly RecordedAttestation[]>;
  /** How many bytes the documents of the range have together; costs much less than reading them. */
  findRangeBytes(flow: FlowReference, range: SequenceRange): Promise<number>;
  /** The time of each of these places, which exist. */
  listTimes(flow: FlowReference, sequences: readonly number[]): Promise<readonly number[]>;
  /** The places whose time is before that of the place before them, in ascending order; usually none. */
  listStepsBack(flow: FlowReference): Promise<readonly number[]>;
  /**
   * The first place of the range whose time is not before this one; one more than its last if there is none. Times never
   * decrease within the range, so this is one search, wherever the database is.
   */
  findFirstNotBefore(flow: FlowReference, range: SequenceRange, time: number): Promise<number>;
}
