import type { AttestationSeriesReader, SequenceRange } from '../attestation-series.ts';
import { toRecordedAttestation, type FlowReference, type RecordedAttestation } from '../attestations.ts';
import { number, summaryColumns } from '../rows.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

// In subqueries, `LIMIT 1` makes the planner look up each attestation by its key.
const statements = defineStatements('attestation_series', {
  listRange: `SELECT ${summaryColumns}, a.document FROM attestations a
    WHERE org = $1 AND flow = $2 AND sequence BETWEEN $3 AND $4 ORDER BY sequence DESC`,
  // PostgreSQL stores the length, so the document is not read.
  findRangeBytes: `SELECT coalesce(sum(octet_length(document)), 0) AS size FROM attestations
    WHERE org = $1 AND flow = $2 AND sequence BETWEEN $3 AND $4`,
  listTimes: `SELECT a.created_at FROM unnest($3::bigint[]) WITH ORDINALITY AS s (sequence, place)
    LEFT JOIN LATERAL (
      SELECT created_at FROM attestations WHERE org = $1 AND flow = $2 AND sequence = s.sequence LIMIT 1
    ) a ON true ORDER BY s.place`,
  listStepsBack: `SELECT sequence FROM attestations
    WHERE org = $1 AND flow = $2 AND stepped_back = 1 ORDER BY sequence`,
  // A binary search: the result is at or after `low`, and at or before `high`.
  findFirstNotBefore: `WITH RECURSIVE search (low, high) AS (
      SELECT $3::bigint, $4::bigint + 1
      UNION ALL
      SELECT CASE WHEN m.is_before THEN m.sequence + 1 ELSE s.low END,
        CASE WHEN m.is_before THEN s.high ELSE m.sequence END
      FROM search s CROSS JOIN LATERAL (
        SELECT sequence, created_at < $5 AS is_before FROM attestations
        WHERE org = $1 AND flow = $2 AND sequence = (s.low + s.high) / 2 LIMIT 1
      ) m WHERE s.low < s.high
    ) SELECT low FROM search WHERE low >= high`,
});

/** The attestations of a flow by sequence number, in PostgreSQL. */
export class PostgresAttestationSeriesReader implements AttestationSeriesReader {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async listRange(
    { org, flow }: FlowReference,
    { first, last }: SequenceRange,
  ): Promise<readonly RecordedAttestation[]> {
    const rows = await this.#session.query(statements.listRange, [org, flow, first, last]);
    return rows.map(toRecordedAttestation);
  }

  async findRangeBytes({ org, flow }: FlowReference, { first, last }: SequenceRange): Promise<number> {
    const [row = {}] = await this.#session.query(statements.findRangeBytes, [org, flow, first, last]);
    return number(row, 'size');
  }

  async listTimes({ org, flow }: FlowReference, sequences: readonly number[]): Promise<readonly number[]> {
    const rows = await this.#session.query(statements.listTimes, [org, flow, sequences]);
    return rows.map((row) => number(row, 'created_at'));
  }

  async listStepsBack({ org, flow }: FlowReference): Promise<readonly number[]> {
    const rows = await this.#session.query(statements.listStepsBack, [org, flow]);
    return rows.map((row) => number(row, 'sequence'));
  }

  async findFirstNotBefore(
    { org, flow }: FlowReference,
    { first, last }: SequenceRange,
    time: number,
  ): Promise<number> {
    const [row = {}] = await this.#session.query(statements.findFirstNotBefore, [org, flow, first, last, time]);
    return number(row, 'low');
  }
}
