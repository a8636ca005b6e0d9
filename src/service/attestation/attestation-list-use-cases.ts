import { unixSeconds } from '../../runtime/clock.ts';
import { firstSince, lastBefore, type TimeSeries } from '../platform/time-series.ts';
import type { SequenceRange } from './attestation-series-records.ts';
import type { FlowReference, RecordedAttestation } from './attestation-records.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

export interface AttestationListQuery extends FlowReference {
  /** In Unix seconds, inclusive. */
  readonly from?: number | undefined;
  /** In Unix seconds, inclusive. */
  readonly to?: number | undefined;
  /** Counted from 1. */
  readonly page: number;
  readonly perPage: number;
  /** In bytes. A page whose documents are larger in total is not read, but returned as a range. */
  readonly maximumBytes: number;
}

/** Consecutive attestations of a flow. */
export interface AttestationRange extends FlowReference, SequenceRange {}

export type ListAttestationsResult =
  | {
      readonly outcome: 'found';
      /** Newest first; empty if the page is after the last one. */
      readonly attestations: readonly RecordedAttestation[];
      /** The number of attestations on all pages. */
      readonly total: number;
    }
  | { readonly outcome: 'flow not found' }
  | LargeAttestationPage;

/** The documents of the page exceed `maximumBytes`; read them in parts with `readAttestations`. */
export interface LargeAttestationPage {
  readonly outcome: 'too large';
  /** The total size of the documents. */
  readonly bytes: number;
  /** The attestations of the page. Attestations never change and are never removed. */
  readonly range: AttestationRange;
  /** The number of attestations on all pages. */
  readonly total: number;
}

/**
 * Operation 9: lists a page in reverse order of recording, whatever the clock showed. `from` and `to` select a range of
 * this order; if times contradict the order, the range is too large rather than too small (`domain/time-series.ts`).
 * New attestations appear before all pages, unless `to` excludes them. The sequence of a flow has no gaps, so the
 * position of a page is computed, and the cost of a page does not depend on the number of attestations.
 */
export function listAttestations(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  query: AttestationListQuery,
): Promise<ListAttestationsResult> {
  const { org, flow, page, perPage, maximumBytes } = query;
  const time = unixSeconds(now());
  return storage.read(async (transaction) => {
    if (!(await transaction.flows.exists(org, flow))) return { outcome: 'flow not found' };
    const span = await selectSpan(transaction, query, time);
    const total = Math.max(0, span.last - span.first + 1);
    const last = span.last - (page - 1) * perPage;
    const first = Math.max(span.first, last - perPage + 1);
    if (first > last) return { outcome: 'found', attestations: [], total };
    const range = { org, flow, first, last };
    const bytes = await transaction.attestationSeries.findRangeBytes(range, range);
    if (bytes > maximumBytes) return { outcome: 'too large', bytes, range, total };
    return { outcome: 'found', attestations: await transaction.attestationSeries.listRange(range, range), total };
  });
}

/** Reads the attestations of a range, newest first. */
export function readAttestations(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  range: AttestationRange,
): Promise<readonly RecordedAttestation[]> {
  return storage.read(({ attestationSeries }) => attestationSeries.listRange(range, range));
}

/** Selects the attestations of the time span; the range is empty (first > last) if there are none. */
async function selectSpan(
  { attestations, attestationSeries }: Pick<ReadTransaction, 'attestations' | 'attestationSeries'>,
  { org, flow, from, to }: AttestationListQuery,
  now: number,
): Promise<SequenceRange> {
  const reference = { org, flow };
  const length = (await attestations.findLatest(reference))?.sequence ?? 0;
  if (from === undefined && to === undefined) return { first: 1, last: length };
  const series: TimeSeries = {
    length,
    stepsBack: await attestationSeries.listStepsBack(reference),
    listTimes: (sequences) => attestationSeries.listTimes(reference, sequences),
    findFirstNotBefore: (run, time) => attestationSeries.findFirstNotBefore(reference, run, time),
  };
  return {
    first: from === undefined ? 1 : await firstSince(series, from, now),
    last: to === undefined ? length : await lastBefore(series, to + 1, now),
  };
}
