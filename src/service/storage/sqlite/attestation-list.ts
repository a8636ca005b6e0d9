import type { DatabaseSync } from 'node:sqlite';
import { firstSince, lastBefore, type TimeSeries } from './time-series.ts';
import type {
  AttestationListFinding,
  AttestationListQuery,
  AttestationListStore,
  AttestationRange,
  RecordedAttestation,
} from '../attestation-list-store.ts';
import { attestationOf, number, type Row } from './rows.ts';
import { prepare, type Prepared } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';

const texts = {
  hasFlow: 'SELECT 1 FROM flows WHERE org = ? AND name = ?',
  last: 'SELECT coalesce(max(sequence), 0) AS sequence FROM attestations WHERE org = ? AND flow = ?',
  timeOf: 'SELECT created_at FROM attestations WHERE org = ? AND flow = ? AND sequence = ?',
  stepsBack: 'SELECT sequence FROM attestations WHERE org = ? AND flow = ? AND stepped_back = 1 ORDER BY sequence',
  // The length is known without reading the document.
  sizeOfRange: `SELECT coalesce(sum(octet_length(document)), 0) AS size FROM attestations
    WHERE org = ? AND flow = ? AND sequence BETWEEN ? AND ?`,
  range: 'SELECT * FROM attestations WHERE org = ? AND flow = ? AND sequence BETWEEN ? AND ? ORDER BY sequence DESC',
} as const;

/**
 * Lists of attestations in SQLite. The sequence of a flow has no gaps and nothing is ever removed from it, so that counting
 * is subtracting, and the place of a page is computed and not searched for.
 */
export class SqliteAttestationList implements AttestationListStore {
  readonly #statements: Prepared<typeof texts>;
  readonly #queue: WriteQueue;

  constructor(database: DatabaseSync, queue: WriteQueue) {
    this.#statements = prepare(database, texts);
    this.#queue = queue;
  }

  listAttestations(query: AttestationListQuery): Promise<AttestationListFinding> {
    return this.#queue.read(() => this.#list(query));
  }

  readAttestations(range: AttestationRange): Promise<readonly RecordedAttestation[]> {
    return this.#queue.read(() => this.#read(range));
  }

  #read({ org, flow, first, last }: AttestationRange): readonly RecordedAttestation[] {
    return this.#statements.range.all(org, flow, first, last).map(recordedOf);
  }

  #list(query: AttestationListQuery): AttestationListFinding {
    const { org, flow, page, perPage, maximumBytes } = query;
    const { hasFlow, sizeOfRange } = this.#statements;
    if (hasFlow.get(org, flow) === undefined) return { outcome: 'flow not found' };
    const [first, last] = this.#span(query);
    const end = last - (page - 1) * perPage;
    const start = Math.max(first, end - perPage + 1);
    const total = Math.max(0, last - first + 1);
    if (start > end) return { outcome: 'found', attestations: [], total };
    const bytes = number(sizeOfRange.get(org, flow, start, end) ?? {}, 'size');
    const range = { org, flow, first: start, last: end };
    if (bytes > maximumBytes) return { outcome: 'too large', bytes, range, total };
    return { outcome: 'found', attestations: this.#read(range), total };
  }

  /** The sequences of the first and last attestation of the time span; the first is behind the last if there is none. */
  #span({ org, flow, from, to, now }: AttestationListQuery): readonly [first: number, last: number] {
    const { last, timeOf, stepsBack } = this.#statements;
    const length = number(last.get(org, flow) ?? {}, 'sequence');
    if (from === undefined && to === undefined) return [1, length];
    const series: TimeSeries = {
      length,
      timeOf: (sequence) => number(timeOf.get(org, flow, sequence) ?? {}, 'created_at'),
      stepsBack: stepsBack.all(org, flow).map((row) => number(row, 'sequence')),
    };
    return [
      from === undefined ? 1 : firstSince(series, from, now),
      to === undefined ? length : lastBefore(series, to + 1, now),
    ];
  }
}

function recordedOf(row: Row): RecordedAttestation {
  return { ...attestationOf(row), sequence: number(row, 'sequence') };
}
