import type { Audience } from '../account/audience.ts';
import {
  defineStatements,
  either,
  isAnyOf,
  type ListPart,
  lookUp,
  lookUpAll,
  Repository,
  valuesOf,
} from '../platform/database/database.ts';
import { indexedLength } from '../platform/database/postgres/migrations/base.ts';
import {
  countsForColumn,
  document,
  isSet,
  number,
  optional,
  optionalJson,
  optionalNumber,
  recordersColumn,
  type Row,
  text,
  toRecord,
} from '../platform/database/rows.ts';
import type { RecordKey } from '../platform/idempotency/remembered-answer-records.ts';
import type { Appearance, ReportedArtifact } from './artifact.ts';

/** Where to look for reports of artifacts. */
export interface ArtifactPlace {
  readonly org: string;
  readonly flow: string;
  /** Only reports to this trail. */
  readonly trail?: string | undefined;
}

/** Which reports of the artifacts of a commit are wanted. */
export interface CommitQuery extends ArtifactPlace {
  /** Only reports that count for all of these environments. */
  readonly environments?: readonly string[];
}

/** The reports to a flow, or those from a repository. */
export type ReportSource = { readonly org: string } & ({ readonly flow: string } | { readonly repository: string });

interface FirstRun {
  readonly trail: string;
  readonly environment: string;
  readonly startedAt: number;
}

/** What begins with the same digits, without duplicates. */
export interface DigitMatches {
  readonly fingerprints: readonly string[];
  readonly commits: readonly string[];
}

const columns = 'a.org, a.flow, a.id, a.created_at, a.reported_by, a.counts_for, a.recorders, a.report';

/** Counts in the order of recording, across flows. */
const place = either('rowid', 'place');
const reference = (report: string): string =>
  either(`${report} ->> '$.template_reference_name'`, `${report}::json ->> 'template_reference_name'`);
const filename = (report: string): string => either(`${report} ->> '$.filename'`, `${report}::json ->> 'filename'`);
/** What a trail calls the artifact of a report: its name in the template, else the name of its file. */
const reportedName = (report: string): string =>
  `${reference(report)}, CASE WHEN ${reference(report)} IS NULL THEN ${filename(report)} END`;
const commit = either("report ->> '$.git_commit'", 'git_commit');

/** A condition for a long text of the report. In PostgreSQL, only the first characters of the column are in the index. */
const equals = (path: string, column: string, value: string): string =>
  either(
    `report ->> '$.${path}' = ${value}`,
    `left(${column}, ${indexedLength}) = left(${value}, ${indexedLength}) AND ${column} = ${value}`,
  );

// Hex digits sort before `g`, so the range from some digits to the same digits with `g` contains exactly the
// fingerprints that begin with them.
const beginsWith = (column: string, digits: string): string =>
  `${column} >= ${digits} AND ${column} < ${digits} || 'g'`;

/** The report of a row `l` with its flow and sequence number. */
const listedReport = lookUp('artifacts', 'a', 'a.org = $1 AND a.flow = l.flow AND a.sequence = l.sequence');

/** Whether the report `a` counts for the environment $4; every report counts if $3 is false. */
const counts = `(a.counts_for IS NULL OR NOT $3::boolean OR
  ${either('$4 IN (SELECT m.value FROM json_each(a.counts_for) m)', 'a.counts_for::jsonb ? $4::text')})`;

/** Whether a report counts for all environments of the list $6. */
const countsForAll = `(counts_for IS NULL OR ${either(
  'NOT EXISTS (SELECT 1 FROM json_each($6) m WHERE m.value NOT IN (SELECT c.value FROM json_each(counts_for) c))',
  'counts_for::jsonb ?& $6::text[]',
)})`;

const inFlow = 'org = $1 AND flow = $2 AND fingerprint';
const ofTrail = 'org = $1 AND flow = $2 AND trail = $3';
const inTrail = '($4::text IS NULL OR trail = $4)';

