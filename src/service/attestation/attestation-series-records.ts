import { defineStatements, Repository } from '../platform/database/database.ts';
import { number } from '../platform/database/rows.ts';
import type { NumberRange } from '../platform/time-series.ts';
import type { Attestation } from './attestation.ts';
import { type FlowReference, summaryColumns, toAttestation } from './attestation-records.ts';

const statements = defineStatements('attestation_series', {
  listRange: `SELECT ${summaryColumns}, a.document FROM attestations a
    WHERE org = $1 AND flow = $2 AND sequence BETWEEN $3 AND $4 ORDER BY sequence DESC`,
  // Databases store the length, so the document is not read.
  findRangeBytes: `SELECT coalesce(sum(octet_length(document)), 0) AS size FROM attestations
    WHERE org = $1 AND flow = $2 AND sequence BETWEEN $3 AND $4`,
  findTime: 'SELECT created_at FROM attestations WHERE org = $1 AND flow = $2 AND sequence = $3',
  listStepsBack: `SELECT sequence FROM attestations
    WHERE org = $1 AND flow = $2 AND stepped_back = 1 ORDER BY sequence`,
});

export class AttestationSeriesReader extends Repository {
  /** The attestations of the range, newest first. */
  listRange({ org, flow }: FlowReference, { first, last }: NumberRange): Promise<readonly Attestation[]> {
    return this.queryAll(statements.listRange, [org, flow, first, last], toAttestation);
  }

  /** The total size of the documents in the range, in bytes; much cheaper than reading them. */
  findRangeBytes({ org, flow }: FlowReference, { first, last }: NumberRange): Promise<number> {
    return this.queryNumber(statements.findRangeBytes, [org, flow, first, last], 'size');
  }

  /** The times of these attestations, which must exist. They are few. */
  listTimes({ org, flow }: FlowReference, sequences: readonly number[]): Promise<readonly number[]> {
    return Promise.all(
      sequences.map(async (sequence) => {
        const [row = {}] = await this.query(statements.findTime, [org, flow, sequence]);
        return number(row, 'created_at');
      }),
    );
  }

  /** The sequence numbers whose time is before that of their predecessor, in ascending order; usually none. */
  listStepsBack({ org, flow }: FlowReference): Promise<readonly number[]> {
    return this.queryAll(statements.listStepsBack, [org, flow], (row) => number(row, 'sequence'));
  }
}
