import type { RecordedAttestation } from '../attestation-series.ts';
import type { RecordedSummary } from '../attestations.ts';
import type { AttestationSummary } from '../../domain/records.ts';
import { number, toAttestation, toSummary, type Row } from '../rows.ts';

/** Converts a row with `summaryColumns` to an attestation with its sequence number, without its document. */
export function toRecordedSummary(row: Row): RecordedSummary {
  return { ...toSummary(row), sequence: number(row, 'sequence') };
}

/** Converts a row to an attestation with its sequence number. */
export function toRecordedAttestation(row: Row): RecordedAttestation {
  return { ...toAttestation(row), sequence: number(row, 'sequence') };
}

/** The column with the faults of an attestation. */
export function faultsColumn({ faults }: Pick<AttestationSummary, 'faults'>): string | null {
  return faults.length === 0 ? null : JSON.stringify(faults);
}

/** Converts a row with the columns `sequence` and `created_at`. */
export function toSequenceAndTime(row: Row): { readonly sequence: number; readonly createdAt: number } {
  return { sequence: number(row, 'sequence'), createdAt: number(row, 'created_at') };
}
