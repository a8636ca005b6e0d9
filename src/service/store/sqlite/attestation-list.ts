import type { DatabaseSync } from 'node:sqlite';
import type { AttestationListFinding, AttestationListQuery, AttestationListStore } from '../attestation-list-store.ts';
import { answer } from './answers.ts';
import { attestationOf, number, type Row } from './rows.ts';
import { prepare, type Prepared } from './statements.ts';

const texts = {
  hasFlow: 'SELECT 1 FROM flows WHERE org = ? AND name = ?',
  // Times never run backwards along the sequence, so both ends of a span are found at one place of the index.
  firstFrom: `SELECT sequence FROM attestations WHERE org = ? AND flow = ? AND created_at >= ?
    ORDER BY created_at, sequence LIMIT 1`,
  lastBefore: `SELECT sequence FROM attestations WHERE org = ? AND flow = ? AND created_at < ?
    ORDER BY created_at DESC, sequence DESC LIMIT 1`,
  last: 'SELECT max(sequence) AS sequence FROM attestations WHERE org = ? AND flow = ?',
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

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database, texts);
  }

  listAttestations(query: AttestationListQuery): Promise<AttestationListFinding> {
    return answer(() => this.#list(query));
  }

  #list(query: AttestationListQuery): AttestationListFinding {
    const { org, flow, page, perPage, maximumBytes } = query;
    const { hasFlow, sizeOfRange, range } = this.#statements;
    if (hasFlow.get(org, flow) === undefined) return { outcome: 'flow not found' };
    const [first, last] = this.#span(query);
    const end = last - (page - 1) * perPage;
    const start = Math.max(first, end - perPage + 1);
    const total = Math.max(0, last - first + 1);
    if (start > end) return { outcome: 'found', attestations: [], total };
    if (number(sizeOfRange.get(org, flow, start, end) ?? {}, 'size') > maximumBytes) return { outcome: 'too large' };
    return { outcome: 'found', attestations: range.all(org, flow, start, end).map(attestationOf), total };
  }

  /** The sequences of the first and last attestation of the time span; the first behind the last where there is none. */
  #span({ org, flow, from, to }: AttestationListQuery): readonly [first: number, last: number] {
    const { firstFrom, lastBefore, last } = this.#statements;
    const begin = from === undefined ? 1 : sequenceOf(firstFrom.get(org, flow, from), Infinity);
    const end = to === undefined ? last.get(org, flow) : lastBefore.get(org, flow, to + 1);
    return [begin, sequenceOf(end, 0)];
  }
}

function sequenceOf(row: Row | undefined, none: number): number {
  const sequence = row?.['sequence'] ?? none;
  return typeof sequence === 'number' ? sequence : none;
}