/** How many reports to a trail are read to find the latest of each name: others of the organization wait meanwhile. */
const maximumRead = 3000;

const statements = defineStatements('artifacts', {
  findLatest: `SELECT ${columns} FROM artifacts a WHERE ${inFlow} = $3 AND ${inTrail} ORDER BY sequence DESC LIMIT 1`,
  exists: `SELECT 1 FROM artifacts WHERE ${inFlow} = $3 AND ${inTrail} LIMIT 1`,
  findRequestDigest: 'SELECT request_digest FROM artifacts WHERE org = $1 AND idempotency_key = $2',
  isCurrent: `SELECT 1 FROM artifacts f WHERE f.org = $1 AND f.idempotency_key = $2 AND (f.fingerprint, ${commit}) = (
      SELECT r.fingerprint, ${commit} FROM (
        SELECT a.sequence FROM artifacts a WHERE a.org = f.org AND a.flow = f.flow AND a.trail = f.trail
        ORDER BY a.sequence + 0 DESC LIMIT $3
      ) l ${lookUp('artifacts', 'r', 'r.org = f.org AND r.flow = f.flow AND r.sequence = l.sequence')}
      WHERE (${reportedName('r.report')}) IS NOT DISTINCT FROM (${reportedName('f.report')})
      ORDER BY r.sequence DESC LIMIT 1)`,
  findById: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND id = $2 AND flow = $3`,
  findByDigits: `SELECT count(DISTINCT fingerprint) AS count, min(fingerprint) AS fingerprint FROM artifacts
    WHERE org = $1 AND flow = $2 AND ${beginsWith('fingerprint', '$3')} AND ${inTrail}`,
  // No index has the order of `+ 0`: in that of the sequence, all reports of the flow might be read.
  listByTrail: `SELECT ${columns} FROM (
      SELECT flow, sequence FROM artifacts WHERE ${ofTrail} ORDER BY sequence + 0 DESC LIMIT $4
    ) l ${listedReport} ORDER BY l.sequence DESC`,
  // Only the latest reports are read.
  listLatestByName: `SELECT ${columns}, (SELECT 1 FROM artifacts WHERE ${ofTrail} LIMIT 1 OFFSET $6) AS is_cut FROM (
      SELECT r.flow, max(r.sequence) AS sequence FROM (
        SELECT flow, sequence FROM artifacts WHERE ${ofTrail} ORDER BY sequence + 0 DESC LIMIT $6
      ) l ${lookUp('artifacts', 'r', 'r.org = $1 AND r.flow = l.flow AND r.sequence = l.sequence')}
      GROUP BY r.flow, ${reportedName('r.report')}, CASE WHEN $4::boolean THEN r.recorders END ORDER BY 2 DESC LIMIT $5
    ) l ${listedReport} ORDER BY l.sequence DESC`,
  listAppearances: `SELECT a.environment, a.started, a.started_at, a.exited, a.exited_at, e.latest FROM appearances a
    ${lookUp('environments', 'e', 'e.org = $1 AND e.name = a.environment')}
    WHERE a.org = $1 AND a.fingerprint = $2
    ORDER BY a.exited IS NOT NULL, a.started_at DESC, a.environment LIMIT $3`,
  listFirstStarts: `SELECT environment, min(started_at) AS started_at FROM appearances
    WHERE org = $1 AND fingerprint = $2 GROUP BY environment ORDER BY environment`,
  listFirstRuns: `SELECT m.value AS trail, a.environment, min(a.started_at) AS started_at FROM ${valuesOf('$3')}
    ${lookUpAll('artifacts', 'r', 'r.org = $1 AND r.flow = $2 AND r.trail = m.value')}
    ${lookUpAll('appearances', 'a', 'a.org = $1 AND a.fingerprint = r.fingerprint')} GROUP BY 1, 2`,
  findLatestInAnyFlow: `SELECT m.value AS fingerprint, ${columns} FROM ${valuesOf('$2')}
    ${lookUp(
      'artifacts',
      'a',
      `a.org = $1 AND a.fingerprint = m.value AND a.${place} = (
        SELECT max(a.${place}) FROM artifacts a WHERE a.org = $1 AND a.fingerprint = m.value AND ${counts}
      )`,
    )}`,
  listLatestByFlow: `SELECT l.fingerprint, ${columns} FROM (
      SELECT fingerprint, flow, max(sequence) AS sequence FROM artifacts a
      WHERE org = $1 AND ${isAnyOf('fingerprint', '$2')} AND ${counts} GROUP BY fingerprint, flow
    ) l ${listedReport} ORDER BY l.flow`,
  findLatestOther: `SELECT ${columns} FROM artifacts a WHERE ${inFlow} <> $3 ORDER BY sequence DESC LIMIT 1`,
  findLatestOtherOnBranch: `SELECT ${columns} FROM artifacts a
    WHERE ${inFlow} <> $3 AND ${equals('git_commit_info.branch', 'branch', '$4')} ORDER BY sequence DESC LIMIT 1`,
  // The artifacts of a commit are few, so they come before their order: no index has that of `|| ''`.
  listByCommit: `SELECT ${columns} FROM (
      SELECT flow, max(sequence) AS sequence FROM artifacts
      WHERE org = $1 AND ${commit} = $3 AND flow = $2 AND ($5::text IS NULL OR trail = $5) AND ${countsForAll}
      GROUP BY flow, fingerprint || '' ORDER BY 2 DESC LIMIT $4
    ) l ${listedReport} ORDER BY l.sequence DESC`,
  // The sequence has no gaps, so no report before the part is read.
  listByFlow: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND flow = $2 AND
      sequence <= (SELECT max(sequence) FROM artifacts WHERE org = $1 AND flow = $2) - $4::bigint
    ORDER BY sequence DESC LIMIT $3`,
  listByRepository: `SELECT ${columns} FROM artifacts a WHERE org = $1 AND ${equals('repo_info.name', 'repository', '$2')}
    ORDER BY ${place} DESC LIMIT $3 OFFSET $4`,
  findFingerprints: `SELECT DISTINCT fingerprint AS found FROM artifacts
    WHERE org = $1 AND ${beginsWith('fingerprint', '$2')} ORDER BY found LIMIT $3`,
  findCommits: `SELECT DISTINCT ${commit} AS found FROM artifacts
    WHERE org = $1 AND ${beginsWith(commit, '$2')} ORDER BY found LIMIT $3`,
  // As in `listByCommit`.
  listFingerprintsOfCommit: `SELECT DISTINCT fingerprint || '' AS found FROM artifacts
    WHERE org = $1 AND ${commit} = $2 ORDER BY found LIMIT $3`,
  insert: `INSERT INTO artifacts (org, flow, trail, id, fingerprint, created_at, reported_by, report, counts_for,
      recorders, idempotency_key, request_digest, sequence)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
      (SELECT coalesce(max(sequence), 0) + 1 FROM artifacts WHERE org = $1 AND flow = $2))`,
});

