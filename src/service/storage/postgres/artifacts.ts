import type { Audience } from '../../domain/audience.ts';
import type { Appearance, ReportedArtifact } from '../../domain/records.ts';
import type { ArtifactPlace, ArtifactReader, ArtifactWriter, DigitMatches, ReportSource } from '../artifacts.ts';
import type { ListPart } from '../list-part.ts';
import type { RecordKey } from '../remembered-answers.ts';
import { countsForColumn, number, optional, text, toAppearance, toReportedArtifact } from '../rows.ts';
import { indexedLength } from './migrations/base/evidence.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

const columns = 'a.org, a.flow, a.id, a.created_at, a.reported_by, a.counts_for, a.report';

/** A condition for a long text, of which only the first characters are in the index. */
const equals = (column: string, value: string): string =>
  `left(${column}, ${indexedLength}) = left(${value}, ${indexedLength}) AND ${column} = ${value}`;

// Hex digits sort before `g`, so the range from some digits to the same digits with `g` contains exactly the
// fingerprints that begin with them.
const beginsWith = (column: string, digits: string): string =>
  `${column} >= ${digits} AND ${column} < ${digits} || 'g'`;

// `LIMIT` and `OFFSET` in subqueries make the planner look up each row of the list, instead of reading the whole table.
const bySequence = (list: string): string => `CROSS JOIN LATERAL (
      SELECT ${columns} FROM artifacts a
      WHERE a.org = $1 AND a.flow = ${list}.flow AND a.sequence = ${list}.sequence LIMIT 1
    ) a`;

/** Whether the report `a` counts for the environment $4; every report counts if $3 is false. */
const counts = '(a.counts_for IS NULL OR NOT $3::boolean OR coalesce(a.counts_for::jsonb ? $4::text, false))';

