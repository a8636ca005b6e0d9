import {
  defineStatements,
  either,
  isAnyOf,
  lookUp,
  Repository,
  type Statement,
} from '../platform/database/database.ts';
import {
  column,
  flag,
  flagOrNull,
  number,
  optional,
  optionalNumber,
  type Row,
  text,
  toRecord,
} from '../platform/database/rows.ts';
import type { VerdictSpan } from '../platform/rate.ts';
import type { NumberRange } from '../platform/time-series.ts';
import type { EnvironmentJudgement, PolicyBreach } from '../policy/judge-environment.ts';
import type { SnapshotReference } from './snapshot.ts';
import type { Movement } from './snapshot-events.ts';
import type { SortedPart } from './snapshot-series.ts';

export interface StoredSnapshot extends JudgedReference {
  readonly org: string;
  /** The content as JSON (`serializeContent`); returned unchanged. */
  readonly content: string;
}

export interface SnapshotVerdict extends SnapshotReference {
  readonly from: number;
  readonly compliant: boolean | null;
}

/** The judgement of a snapshot, without its content. */
export interface JudgedReference extends SnapshotReference {
  readonly from: number;
  readonly judgement: EnvironmentJudgement;
}

export interface PendingReference {
  readonly org: string;
  readonly environment: string;
}

export interface PendingSnapshot extends PendingReference {
  /** The time of the latest change that affected the environment, in Unix seconds. */
  readonly since: number;
  /** Whether to create a snapshot even if the verdict stays the same. */
  readonly forced: boolean;
}

/** A query for what started and stopped running in an environment. */
export interface MovementQuery {
  readonly org: string;
  readonly environment: string;
  readonly range: NumberRange;
  /** In Unix seconds, both included; undefined for no limit. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** Only artifacts that were reported from any of these repositories; undefined for all. */
  readonly repositories: readonly string[] | undefined;
  readonly part: SortedPart;
}

/** An artifact that started or stopped running. */
export interface RunningEvent {
  /** The number of the first snapshot that shows it. */
  readonly snapshot: number;
  readonly at: number;
  readonly type: 'started' | 'exited';
  readonly fingerprint: string;
  /** Its name when it started; empty if it is not known. */
  readonly name: string;
}

/** What started and stopped running; the parameters are those of `listMovements`. */
function selectMovements(order: 'ASC' | 'DESC'): string {
  return `${selectEnds('started', order)} UNION ALL ${selectEnds('exited', order)}
    ORDER BY number ${order}, is_start ${order}, fingerprint ${order} LIMIT $8 OFFSET $9`;
}

/**
 * One end of what ran, only as much as the page can need: the index has it in order. `OFFSET 0` keeps PostgreSQL from
 * reading all artifacts of the repositories.
 */
function selectEnds(end: 'started' | 'exited', order: 'ASC' | 'DESC'): string {
  const repository = either("r.report ->> '$.repo_info.name'", 'r.repository');
  return `SELECT number, at, is_start, fingerprint, name FROM (
    SELECT ${end} AS number, ${end}_at AS at, ${end === 'started' ? 1 : 0} AS is_start, fingerprint, name
      FROM appearances a
      WHERE org = $1 AND environment = $2 AND ${end} BETWEEN $3 AND $4
        AND ($5::double precision IS NULL OR ${end}_at >= $5) AND ($6::double precision IS NULL OR ${end}_at <= $6)
        AND ($7::text[] IS NULL OR EXISTS (SELECT 1 FROM artifacts r WHERE r.org = $1
          AND r.fingerprint = a.fingerprint AND ${isAnyOf(repository, '$7')} ${either('', 'OFFSET 0')}))
      ORDER BY ${end} ${order}, fingerprint ${order} LIMIT $8::bigint + $9::bigint
  ) AS movements`;
}

/** The last snapshot before those of `l` that has another verdict. */
const lastOther = `SELECT max(o.number) FROM (
    ${['= 0', '= 1', 'IS NULL']
      .map(
        (
          is,
        ) => `SELECT compliant, number FROM (SELECT compliant, number FROM snapshots WHERE org = $1 AND environment = $2
      AND compliant ${is} AND number < l.last ORDER BY number DESC LIMIT 1) AS one`,
      )
      .join(' UNION ALL ')}
  ) o WHERE o.compliant IS DISTINCT FROM l.compliant`;