/** The parameters of `counts`. */
function toParameters(audience: Audience | undefined): readonly [boolean, string | null] {
  return [audience !== undefined, audience?.environment ?? null];
}

export class ArtifactReader extends Repository {
  findLatest({ org, flow, trail }: ArtifactPlace, fingerprint: string): Promise<ReportedArtifact | undefined> {
    return this.queryFirst(statements.findLatest, [org, flow, fingerprint, trail ?? null], toReportedArtifact);
  }

  async exists({ org, flow, trail }: ArtifactPlace, fingerprint: string): Promise<boolean> {
    return (await this.query(statements.exists, [org, flow, fingerprint, trail ?? null])).length > 0;
  }

  /** The digest of the request with this idempotency key that reported an artifact; undefined if there is none. */
  findRequestDigest(org: string, key: string): Promise<string | undefined> {
    return this.queryFirst(statements.findRequestDigest, [org, key], (found) => text(found, 'request_digest'));
  }

  /** Whether the latest report of this name in its trail is of the same artifact and commit as the one with this key. */
  async isCurrent(org: string, key: string): Promise<boolean> {
    return (await this.query(statements.isCurrent, [org, key, maximumRead])).length > 0;
  }

  findById(org: string, flow: string, id: string): Promise<ReportedArtifact | undefined> {
    return this.queryFirst(statements.findById, [org, id, flow], toReportedArtifact);
  }

