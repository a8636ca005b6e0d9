import type { Value } from '../database.ts';
import type { NumberRange } from '../../domain/environment/snapshot-series.ts';
import {
  toJudgedReference,
  toPendingSnapshot,
  toRunningEvent,
  toSnapshotVerdict,
  toStoredSnapshot,
} from '../rows/snapshots.ts';
import { number, optional, text } from '../rows.ts';
import type {
  JudgedReference,
  MovementQuery,
  PendingReference,
  PendingSnapshot,
  RunningEvent,
  SnapshotReader,
  SnapshotReference,
  SnapshotVerdict,
  SnapshotWriter,
  StartedArtifact,
  StoredSnapshot,
} from '../snapshots.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

/** What started and stopped running; the parameters are those of `listMovements`. */
function selectMovements(order: 'ASC' | 'DESC'): string {
  return `(${selectEnds('started', order)}) UNION ALL (${selectEnds('exited', order)})
    ORDER BY number ${order}, is_start ${order}, fingerprint ${order} LIMIT $8 OFFSET $9`;
}

/**
 * One end of what ran, only as much as the page can need: the index has it in order. `OFFSET 0` keeps the database from
 * reading all artifacts of the repositories.
 */
function selectEnds(end: 'started' | 'exited', order: 'ASC' | 'DESC'): string {
  return `SELECT ${end} AS number, ${end}_at AS at, ${end === 'started' ? 1 : 0} AS is_start, fingerprint, name
    FROM appearances a
    WHERE org = $1 AND environment = $2 AND ${end} BETWEEN $3 AND $4
      AND ($5::double precision IS NULL OR ${end}_at >= $5) AND ($6::double precision IS NULL OR ${end}_at <= $6)
      AND ($7::text[] IS NULL OR EXISTS (SELECT 1 FROM artifacts r
        WHERE r.org = $1 AND r.fingerprint = a.fingerprint AND r.repository = ANY($7) OFFSET 0))
    ORDER BY ${end} ${order}, fingerprint ${order} LIMIT $8::bigint + $9::bigint`;
}

const pending = 'p.org, p.environment, p.since, p.forced';
const verdict = 's.environment, s.number, s.made_at, s.compliant';

/** The existing snapshots among references, whose environments and numbers are $2 and $3; sort them by `place`. */
const referenced = `FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS m (environment, number, place)
  JOIN snapshots s ON s.org = $1 AND s.environment = m.environment AND s.number = m.number`;