const pending = 'p.org, p.environment, p.since, p.forced';
const verdict = 'environment, number, made_at, compliant';
const referenced = 'FROM snapshots WHERE org = $1 AND environment = $2 AND number = $3';

const statements = defineStatements('snapshots', {
  listMovements: selectMovements('ASC'),
  listLatestMovements: selectMovements('DESC'),
  find: `SELECT org, environment, number, made_at, judgement, content ${referenced}`,
  findContent: `SELECT content ${referenced}`,
  findVerdict: `SELECT ${verdict} ${referenced}`,
  findJudgement: `SELECT environment, number, made_at, judgement ${referenced}`,
  findTime: `SELECT made_at ${referenced}`,
  // Databases store the length, so the content is not read.
  findSize: `SELECT octet_length(content) AS size ${referenced}`,
  listRange: `SELECT ${verdict} FROM snapshots
    WHERE org = $1 AND environment = $2 AND number BETWEEN $3 AND $4 ORDER BY number`,
  // From the last snapshot with a verdict to the last one with another verdict before it, by the index of verdicts.
  listVerdictSpans: `WITH RECURSIVE spans (last, compliant, ended_at) AS (
      SELECT e.latest, s.compliant, CAST(NULL AS double precision) FROM environments e
        ${lookUp('snapshots', 's', 's.org = $1 AND s.environment = $2 AND s.number = e.latest')}
        WHERE e.org = $1 AND e.name = $2
      UNION ALL SELECT s.number, s.compliant, n.made_at FROM spans l
        ${lookUp('snapshots', 's', `s.org = $1 AND s.environment = $2 AND s.number = (${lastOther})`)}
        ${lookUp('snapshots', 'n', 'n.org = $1 AND n.environment = $2 AND n.number = s.number + 1')}
        WHERE l.ended_at IS NULL OR l.ended_at > $3
    ) SELECT l.compliant, l.ended_at, (SELECT made_at FROM snapshots WHERE org = $1 AND environment = $2 AND number = 1) AS first_at
      FROM spans l LIMIT $4`,
  listStarts: `SELECT fingerprint, started_at FROM appearances ${either('INDEXED BY appearances_now', '')}
    WHERE org = $1 AND environment = $2 AND exited IS NULL AND ${isAnyOf('fingerprint', '$3')}`,
  listStepsBack: `SELECT number FROM snapshots
    WHERE org = $1 AND environment = $2 AND stepped_back = 1 ORDER BY number`,

  findPending: `SELECT ${pending} FROM pending_snapshots p WHERE p.org = $1 AND p.environment = $2`,
  listPendingFor: `SELECT ${pending} FROM pending_snapshots p WHERE p.org = $1 AND p.environment IN (
      SELECT member FROM environment_members WHERE org = $1 AND environment = $2 UNION ALL SELECT $2::text
    ) ORDER BY p.environment = $2, p.environment`,
  findNextPending: `SELECT ${pending} FROM pending_snapshots p WHERE (org, environment) > ($1, $2)
    ORDER BY org, environment LIMIT 1`,

  insert: `INSERT INTO snapshots (org, environment, number, made_at, compliant, judgement, content, stepped_back)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
  setLatest: 'UPDATE environments SET latest = $3 WHERE org = $1 AND name = $2',
  setContent: 'UPDATE snapshots SET content = $4 WHERE org = $1 AND environment = $2 AND number = $3',

  // With one of the names in the snapshot, all artifacts in one statement: one statement for each takes 50 % longer.
  start: `INSERT INTO appearances (org, environment, started, started_at, fingerprint, name)
    SELECT $1, $2, $3, $4, fingerprint, max(name) FROM (
      SELECT m.value ->> 'fingerprint' AS fingerprint, m.value ->> 'name' AS name
        FROM snapshots s, ${either('json_each(s.content)', 'json_array_elements(s.content::json)')} m
        WHERE s.org = $1 AND s.environment = $2 AND s.number = $3
    ) AS running WHERE ${isAnyOf('fingerprint', '$5')} GROUP BY fingerprint`,
  // Uses the index of current appearances, because an artifact can have started and exited any number of times.
  exit: `UPDATE appearances ${either('INDEXED BY appearances_now', '')} SET exited = $3, exited_at = $4
    WHERE org = $1 AND environment = $2 AND exited IS NULL AND ${isAnyOf('fingerprint', '$5')}`,

  savePending: `INSERT INTO pending_snapshots AS p (org, environment, since, forced) VALUES ($1, $2, $3, $4)
    ON CONFLICT (org, environment) DO UPDATE SET since = excluded.since,
      forced = ${either('max', 'greatest')}(p.forced, excluded.forced)`,
  deletePending: 'DELETE FROM pending_snapshots WHERE org = $1 AND environment = $2',
});

/** Reads snapshots. Those of an environment are numbered from 1 to the latest, without gaps. */
export class SnapshotReader extends Repository {
  async find(org: string, reference: SnapshotReference): Promise<StoredSnapshot | undefined> {
    const [row] = await this.#query(statements.find, org, [reference]);
    return optional(row, toStoredSnapshot);
  }

  /** The contents of the existing snapshots among these, in the order of the references. */
  async listContents(org: string, references: readonly SnapshotReference[]): Promise<readonly string[]> {
    return (await this.#query(statements.findContent, org, references)).map((row) => text(row, 'content'));
  }

  /** The verdicts of the existing snapshots among these; much cheaper than reading the snapshots. */
  async findVerdicts(org: string, references: readonly SnapshotReference[]): Promise<readonly SnapshotVerdict[]> {
    return (await this.#query(statements.findVerdict, org, references)).map(toSnapshotVerdict);
  }

  /** The judgements of the existing snapshots among these, in the order of the references. */
  async listJudgements(org: string, references: readonly SnapshotReference[]): Promise<readonly JudgedReference[]> {
    return (await this.#query(statements.findJudgement, org, references)).map(toJudgedReference);
  }

  /** The total size of the contents in bytes; much cheaper than reading them. */
  async findContentBytes(org: string, references: readonly SnapshotReference[]): Promise<number> {
    const rows = await this.#query(statements.findSize, org, references);
    return rows.reduce((sum, row) => sum + number(row, 'size'), 0);
  }

  /** Runs a statement for each of the references, and returns the rows in their order. */
  async #query(statement: Statement, org: string, references: readonly SnapshotReference[]): Promise<readonly Row[]> {
    const found = references.map((reference) => this.query(statement, [org, reference.environment, reference.number]));
    return (await Promise.all(found)).flat();
  }

  /** The snapshots of the range in ascending order. */
  listRange(org: string, environment: string, range: NumberRange): Promise<readonly SnapshotVerdict[]> {
    return this.queryAll(statements.listRange, [org, environment, range.first, range.last], toSnapshotVerdict);
  }

  /** The times of these snapshots, which must exist. */
  async listTimes(org: string, environment: string, numbers: readonly number[]): Promise<readonly number[]> {
    const references = numbers.map((wanted) => ({ environment, number: wanted }));
    return (await this.#query(statements.findTime, org, references)).map((row) => number(row, 'made_at'));
  }

  /** Lists the periods without a change of the verdict that end after `since`, the latest first, at most `limit`. */
  async listVerdictSpans(
    org: string,
    environment: string,
    since: number,
    limit: number,
  ): Promise<readonly VerdictSpan[]> {
    // One more, because a period begins when the one before it ends.
    const rows = await this.query(statements.listVerdictSpans, [org, environment, since, limit + 1]);
    return rows.slice(0, limit).map((row, index) => {
      const before = rows[index + 1];
      return {
        compliant: flagOrNull(row, 'compliant'),
        from: (before === undefined ? undefined : optionalNumber(before, 'ended_at')) ?? number(row, 'first_at'),
        to: optionalNumber(row, 'ended_at'),
      };
    });
  }

  /** When those of the artifacts that run in an environment began to run there, in Unix seconds, by fingerprint. */
  async listStarts(
    org: string,
    environment: string,
    fingerprints: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await this.query(statements.listStarts, [org, environment, fingerprints]);
    return new Map(rows.map((row) => [text(row, 'fingerprint'), number(row, 'started_at')]));
  }

  /** The numbers whose time is before that of their predecessor, in ascending order; usually none. */
  listStepsBack(org: string, environment: string): Promise<readonly number[]> {
    return this.queryAll(statements.listStepsBack, [org, environment], (row) => number(row, 'number'));
  }

  /** A page of what started and stopped running. */
  async listMovements(query: MovementQuery): Promise<readonly RunningEvent[]> {
    const { org, environment, range, since = null, until = null, repositories = null, part } = query;
    const statement = part.ascending ? statements.listMovements : statements.listLatestMovements;
    const rows = await this.query(statement, [
      ...[org, environment, range.first, range.last, since, until, repositories],
      ...[part.limit, part.offset],
    ]);
    return rows.map(toRunningEvent);
  }

  findPending({ org, environment }: PendingReference): Promise<PendingSnapshot | undefined> {
    return this.queryFirst(statements.findPending, [org, environment], toPendingSnapshot);
  }

  /**
   * The pending snapshots to create before these environments are read: those of their members first, then their own.
   */
  async listPendingFor(org: string, environments: readonly string[]): Promise<readonly PendingSnapshot[]> {
    const found = environments.map((name) => this.query(statements.listPendingFor, [org, name]));
    return (await Promise.all(found)).flat().map(toPendingSnapshot);
  }

  /** The next pending snapshot after this one, round-robin through all organizations; undefined if there is none. */
  async findNextPending(after: PendingReference | undefined): Promise<PendingSnapshot | undefined> {
    const [row] = await this.query(statements.findNextPending, [after?.org ?? '', after?.environment ?? '']);
    if (row === undefined && after !== undefined) return this.findNextPending(undefined);
    return optional(row, toPendingSnapshot);
  }
}

export class SnapshotWriter extends SnapshotReader {
  /** Inserts the snapshot as the latest of its environment. */
  async insert(snapshot: StoredSnapshot, isStepBack: boolean): Promise<void> {
    const { org, environment, number: at, from, judgement, content } = snapshot;
    const compliant = judgement.compliant === null ? null : Number(judgement.compliant);
    const values = [org, environment, at, from, compliant, JSON.stringify(judgement), content, Number(isStepBack)];
    await Promise.all([this.run(statements.insert, values), this.run(statements.setLatest, [org, environment, at])]);
  }

  replaceContent(org: string, { environment, number: at }: SnapshotReference, content: string): Promise<void> {
    return this.run(statements.setContent, [org, environment, at, content]);
  }

  /** Records which artifacts started and which stopped running with this snapshot, which was inserted. */
  async recordMovement(
    org: string,
    { environment, number: at, from }: SnapshotReference & { readonly from: number },
    { started, exited }: Movement,
  ): Promise<void> {
    const place = [org, environment, at, from];
    if (exited.length > 0) await this.run(statements.exit, [...place, exited]);
    if (started.length > 0) await this.run(statements.start, [...place, started]);
  }

  /** Records a pending snapshot. If there is one already, it gets the new time and stays forced if it was. */
  savePending({ org, environment, since, forced }: PendingSnapshot): Promise<void> {
    return this.run(statements.savePending, [org, environment, since, Number(forced)]);
  }

  deletePending({ org, environment }: PendingReference): Promise<void> {
    return this.run(statements.deletePending, [org, environment]);
  }
}

const reference = { environment: text, number, from: column('made_at', number) };

const toSnapshotVerdict = toRecord<SnapshotVerdict>({ ...reference, compliant: flagOrNull });

const toJudgedReference = toRecord<JudgedReference>({ ...reference, judgement: toJudgement });

const toStoredSnapshot = toRecord<StoredSnapshot>({ ...reference, org: text, judgement: toJudgement, content: text });

const toPendingSnapshot = toRecord<PendingSnapshot>({ org: text, environment: text, since: number, forced: flag });

/** A judgement as it was written by this service. Earlier versions kept a sentence as the reason of a breach. */
function toJudgement(row: Row): EnvironmentJudgement {
  const judgement = JSON.parse(text(row, 'judgement')) as EnvironmentJudgement & {
    readonly breaches: readonly StoredBreach[];
  };
  return { ...judgement, breaches: judgement.breaches.map(toBreach) };
}

type StoredBreach = Omit<PolicyBreach, 'reason'> & { readonly reason: PolicyBreach['reason'] | string };

function toBreach({ reason, ...breach }: StoredBreach): PolicyBreach {
  const { name, policy } = breach;
  if (typeof reason !== 'string') return { ...breach, reason };
  return {
    ...breach,
    reason: { state: 'failed', about: name, rule: `policy ${policy}`, value: reason, source: { isUnclear: true } },
  };
}

/**
 * Converts a row that says when an artifact started (`is_start` is 1) or stopped running: `number` of the snapshot,
 * `at` in Unix seconds, `fingerprint` and `name`.
 */
const toRunningEvent = toRecord<RunningEvent>({
  ...{ snapshot: column('number', number), at: number, type: toEnd, fingerprint: text, name: text },
});

function toEnd(row: Row): RunningEvent['type'] {
  return flag(row, 'is_start') ? 'started' : 'exited';
}