  /** Finds the fingerprints that begin with these digits: their number, and one of them. */
  async findByDigits(
    { org, flow, trail }: ArtifactPlace,
    digits: string,
  ): Promise<{ readonly fingerprint: string | undefined; readonly count: number }> {
    const [row = {}] = await this.query(statements.findByDigits, [org, flow, digits, trail ?? null]);
    const count = number(row, 'count');
    return { fingerprint: count === 0 ? undefined : text(row, 'fingerprint'), count };
  }

  /** The latest reports to a trail, newest first. */
  listByTrail(org: string, flow: string, trail: string, limit: number): Promise<readonly ReportedArtifact[]> {
    return this.queryAll(statements.listByTrail, [org, flow, trail, limit], toReportedArtifact);
  }

  /**
   * The latest report of each artifact to a trail by its name in the template, else by its file name, newest first; at most
   * `limit`.
   *
   * @param ofEachRecorder whether the latest of each recorder is wanted
   */
  async listLatestByName(
    org: string,
    flow: string,
    trail: string,
    { ofEachRecorder, limit }: { readonly ofEachRecorder: boolean; readonly limit: number },
  ): Promise<{ readonly reports: readonly ReportedArtifact[]; readonly isComplete: boolean }> {
    const values = [org, flow, trail, ofEachRecorder, limit + 1, maximumRead];
    const rows = await this.query(statements.listLatestByName, values);
    const isCut = rows.length > limit || rows.some((row) => isSet(row, 'is_cut'));
    return { reports: rows.slice(0, limit).map(toReportedArtifact), isComplete: !isCut };
  }

  /** When the first artifact of each trail of a flow first ran in each environment. */
  listFirstRuns(org: string, flow: string, trails: readonly string[]): Promise<readonly FirstRun[]> {
    return this.queryAll(statements.listFirstRuns, [org, flow, trails], toFirstRun);
  }

  /** Where the artifact runs, then where it ran, each newest first. */
  listAppearances(org: string, fingerprint: string, limit: number): Promise<readonly Appearance[]> {
    return this.queryAll(statements.listAppearances, [org, fingerprint, limit], toAppearance);
  }

  /** When the artifact first started in each environment, in Unix seconds. */
  async listFirstStarts(org: string, fingerprint: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.query(statements.listFirstStarts, [org, fingerprint]);
    return new Map(rows.map((row) => [text(row, 'environment'), number(row, 'started_at')]));
  }

  /**
   * The latest report of each artifact in any flow, by fingerprint. Unreported artifacts are left out.
   *
   * @param audience only reports that count for it; without one, all
   */
  async findLatestInAnyFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, ReportedArtifact>> {
    const values = [org, fingerprints, ...toParameters(audience)];
    const rows = await this.query(statements.findLatestInAnyFlow, values);
    return new Map(rows.map((row) => [text(row, 'fingerprint'), toReportedArtifact(row)]));
  }

  /**
   * The latest report of each artifact in each flow that it was reported to, by fingerprint; sorted by flow.
   *
   * @param audience only reports that count for it; without one, all
   */
  async listLatestByFlow(
    org: string,
    fingerprints: readonly string[],
    audience?: Audience,
  ): Promise<ReadonlyMap<string, readonly ReportedArtifact[]>> {
    const values = [org, fingerprints, ...toParameters(audience)];
    const rows = await this.query(statements.listLatestByFlow, values);
    const found = Map.groupBy(rows, (row) => text(row, 'fingerprint'));
    return new Map(
      fingerprints.flatMap((fingerprint) => {
        const latest = found.get(fingerprint);
        return latest === undefined ? [] : [[fingerprint, latest.map(toReportedArtifact)] as const];
      }),
    );
  }