const statements = defineStatements('snapshots', {
  listMovements: selectMovements('ASC'),
  listLatestMovements: selectMovements('DESC'),
  find: `SELECT org, environment, number, made_at, judgement, content
    FROM snapshots WHERE org = $1 AND environment = $2 AND number = $3`,
  listContents: `SELECT s.content ${referenced} ORDER BY m.place`,
  findVerdicts: `SELECT ${verdict} ${referenced} ORDER BY m.place`,
  listJudgements: `SELECT s.environment, s.number, s.judgement ${referenced} ORDER BY m.place`,
  // PostgreSQL stores the length, so the content is not read.
  findContentBytes: `SELECT coalesce(sum(octet_length(s.content)), 0)::bigint AS size ${referenced}`,
  listRange: `SELECT ${verdict} FROM snapshots s
    WHERE s.org = $1 AND s.environment = $2 AND s.number BETWEEN $3 AND $4 ORDER BY s.number`,
  // One search of the index for each verdict.
  findVerdictStart: `SELECT ${verdict} FROM snapshots s WHERE s.org = $1 AND s.environment = $2 AND s.number = 1 + (
      SELECT coalesce(max(other.number), 0) FROM (
        SELECT 0 AS verdict, max(number) AS number FROM snapshots WHERE org = $1 AND environment = $2 AND compliant = 0
        UNION ALL SELECT 1, max(number) FROM snapshots WHERE org = $1 AND environment = $2 AND compliant = 1
        UNION ALL SELECT NULL, max(number) FROM snapshots WHERE org = $1 AND environment = $2 AND compliant IS NULL
      ) AS other
      WHERE other.verdict IS DISTINCT FROM (
        SELECT compliant FROM snapshots WHERE org = $1 AND environment = $2 ORDER BY number DESC LIMIT 1
      )
    )`,
  listTimes: `SELECT (SELECT made_at FROM snapshots WHERE org = $1 AND environment = $2 AND number = m.number) AS made_at
    FROM unnest($3::bigint[]) WITH ORDINALITY AS m (number, place) ORDER BY m.place`,
  listStepsBack: `SELECT number FROM snapshots
    WHERE org = $1 AND environment = $2 AND stepped_back = 1 ORDER BY number`,
  // A binary search, which ends when the bounds are equal.
  findFirstNotBefore: `WITH RECURSIVE search (low, high) AS (
      SELECT $3::bigint, $4::bigint + 1
      UNION ALL SELECT CASE WHEN s.is_match THEN low ELSE (low + high) / 2 + 1 END,
          CASE WHEN s.is_match THEN (low + high) / 2 ELSE high END
        FROM search CROSS JOIN LATERAL (SELECT made_at >= $5 AS is_match FROM snapshots
          WHERE org = $1 AND environment = $2 AND number = (low + high) / 2 OFFSET 0) s
        WHERE low < high
    ) SELECT low FROM search WHERE low >= high`,

  findPending: `SELECT ${pending} FROM pending_snapshots p WHERE p.org = $1 AND p.environment = $2`,
  listPendingFor: `SELECT ${pending} FROM unnest($2::text[]) WITH ORDINALITY AS e (name, place)
    CROSS JOIN LATERAL (
      SELECT member AS environment, false AS is_last FROM environment_members WHERE org = $1 AND environment = e.name
      UNION ALL SELECT e.name, true
    ) n
    JOIN pending_snapshots p ON p.org = $1 AND p.environment = n.environment
    ORDER BY e.place, n.is_last, n.environment`,
  findNextPending: `(SELECT 1 AS round, ${pending} FROM pending_snapshots p WHERE (org, environment) > ($1, $2)
      ORDER BY org, environment LIMIT 1)
    UNION ALL (SELECT 2, ${pending} FROM pending_snapshots p ORDER BY org, environment LIMIT 1)
    ORDER BY round LIMIT 1`,

  insert: `WITH inserted AS (
      INSERT INTO snapshots (org, environment, number, made_at, compliant, judgement, content, stepped_back)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8))
    UPDATE environments SET latest = $3 WHERE org = $1 AND name = $2`,
  setContent: 'UPDATE snapshots SET content = $4 WHERE org = $1 AND environment = $2 AND number = $3',

  start: `INSERT INTO appearances (org, environment, started, started_at, fingerprint, name)
    SELECT $1, $2, $3, $4, m.fingerprint, m.name FROM unnest($5::text[], $6::text[]) AS m (fingerprint, name)`,
  exit: `UPDATE appearances SET exited = $3, exited_at = $4
    WHERE org = $1 AND environment = $2 AND exited IS NULL AND fingerprint = ANY($5::text[])`,

  savePending: `INSERT INTO pending_snapshots AS p (org, environment, since, forced) VALUES ($1, $2, $3, $4)
    ON CONFLICT (org, environment) DO UPDATE SET since = excluded.since, forced = greatest(p.forced, excluded.forced)`,
  deletePending: 'DELETE FROM pending_snapshots WHERE org = $1 AND environment = $2',
});