const statements = defineStatements('artifacts', {
  findLatest: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND flow = $2 AND fingerprint = $3
    ORDER BY sequence DESC LIMIT 1`,
  findLatestInTrail: `SELECT ${columns} FROM artifacts a
    WHERE org = $1 AND flow = $2 AND fingerprint = $3 AND trail = $4 ORDER BY sequence DESC LIMIT 1`,
  exists: 'SELECT 1 FROM artifacts WHERE org = $1 AND flow = $2 AND fingerprint = $3 LIMIT 1',
  existsInTrail: 'SELECT 1 FROM artifacts WHERE org = $1 AND flow = $2 AND fingerprint = $3 AND trail = $4 LIMIT 1',
  findRequestDigest: 'SELECT request_digest FROM artifacts WHERE org = $1 AND idempotency_key = $2',
  findById: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND id = $2 AND flow = $3`,
  findByDigits: `SELECT count(DISTINCT fingerprint) AS count, min(fingerprint) AS fingerprint FROM artifacts
    WHERE org = $1 AND flow = $2 AND ${beginsWith('fingerprint', '$3')}`,
  findByDigitsInTrail: `SELECT count(DISTINCT fingerprint) AS count, min(fingerprint) AS fingerprint FROM artifacts
    WHERE org = $1 AND flow = $2 AND ${beginsWith('fingerprint', '$3')} AND trail = $4`,
  // No index has this order. If the planner knew it, it might read all reports of the flow in this order.
  listByTrail: `SELECT ${columns} FROM (
      SELECT flow, sequence FROM (
        SELECT flow, sequence FROM artifacts WHERE org = $1 AND flow = $2 AND trail = $3 OFFSET 0
      ) t ORDER BY sequence DESC LIMIT $4
    ) l ${bySequence('l')} ORDER BY l.sequence DESC`,
  // Where an artifact runs, then where it ran, each newest first.
  listAppearances: `SELECT a.environment, a.started, a.started_at, a.exited, a.exited_at, e.latest FROM appearances a
    CROSS JOIN LATERAL (SELECT latest FROM environments WHERE org = $1 AND name = a.environment LIMIT 1) e
    WHERE a.org = $1 AND a.fingerprint = $2
    ORDER BY a.exited IS NOT NULL, a.started_at DESC, a.environment LIMIT $3`,
  findLatestInAnyFlow: `SELECT f.fingerprint, ${columns} FROM unnest($2::text[]) AS f (fingerprint)
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM artifacts a
      WHERE a.org = $1 AND a.fingerprint = f.fingerprint AND ${counts} ORDER BY a.place DESC LIMIT 1
    ) a`,
  listLatestByFlow: `SELECT l.fingerprint, ${columns} FROM (
      SELECT fingerprint, flow, max(sequence) AS sequence FROM artifacts a
      WHERE org = $1 AND fingerprint = ANY ($2::text[]) AND ${counts} GROUP BY fingerprint, flow
    ) l ${bySequence('l')} ORDER BY l.flow`,
  findLatestOther: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND flow = $2 AND fingerprint <> $3
    ORDER BY sequence DESC LIMIT 1`,
  findLatestOtherOnBranch: `SELECT ${columns} FROM artifacts a
    WHERE org = $1 AND flow = $2 AND fingerprint <> $3 AND ${equals('branch', '$4')} ORDER BY sequence DESC LIMIT 1`,
  listByCommit: `SELECT ${columns} FROM (
      SELECT flow, max(sequence) AS sequence FROM artifacts
      WHERE org = $1 AND git_commit = $3 AND flow = $2 AND ($5::text IS NULL OR trail = $5)
      GROUP BY flow, fingerprint ORDER BY 2 DESC LIMIT $4
    ) l ${bySequence('l')} ORDER BY l.sequence DESC`,
  // The sequence has no gaps, so no report before the part is read.
  listByFlow: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND flow = $2 AND
      sequence <= (SELECT max(sequence) FROM artifacts WHERE org = $1 AND flow = $2) - $4::bigint
    ORDER BY sequence DESC LIMIT $3`,
  listByRepository: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND ${equals('repository', '$2')}
    ORDER BY place DESC LIMIT $3 OFFSET $4`,
  findFingerprints: `SELECT DISTINCT fingerprint AS found FROM artifacts
    WHERE org = $1 AND ${beginsWith('fingerprint', '$2')} ORDER BY fingerprint LIMIT $3`,
  findCommits: `SELECT DISTINCT git_commit AS found FROM artifacts
    WHERE org = $1 AND ${beginsWith('git_commit', '$2')} ORDER BY git_commit LIMIT $3`,
  // The artifacts of a commit are few, so they come before their order.
  listFingerprintsOfCommit: `SELECT DISTINCT fingerprint AS found FROM (
      SELECT fingerprint FROM artifacts WHERE org = $1 AND git_commit = $2 OFFSET 0
    ) a ORDER BY fingerprint LIMIT $3`,
  insert: `INSERT INTO artifacts (org, flow, trail, id, fingerprint, created_at, reported_by, report, counts_for,
      idempotency_key, request_digest, sequence)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
      (SELECT coalesce(max(sequence), 0) + 1 FROM artifacts WHERE org = $1 AND flow = $2)`,
});

/** The parameters of `counts`. */
function toParameters(audience: Audience | undefined): readonly [boolean, string | null] {
  return [audience !== undefined, audience?.environment ?? null];
}

/** Artifacts in PostgreSQL, for reading. */
export class PostgresArtifactReader implements ArtifactReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async findLatest({ org, flow, trail }: ArtifactPlace, fingerprint: string): Promise<ReportedArtifact | undefined> {
    const { findLatest, findLatestInTrail } = statements;
    const [row] =
      trail === undefined
        ? await this.session.query(findLatest, [org, flow, fingerprint])
        : await this.session.query(findLatestInTrail, [org, flow, fingerprint, trail]);
    return optional(row, toReportedArtifact);
  }

  async exists({ org, flow, trail }: ArtifactPlace, fingerprint: string): Promise<boolean> {
    const { exists, existsInTrail } = statements;
    const rows =
      trail === undefined
        ? await this.session.query(exists, [org, flow, fingerprint])
        : await this.session.query(existsInTrail, [org, flow, fingerprint, trail]);
    return rows.length > 0;
  }

  async findRequestDigest(org: string, key: string): Promise<string | undefined> {
    const [row] = await this.session.query(statements.findRequestDigest, [org, key]);
    return optional(row, (found) => text(found, 'request_digest'));
  }

  async findById(org: string, flow: string, id: string): Promise<ReportedArtifact | undefined> {
    const [row] = await this.session.query(statements.findById, [org, id, flow]);
    return optional(row, toReportedArtifact);
  }

  async findByDigits({ org, flow, trail }: ArtifactPlace, digits: string): ReturnType<ArtifactReader['findByDigits']> {
    const { findByDigits, findByDigitsInTrail } = statements;
    const [row = {}] =
      trail === undefined
        ? await this.session.query(findByDigits, [org, flow, digits])
        : await this.session.query(findByDigitsInTrail, [org, flow, digits, trail]);
    const count = number(row, 'count');
    return { fingerprint: count === 0 ? undefined : text(row, 'fingerprint'), count };
  }

  async listByTrail(org: string, flow: string, trail: string, limit: number): Promise<readonly ReportedArtifact[]> {
    const rows = await this.session.query(statements.listByTrail, [org, flow, trail, limit]);
    return rows.map(toReportedArtifact);
  }

  async listAppearances(org: string, fingerprint: string, limit: number): Promise<readonly Appearance[]> {
    const rows = await this.session.query(statements.listAppearances, [org, fingerprint, limit]);
    return rows.map(toAppearance);
  }

  async findLatestInAnyFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, ReportedArtifact>> {
    const values = [org, fingerprints, ...toParameters(audience)];
    const rows = await this.session.query(statements.findLatestInAnyFlow, values);
    return new Map(rows.map((row) => [text(row, 'fingerprint'), toReportedArtifact(row)]));
  }

  async listLatestByFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, readonly ReportedArtifact[]>> {
    const values = [org, fingerprints, ...toParameters(audience)];
    const rows = await this.session.query(statements.listLatestByFlow, values);
    const found = Map.groupBy(rows, (row) => text(row, 'fingerprint'));
    return new Map(
      fingerprints.flatMap((fingerprint) => {
        const latest = found.get(fingerprint);
        return latest === undefined ? [] : [[fingerprint, latest.map(toReportedArtifact)] as const];
      }),
    );
  }

  async findLatestOther(
    { org, flow }: ArtifactPlace,
    fingerprint: string,
    branch?: string,
  ): Promise<ReportedArtifact | undefined> {
    const { findLatestOther, findLatestOtherOnBranch } = statements;
    const [row] =
      branch === undefined
        ? await this.session.query(findLatestOther, [org, flow, fingerprint])
        : await this.session.query(findLatestOtherOnBranch, [org, flow, fingerprint, branch]);
    return optional(row, toReportedArtifact);
  }

  async listByCommit(
    { org, flow, trail }: ArtifactPlace,
    commit: string,
    limit: number,
  ): Promise<readonly ReportedArtifact[]> {
    const rows = await this.session.query(statements.listByCommit, [org, flow, commit, limit, trail ?? null]);
    return rows.map(toReportedArtifact);
  }

  async listReports(source: ReportSource, { limit, offset }: ListPart): Promise<readonly ReportedArtifact[]> {
    const { listByFlow, listByRepository } = statements;
    const { org } = source;
    const rows =
      'flow' in source
        ? await this.session.query(listByFlow, [org, source.flow, limit, offset])
        : await this.session.query(listByRepository, [org, source.repository, limit, offset]);
    return rows.map(toReportedArtifact);
  }

  async findMatches(org: string, digits: string, limit: number): Promise<DigitMatches> {
    const [fingerprints, commits] = await Promise.all([
      this.session.query(statements.findFingerprints, [org, digits, limit]),
      this.session.query(statements.findCommits, [org, digits, limit]),
    ]);
    return {
      fingerprints: fingerprints.map((row) => text(row, 'found')),
      commits: commits.map((row) => text(row, 'found')),
    };
  }

  async listFingerprintsOfCommit(org: string, commit: string, limit: number): Promise<readonly string[]> {
    const rows = await this.session.query(statements.listFingerprintsOfCommit, [org, commit, limit]);
    return rows.map((row) => text(row, 'found'));
  }
}

/** Artifacts in PostgreSQL, for writing. */
export class PostgresArtifactWriter extends PostgresArtifactReader implements ArtifactWriter {
  insert(artifact: ReportedArtifact, reportJson: string, requestKey?: RecordKey): Promise<void> {
    const { org, flow, id, createdAt, reportedBy, report } = artifact;
    const { key = null, digest = null } = requestKey ?? {};
    const { trail_name: trail, fingerprint } = report;
    return this.session.run(statements.insert, [
      ...[org, flow, trail, id, fingerprint, createdAt, reportedBy, reportJson, countsForColumn(artifact), key, digest],
    ]);
  }
}