  /**
   * The latest report of an artifact with another fingerprint.
   *
   * @param branch only reports for a commit on this branch
   */
  async findLatestOther(
    { org, flow }: ArtifactPlace,
    fingerprint: string,
    branch?: string,
  ): Promise<ReportedArtifact | undefined> {
    const { findLatestOther, findLatestOtherOnBranch } = statements;
    const [row] =
      branch === undefined
        ? await this.query(findLatestOther, [org, flow, fingerprint])
        : await this.query(findLatestOtherOnBranch, [org, flow, fingerprint, branch]);
    return optional(row, toReportedArtifact);
  }

  /** The latest report of each artifact that was built from a commit, newest first. */
  listByCommit(
    { org, flow, trail, environments = [] }: CommitQuery,
    commit: string,
    limit: number,
  ): Promise<readonly ReportedArtifact[]> {
    const values = [org, flow, commit, limit, trail ?? null, environments];
    return this.queryAll(statements.listByCommit, values, toReportedArtifact);
  }

  /** All reports of a flow or of a repository, newest first. */
  async listReports(source: ReportSource, { limit, offset }: ListPart): Promise<readonly ReportedArtifact[]> {
    const rows =
      'flow' in source
        ? await this.query(statements.listByFlow, [source.org, source.flow, limit, offset])
        : await this.query(statements.listByRepository, [source.org, source.repository, limit, offset]);
    return rows.map(toReportedArtifact);
  }

  /** The fingerprints and commits in the reports of all flows that begin with these digits, at most `limit` of each. */
  async findMatches(org: string, digits: string, limit: number): Promise<DigitMatches> {
    const [fingerprints, commits] = await Promise.all([
      this.query(statements.findFingerprints, [org, digits, limit]),
      this.query(statements.findCommits, [org, digits, limit]),
    ]);
    return { fingerprints: fingerprints.map(toFound), commits: commits.map(toFound) };
  }

  /** The fingerprints of the artifacts of all flows that were built from a commit. */
  listFingerprintsOfCommit(org: string, commit: string, limit: number): Promise<readonly string[]> {
    return this.queryAll(statements.listFingerprintsOfCommit, [org, commit, limit], toFound);
  }
}

function toFound(row: Row): string {
  return text(row, 'found');
}

export class ArtifactWriter extends ArtifactReader {
  /**
   * Inserts the report as the latest of its flow. Its trail must exist.
   *
   * @param reportJson its report as JSON, serialized before the transaction, because other transactions wait for it
   * @param requestKey unique within the organization
   */
  insert(artifact: ReportedArtifact, reportJson: string, requestKey?: RecordKey): Promise<void> {
    const { org, flow, id, createdAt, reportedBy, report } = artifact;
    const { key = null, digest = null } = requestKey ?? {};
    const { trail_name: trail, fingerprint } = report;
    return this.run(statements.insert, [
      ...[org, flow, trail, id, fingerprint, createdAt, reportedBy, reportJson],
      ...[countsForColumn(artifact), recordersColumn(artifact), key, digest],
    ]);
  }
}

const toReportedArtifact = toRecord<Omit<ReportedArtifact, 'countsFrom'>>({
  ...{ org: text, flow: text, id: text, createdAt: number, reportedBy: text, countsFor: optionalJson },
  ...{ recorders: optionalJson, report: document },
});

const toFirstRun = toRecord<FirstRun>({ trail: text, environment: text, startedAt: number });

/** Converts a row to an appearance. The row must include `latest` of the environment. */
const toAppearance = toRecord<Appearance>({
  ...{ environment: text, started: number, startedAt: number, exitedAt: optionalNumber },
  last: (row) => (row['exited'] === null ? number(row, 'latest') : number(row, 'exited') - 1),
});