/** Snapshots in PostgreSQL, for reading. */
export class PostgresSnapshotReader implements SnapshotReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async find(org: string, { environment, number: wanted }: SnapshotReference): Promise<StoredSnapshot | undefined> {
    const [row] = await this.session.query(statements.find, [org, environment, wanted]);
    return optional(row, toStoredSnapshot);
  }

  async listContents(org: string, references: readonly SnapshotReference[]): Promise<readonly string[]> {
    if (references.length === 0) return [];
    const rows = await this.session.query(statements.listContents, toReferenceValues(org, references));
    return rows.map((row) => text(row, 'content'));
  }

  async findVerdicts(org: string, references: readonly SnapshotReference[]): Promise<readonly SnapshotVerdict[]> {
    if (references.length === 0) return [];
    const rows = await this.session.query(statements.findVerdicts, toReferenceValues(org, references));
    return rows.map(toSnapshotVerdict);
  }

  async listJudgements(org: string, references: readonly SnapshotReference[]): Promise<readonly JudgedReference[]> {
    if (references.length === 0) return [];
    const rows = await this.session.query(statements.listJudgements, toReferenceValues(org, references));
    return rows.map(toJudgedReference);
  }

  async findContentBytes(org: string, references: readonly SnapshotReference[]): Promise<number> {
    if (references.length === 0) return 0;
    const [row = {}] = await this.session.query(statements.findContentBytes, toReferenceValues(org, references));
    return number(row, 'size');
  }

  async listRange(org: string, environment: string, range: NumberRange): Promise<readonly SnapshotVerdict[]> {
    const rows = await this.session.query(statements.listRange, [org, environment, range.first, range.last]);
    return rows.map(toSnapshotVerdict);
  }

  async findVerdictStart(org: string, environment: string): Promise<SnapshotVerdict | undefined> {
    const [row] = await this.session.query(statements.findVerdictStart, [org, environment]);
    return optional(row, toSnapshotVerdict);
  }

  async listTimes(org: string, environment: string, numbers: readonly number[]): Promise<readonly number[]> {
    if (numbers.length === 0) return [];
    const rows = await this.session.query(statements.listTimes, [org, environment, numbers]);
    return rows.map((row) => number(row, 'made_at'));
  }

  async listStepsBack(org: string, environment: string): Promise<readonly number[]> {
    const rows = await this.session.query(statements.listStepsBack, [org, environment]);
    return rows.map((row) => number(row, 'number'));
  }

  async findFirstNotBefore(org: string, environment: string, range: NumberRange, time: number): Promise<number> {
    const values = [org, environment, range.first, range.last, time];
    const [row = {}] = await this.session.query(statements.findFirstNotBefore, values);
    return number(row, 'low');
  }

  async listMovements(query: MovementQuery): Promise<readonly RunningEvent[]> {
    const { org, environment, range, since = null, until = null, repositories = null, page } = query;
    const statement = page.ascending ? statements.listMovements : statements.listLatestMovements;
    const rows = await this.session.query(statement, [
      ...[org, environment, range.first, range.last, since, until, repositories],
      ...[page.size, (page.page - 1) * page.size],
    ]);
    return rows.map(toRunningEvent);
  }

  async findPending({ org, environment }: PendingReference): Promise<PendingSnapshot | undefined> {
    const [row] = await this.session.query(statements.findPending, [org, environment]);
    return optional(row, toPendingSnapshot);
  }

  async listPendingFor(org: string, environments: readonly string[]): Promise<readonly PendingSnapshot[]> {
    if (environments.length === 0) return [];
    return (await this.session.query(statements.listPendingFor, [org, environments])).map(toPendingSnapshot);
  }

  async findNextPending(after: PendingReference | undefined): Promise<PendingSnapshot | undefined> {
    const [row] = await this.session.query(statements.findNextPending, [after?.org ?? '', after?.environment ?? '']);
    return optional(row, toPendingSnapshot);
  }
}

function toReferenceValues(org: string, references: readonly SnapshotReference[]): readonly Value[] {
  return [org, references.map(({ environment }) => environment), references.map((reference) => reference.number)];
}

/** Snapshots in PostgreSQL, for writing. */
export class PostgresSnapshotWriter extends PostgresSnapshotReader implements SnapshotWriter {
  insert(snapshot: StoredSnapshot, isStepBack: boolean): Promise<void> {
    const { org, environment, number: at, from, judgement, content } = snapshot;
    const compliant = judgement.compliant === null ? null : Number(judgement.compliant);
    return this.session.run(statements.insert, [
      ...[org, environment, at, from, compliant, JSON.stringify(judgement), content, Number(isStepBack)],
    ]);
  }

  replaceContent(org: string, { environment, number: at }: SnapshotReference, content: string): Promise<void> {
    return this.session.run(statements.setContent, [org, environment, at, content]);
  }

  async recordMovement(
    org: string,
    { environment, number: at, from }: SnapshotReference & { readonly from: number },
    { started, exited }: { readonly started: readonly StartedArtifact[]; readonly exited: readonly string[] },
  ): Promise<void> {
    const fingerprints = started.map(({ fingerprint }) => fingerprint);
    const names = started.map(({ name }) => name);
    const place = [org, environment, at, from];
    if (exited.length > 0) await this.session.run(statements.exit, [...place, exited]);
    if (started.length > 0) await this.session.run(statements.start, [...place, fingerprints, names]);
  }

  savePending({ org, environment, since, forced }: PendingSnapshot): Promise<void> {
    return this.session.run(statements.savePending, [org, environment, since, Number(forced)]);
  }

  deletePending({ org, environment }: PendingReference): Promise<void> {
    return this.session.run(statements.deletePending, [org, environment]);
  }
}
