import { unixSeconds } from '../../runtime/clock.ts';
import { firstSince, lastBefore, type TimeSeries } from '../domain/time-series.ts';
import type { RecordedAttestation, SequenceRange } from '../storage/attestation-series.ts';
import type { FlowReference } from '../storage/attestations.ts';
import type { ReadTransaction } from '../storage/storage.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

/** Which attestations of a flow are listed. */
export interface AttestationListQuery extends FlowReference {
  /** Only those of this second and later: Unix seconds. */
  readonly from?: number | undefined;
  /** Only those of this second and earlier: Unix seconds. */
  readonly to?: number | undefined;
  /** Which page, from 1. */
  readonly page: number;
  readonly perPage: number;
  /** How large the documents of the page may be together to be read at once, in bytes. */
  readonly maximumBytes: number;
}

/** Consecutive attestations of a flow. */
export interface AttestationRange extends FlowReference, SequenceRange {}

/** What was found of a list. */
export type ListAttestationsResult =
  | {
      readonly outcome: 'found';
      /** Newest first; none if the page lies behind the last one. */
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

/**
 * Operation 9: a page in the reverse order of recording, whatever the clock showed. `from` and `to` cut out a part of this
 * order: if times contradict it, the part is rather too large than too small (`domain/time-series.ts`). What is recorded
 * later comes before all pages, unless `to` leaves it out. The sequence of a flow has no gaps, so the place of a page is
 * computed, and a page costs the same wherever it lies and however many attestations there are.
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

/** The attestations of a range, newest first. */
export function readAttestations(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  range: AttestationRange,
): Promise<readonly RecordedAttestation[]> {
  return storage.read(({ attestationSeries }) => attestationSeries.listRange(range, range));
}

/** The first and the last attestation of the time span; the first is behind the last if there is none. */
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
