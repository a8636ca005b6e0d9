import type { Audience } from '../../domain/audience.ts';
import type { Appearance, ReportedArtifact } from '../../domain/records.ts';
import type { ArtifactPlace, ArtifactReader, ArtifactWriter, DigitMatches, ReportSource } from '../artifacts.ts';
import type { RecordKey } from '../remembered-answers.ts';
import { countsForColumn, number, optional, text, toAppearance, toReportedArtifact } from '../rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

// Hex digits sort before `g`, so the range from some digits to the same digits with `g` contains exactly the
// fingerprints that begin with them. `+ 0` after limits: SQLite recompiles a statement for every value that is bound
// directly to a limit.
/** Whether the report `r` counts for the environment ?4; every report counts if ?3 is null. */
const counts = `(r.counts_for IS NULL OR ?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(r.counts_for) m WHERE m.value = ?4))`;

const reading = {
  findLatest: `SELECT * FROM artifacts WHERE org = ? AND flow = ? AND fingerprint = ?
    ORDER BY sequence DESC LIMIT 1`,
  findLatestInTrail: `SELECT * FROM artifacts WHERE org = ? AND flow = ? AND trail = ? AND fingerprint = ?
    ORDER BY sequence DESC LIMIT 1`,
  exists: 'SELECT 1 FROM artifacts WHERE org = ? AND flow = ? AND fingerprint = ? LIMIT 1',
  existsInTrail: 'SELECT 1 FROM artifacts WHERE org = ? AND flow = ? AND trail = ? AND fingerprint = ? LIMIT 1',
  findRequestDigest: 'SELECT request_digest FROM artifacts WHERE org = ? AND idempotency_key = ?',
  findById: 'SELECT * FROM artifacts WHERE org = ? AND id = ? AND flow = ?',
  findByDigits: `SELECT count(DISTINCT fingerprint) AS count, min(fingerprint) AS fingerprint FROM artifacts
    WHERE org = ? AND flow = ? AND fingerprint >= ? AND fingerprint < ? || 'g'`,
  findByDigitsInTrail: `SELECT count(DISTINCT fingerprint) AS count, min(fingerprint) AS fingerprint FROM artifacts
    WHERE org = ? AND flow = ? AND trail = ? AND fingerprint >= ? AND fingerprint < ? || 'g'`,
  listByTrail: `SELECT * FROM artifacts WHERE org = ? AND flow = ? AND trail = ?
    ORDER BY sequence DESC LIMIT ? + 0`,
  listAppearances: `SELECT a.*, e.latest FROM appearances a
    JOIN environments e ON e.org = a.org AND e.name = a.environment
    WHERE a.org = ? AND a.fingerprint = ? ORDER BY a.exited IS NOT NULL, a.started_at DESC, a.environment
    LIMIT ? + 0`,
  findLatestInAnyFlow: `SELECT * FROM artifacts r WHERE org = ?1 AND fingerprint = ?2 AND ${counts}
    ORDER BY rowid DESC LIMIT 1`,
  // Flows come first, so that no other artifact is read.
  listLatestByFlow: `SELECT r.* FROM (
      SELECT flow, max(sequence) AS sequence FROM artifacts r WHERE org = ?1 AND fingerprint = ?2 AND ${counts}
      GROUP BY flow
    ) l CROSS JOIN artifacts r ON r.org = ?1 AND r.flow = l.flow AND r.sequence = l.sequence ORDER BY l.flow`,
  findLatestOther: `SELECT * FROM artifacts WHERE org = ? AND flow = ? AND fingerprint <> ?
    ORDER BY sequence DESC LIMIT 1`,
  findLatestOtherOnBranch: `SELECT * FROM artifacts
    WHERE org = ? AND flow = ? AND fingerprint <> ? AND report ->> '$.git_commit_info.branch' = ?
    ORDER BY sequence DESC LIMIT 1`,
  listByCommit: `SELECT r.* FROM (
      SELECT max(sequence) AS sequence FROM artifacts
      WHERE org = ?1 AND report ->> '$.git_commit' = ?3 AND flow = ?2 GROUP BY fingerprint
    ) l CROSS JOIN artifacts r ON r.org = ?1 AND r.flow = ?2 AND r.sequence = l.sequence
    ORDER BY l.sequence DESC LIMIT ?4 + 0`,
  listByCommitInTrail: `SELECT r.* FROM (
      SELECT max(sequence) AS sequence FROM artifacts
      WHERE org = ?1 AND report ->> '$.git_commit' = ?3 AND flow = ?2 AND trail = ?5 GROUP BY fingerprint
    ) l CROSS JOIN artifacts r ON r.org = ?1 AND r.flow = ?2 AND r.sequence = l.sequence
    ORDER BY l.sequence DESC LIMIT ?4 + 0`,
  listByFlow: `SELECT * FROM artifacts WHERE org = ? AND flow = ?
    ORDER BY sequence DESC LIMIT ? + 0 OFFSET ? + 0`,
  listByRepository: `SELECT * FROM artifacts WHERE org = ? AND report ->> '$.repo_info.name' = ?
    ORDER BY rowid DESC LIMIT ? + 0 OFFSET ? + 0`,
  findFingerprints: `SELECT DISTINCT fingerprint AS found FROM artifacts
    WHERE org = ? AND fingerprint >= ? AND fingerprint < ? || 'g' LIMIT ? + 0`,
  findCommits: `SELECT DISTINCT report ->> '$.git_commit' AS found FROM artifacts
    WHERE org = ? AND report ->> '$.git_commit' >= ? AND report ->> '$.git_commit' < ? || 'g' LIMIT ? + 0`,
  // `+` keeps SQLite from reading all artifacts in the order of their fingerprints.
  listFingerprintsOfCommit: `SELECT DISTINCT +fingerprint AS found FROM artifacts
    WHERE org = ? AND report ->> '$.git_commit' = ? ORDER BY found LIMIT ? + 0`,
} as const;

