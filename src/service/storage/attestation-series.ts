import type { FlowReference, RecordedAttestation } from './attestations.ts';

/** A range of sequence numbers, both ends included. */
export interface SequenceRange {
  readonly first: number;
  readonly last: number;
}

/** Reads the attestations of a flow by sequence number. */
export interface AttestationSeriesReader {
  /** The attestations of the range, newest first. */
  listRange(flow: FlowReference, range: SequenceRange): Promise<readonly RecordedAttestation[]>;
  /** The total size of the documents in the range, in bytes; much cheaper than reading them. */
  findRangeBytes(flow: FlowReference, range: SequenceRange): Promise<number>;
  /** The times of these attestations, which must exist. */
  listTimes(flow: FlowReference, sequences: readonly number[]): Promise<readonly number[]>;
  /** The sequence numbers whose time is before that of their predecessor, in ascending order; usually none. */
  listStepsBack(flow: FlowReference): Promise<readonly number[]>;
  /**
   * The first sequence number of the range whose time is at or after this one; one more than the last if there is none.
   * Times must not decrease within the range, so that the adapter can use a single search.
   */
  findFirstNotBefore(flow: FlowReference, range: SequenceRange, time: number): Promise<number>;
}
