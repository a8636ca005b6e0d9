import { toRecordedAttestation, type FlowReference, type RecordedAttestation } from '../attestations.ts';
import type { AttestationSeriesReader, SequenceRange } from '../attestation-series.ts';
import { number } from '../rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  listRange:
    'SELECT * FROM attestations WHERE org = ? AND flow = ? AND sequence BETWEEN ? AND ? ORDER BY sequence DESC',
  // SQLite stores the length, so the document is not read.
  findRangeBytes: `SELECT coalesce(sum(octet_length(document)), 0) AS size FROM attestations
    WHERE org = ? AND flow = ? AND sequence BETWEEN ? AND ?`,
  findTime: 'SELECT created_at FROM attestations WHERE org = ? AND flow = ? AND sequence = ?',
  listStepsBack: 'SELECT sequence FROM attestations WHERE org = ? AND flow = ? AND stepped_back = 1 ORDER BY sequence',
} as const;

/** The attestations of a flow by sequence number, in SQLite. */
export class SqliteAttestationSeriesReader implements AttestationSeriesReader {
  readonly #session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.#session = session;
    this.#statements = prepare(session.database, reading);
  }

  listRange({ org, flow }: FlowReference, { first, last }: SequenceRange): Promise<readonly RecordedAttestation[]> {
    return this.#session.execute(() =>
      this.#statements.listRange.all(org, flow, first, last).map(toRecordedAttestation),
    );
  }

  findRangeBytes({ org, flow }: FlowReference, { first, last }: SequenceRange): Promise<number> {
    return this.#session.execute(() =>
      number(this.#statements.findRangeBytes.get(org, flow, first, last) ?? {}, 'size'),
    );
  }

  listTimes(flow: FlowReference, sequences: readonly number[]): Promise<readonly number[]> {
    return this.#session.execute(() => sequences.map((sequence) => this.#findTime(flow, sequence)));
  }

  listStepsBack({ org, flow }: FlowReference): Promise<readonly number[]> {
    return this.#session.execute(() =>
      this.#statements.listStepsBack.all(org, flow).map((row) => number(row, 'sequence')),
    );
  }

  findFirstNotBefore(flow: FlowReference, { first, last }: SequenceRange, time: number): Promise<number> {
    return this.#session.execute(() => {
      let [low, high] = [first, last + 1];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (this.#findTime(flow, middle) >= time) high = middle;
        else low = middle + 1;
      }
      return low;
    });
  }

  #findTime({ org, flow }: FlowReference, sequence: number): number {
    return number(this.#statements.findTime.get(org, flow, sequence) ?? {}, 'created_at');
  }
}