const writing = {
  insert: `INSERT INTO artifacts (org, flow, sequence, trail, id, fingerprint, created_at, reported_by, report,
      counts_for, idempotency_key, request_digest)
    SELECT ?1, ?2, coalesce(max(sequence), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
    FROM artifacts WHERE org = ?1 AND flow = ?2`,
} as const;

/** The parameters of `counts`. */
function toParameters(audience: Audience | undefined): readonly [number | null, string | null] {
  return [audience === undefined ? null : 1, audience?.environment ?? null];
}

/** Artifacts in SQLite, for reading. */
export class SqliteArtifactReader implements ArtifactReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  findLatest({ org, flow, trail }: ArtifactPlace, fingerprint: string): Promise<ReportedArtifact | undefined> {
    const { findLatest, findLatestInTrail } = this.#statements;
    return this.session.execute(() => {
      const row =
        trail === undefined
          ? findLatest.get(org, flow, fingerprint)
          : findLatestInTrail.get(org, flow, trail, fingerprint);
      return optional(row, toReportedArtifact);
    });
  }

  exists({ org, flow, trail }: ArtifactPlace, fingerprint: string): Promise<boolean> {
    const { exists, existsInTrail } = this.#statements;
    return this.session.execute(() => {
      const row =
        trail === undefined ? exists.get(org, flow, fingerprint) : existsInTrail.get(org, flow, trail, fingerprint);
      return row !== undefined;
    });
  }

  findRequestDigest(org: string, key: string): Promise<string | undefined> {
    return this.session.execute(() =>
      optional(this.#statements.findRequestDigest.get(org, key), (row) => text(row, 'request_digest')),
    );
  }

  findById(org: string, flow: string, id: string): Promise<ReportedArtifact | undefined> {
    return this.session.execute(() => optional(this.#statements.findById.get(org, id, flow), toReportedArtifact));
  }

  findByDigits({ org, flow, trail }: ArtifactPlace, digits: string): ReturnType<ArtifactReader['findByDigits']> {
    const { findByDigits, findByDigitsInTrail } = this.#statements;
    return this.session.execute(() => {
      const row =
        trail === undefined
          ? findByDigits.get(org, flow, digits, digits)
          : findByDigitsInTrail.get(org, flow, trail, digits, digits);
      const count = number(row ?? {}, 'count');
      return { fingerprint: count === 0 ? undefined : text(row ?? {}, 'fingerprint'), count };
    });
  }

  listByTrail(org: string, flow: string, trail: string, limit: number): Promise<readonly ReportedArtifact[]> {
    return this.session.execute(() =>
      this.#statements.listByTrail.all(org, flow, trail, limit).map(toReportedArtifact),
    );
  }

  listAppearances(org: string, fingerprint: string, limit: number): Promise<readonly Appearance[]> {
    return this.session.execute(() => this.#statements.listAppearances.all(org, fingerprint, limit).map(toAppearance));
  }

  findLatestInAnyFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, ReportedArtifact>> {
    return this.session.execute(
      () =>
        new Map(
          fingerprints.flatMap((fingerprint) => {
            const row = this.#statements.findLatestInAnyFlow.get(org, fingerprint, ...toParameters(audience));
            return row === undefined ? [] : [[fingerprint, toReportedArtifact(row)] as const];
          }),
        ),
    );
  }

  listLatestByFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, readonly ReportedArtifact[]>> {
    return this.session.execute(
      () =>
        new Map(
          fingerprints.flatMap((fingerprint) => {
            const rows = this.#statements.listLatestByFlow.all(org, fingerprint, ...toParameters(audience));
            return rows.length === 0 ? [] : [[fingerprint, rows.map(toReportedArtifact)] as const];
          }),
        ),
    );
  }

  findLatestOther(
    { org, flow }: ArtifactPlace,
    fingerprint: string,
    branch?: string,
  ): Promise<ReportedArtifact | undefined> {
    const { findLatestOther, findLatestOtherOnBranch } = this.#statements;
    return this.session.execute(() => {
      const row =
        branch === undefined
          ? findLatestOther.get(org, flow, fingerprint)
          : findLatestOtherOnBranch.get(org, flow, fingerprint, branch);
      return optional(row, toReportedArtifact);
    });
  }

  listByCommit(
    { org, flow, trail }: ArtifactPlace,
    commit: string,
    limit: number,
  ): Promise<readonly ReportedArtifact[]> {
    const { listByCommit, listByCommitInTrail } = this.#statements;
    return this.session.execute(() => {
      const rows =
        trail === undefined
          ? listByCommit.all(org, flow, commit, limit)
          : listByCommitInTrail.all(org, flow, commit, limit, trail);
      return rows.map(toReportedArtifact);
    });
  }

  listReports(
    source: ReportSource,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<readonly ReportedArtifact[]> {
    const { listByFlow, listByRepository } = this.#statements;
    return this.session.execute(() => {
      const rows =
        'flow' in source
          ? listByFlow.all(source.org, source.flow, limit, offset)
          : listByRepository.all(source.org, source.repository, limit, offset);
      return rows.map(toReportedArtifact);
    });
  }

  findMatches(org: string, digits: string, limit: number): Promise<DigitMatches> {
    const { findFingerprints, findCommits } = this.#statements;
    return this.session.execute(() => ({
      fingerprints: findFingerprints.all(org, digits, digits, limit).map((row) => text(row, 'found')),
      commits: findCommits.all(org, digits, digits, limit).map((row) => text(row, 'found')),
    }));
  }

  listFingerprintsOfCommit(org: string, commit: string, limit: number): Promise<readonly string[]> {
    const { listFingerprintsOfCommit } = this.#statements;
    return this.session.execute(() =>
      listFingerprintsOfCommit.all(org, commit, limit).map((row) => text(row, 'found')),
    );
  }
}

/** Artifacts in SQLite, for writing. */
export class SqliteArtifactWriter extends SqliteArtifactReader implements ArtifactWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insert(artifact: ReportedArtifact, reportJson: string, requestKey?: RecordKey): Promise<void> {
    const { org, flow, id, createdAt, reportedBy, report } = artifact;
    const { key = null, digest = null } = requestKey ?? {};
    const { trail_name: trail, fingerprint } = report;
    return this.session.execute(() => {
      this.#statements.insert.run(
        ...[
          org,
          flow,
          trail,
          id,
          fingerprint,
          createdAt,
          reportedBy,
          reportJson,
          countsForColumn(artifact),
          key,
          digest,
        ],
      );
    });
  }
}
