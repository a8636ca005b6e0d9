import type { NumberRange } from '../../domain/environment/snapshot-series.ts';
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
import {
  toJudgedReference,
  toPendingSnapshot,
  toRunningEvent,
  toSnapshotVerdict,
  toStoredSnapshot,
} from '../rows/snapshots.ts';
import { number, optional, text } from '../rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

/** What started and stopped running; the parameters are those of `toMovementValues`. */
function selectMovements(order: 'ASC' | 'DESC'): string {
  return `SELECT * FROM (
      SELECT started AS number, started_at AS at, 1 AS is_start, fingerprint, name FROM appearances
        WHERE org = ?1 AND environment = ?2 AND started BETWEEN ?3 AND ?4
      UNION ALL SELECT exited, exited_at, 0, fingerprint, name FROM appearances
        WHERE org = ?1 AND environment = ?2 AND exited BETWEEN ?3 AND ?4
    ) AS e
    WHERE (?5 IS NULL OR at >= ?5) AND (?6 IS NULL OR at <= ?6)
      AND (?7 IS NULL OR EXISTS (SELECT 1 FROM artifacts r WHERE r.org = ?1 AND r.fingerprint = e.fingerprint
        AND r.report ->> '$.repo_info.name' IN (SELECT m.value FROM json_each(?7) m)))
    ORDER BY number ${order}, is_start ${order}, fingerprint ${order} LIMIT ?8 OFFSET ?9`;
}

const reading = {
  listMovements: selectMovements('ASC'),
  listLatestMovements: selectMovements('DESC'),
  find: 'SELECT * FROM snapshots WHERE org = ? AND environment = ? AND number = ?',
  findContent: 'SELECT content FROM snapshots WHERE org = ? AND environment = ? AND number = ?',
  findVerdict: `SELECT environment, number, made_at, compliant FROM snapshots
    WHERE org = ? AND environment = ? AND number = ?`,
  findJudgement: `SELECT environment, number, judgement FROM snapshots
    WHERE org = ? AND environment = ? AND number = ?`,
  // SQLite stores the length, so the content is not read.
  findContentBytes: `SELECT coalesce(sum(octet_length(s.content)), 0) AS size FROM json_each(?1) m
    JOIN snapshots s ON s.org = ?2 AND s.environment = m.value ->> 'environment' AND s.number = m.value ->> 'number'`,
  listRange: `SELECT environment, number, made_at, compliant FROM snapshots
    WHERE org = ? AND environment = ? AND number BETWEEN ? AND ? ORDER BY number`,
  // One search of the index for each verdict.
  findVerdictStart: `SELECT environment, number, made_at, compliant FROM snapshots
    WHERE org = ?1 AND environment = ?2 AND number = 1 + (
      SELECT coalesce(max(other.number), 0) FROM (
        SELECT 0 AS verdict, max(number) AS number FROM snapshots
          WHERE org = ?1 AND environment = ?2 AND compliant = 0
        UNION ALL SELECT 1, max(number) FROM snapshots WHERE org = ?1 AND environment = ?2 AND compliant = 1
        UNION ALL SELECT NULL, max(number) FROM snapshots WHERE org = ?1 AND environment = ?2 AND compliant IS NULL
      ) AS other
      WHERE other.verdict IS NOT (
        SELECT compliant FROM snapshots WHERE org = ?1 AND environment = ?2 ORDER BY number DESC LIMIT 1
      )
    )`,
  findTime: 'SELECT made_at FROM snapshots WHERE org = ? AND environment = ? AND number = ?',
  listStepsBack: 'SELECT number FROM snapshots WHERE org = ? AND environment = ? AND stepped_back = 1 ORDER BY number',

  findPending: 'SELECT * FROM pending_snapshots WHERE org = ? AND environment = ?',
  listPendingFor: `SELECT * FROM pending_snapshots
      WHERE org = ?1 AND environment IN (SELECT member FROM environment_members WHERE org = ?1 AND environment = ?2)
    UNION ALL SELECT * FROM pending_snapshots WHERE org = ?1 AND environment = ?2`,
  findNextPending: `SELECT * FROM pending_snapshots WHERE (org, environment) > (?, ?)
    ORDER BY org, environment LIMIT 1`,
} as const;

const writing = {
  insert: `INSERT INTO snapshots (org, environment, number, made_at, compliant, judgement, content, stepped_back)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  setLatest: 'UPDATE environments SET latest = ? WHERE org = ? AND name = ?',
  setContent: 'UPDATE snapshots SET content = ? WHERE org = ? AND environment = ? AND number = ?',

  // All artifacts in one statement: one statement for each takes 50 % longer.
  start: `INSERT INTO appearances (org, fingerprint, environment, started, started_at, name)
    SELECT ?, m.value ->> 'fingerprint', ?, ?, ?, m.value ->> 'name' FROM json_each(?) m`,
  // Uses the index of current appearances, because an artifact can have started and exited any number of times.
  exit: `UPDATE appearances INDEXED BY appearances_now SET exited = ?, exited_at = ?
    WHERE org = ? AND environment = ? AND exited IS NULL AND fingerprint IN (SELECT m.value FROM json_each(?) m)`,

  savePending: `INSERT INTO pending_snapshots (org, environment, since, forced) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET since = excluded.since, forced = max(forced, excluded.forced)`,
  deletePending: 'DELETE FROM pending_snapshots WHERE org = ? AND environment = ?',
} as const;

/** Snapshots in SQLite, for reading. */
export class SqliteSnapshotReader implements SnapshotReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(org: string, { environment, number: wanted }: SnapshotReference): Promise<StoredSnapshot | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, environment, wanted), toStoredSnapshot));
  }

  listContents(org: string, references: readonly SnapshotReference[]): Promise<readonly string[]> {
    return this.session.execute(() =>
      references.flatMap(({ environment, number: wanted }) => {
        const row = this.#statements.findContent.get(org, environment, wanted);
        return row === undefined ? [] : [text(row, 'content')];
      }),
    );
  }

  findVerdicts(org: string, references: readonly SnapshotReference[]): Promise<readonly SnapshotVerdict[]> {
    return this.session.execute(() =>
      references.flatMap(({ environment, number: wanted }) => {
        const row = this.#statements.findVerdict.get(org, environment, wanted);
        return row === undefined ? [] : [toSnapshotVerdict(row)];
      }),
    );
  }

  listJudgements(org: string, references: readonly SnapshotReference[]): Promise<readonly JudgedReference[]> {
    return this.session.execute(() =>
      references.flatMap(({ environment, number: wanted }) => {
        const row = this.#statements.findJudgement.get(org, environment, wanted);
        return row === undefined ? [] : [toJudgedReference(row)];
      }),
    );
  }

  findContentBytes(org: string, references: readonly SnapshotReference[]): Promise<number> {
    return this.session.execute(() =>
      references.length === 0
        ? 0
        : number(this.#statements.findContentBytes.get(JSON.stringify(references), org) ?? {}, 'size'),
    );
  }

  listRange(org: string, environment: string, { first, last }: NumberRange): Promise<readonly SnapshotVerdict[]> {
    return this.session.execute(() =>
      this.#statements.listRange.all(org, environment, first, last).map(toSnapshotVerdict),
    );
  }

  findVerdictStart(org: string, environment: string): Promise<SnapshotVerdict | undefined> {
    return this.session.execute(() =>
      optional(this.#statements.findVerdictStart.get(org, environment), toSnapshotVerdict),
    );
  }

  listTimes(org: string, environment: string, numbers: readonly number[]): Promise<readonly number[]> {
    return this.session.execute(() => numbers.map((wanted) => this.#findTime(org, environment, wanted)));
  }

  listStepsBack(org: string, environment: string): Promise<readonly number[]> {
    return this.session.execute(() =>
      this.#statements.listStepsBack.all(org, environment).map((row) => number(row, 'number')),
    );
  }

  findFirstNotBefore(org: string, environment: string, { first, last }: NumberRange, time: number): Promise<number> {
    return this.session.execute(() => {
      let [low, high] = [first, last + 1];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (this.#findTime(org, environment, middle) >= time) high = middle;
        else low = middle + 1;
      }
      return low;
    });
  }

  listMovements(query: MovementQuery): Promise<readonly RunningEvent[]> {
    const { org, environment, range, since = null, until = null, repositories, page } = query;
    const { listMovements, listLatestMovements } = this.#statements;
    const names = repositories === undefined ? null : JSON.stringify(repositories);
    const place = [page.size, (page.page - 1) * page.size];
    return this.session.execute(() =>
      (page.ascending ? listMovements : listLatestMovements)
        .all(org, environment, range.first, range.last, since, until, names, ...place)
        .map(toRunningEvent),
    );
  }

  findPending({ org, environment }: PendingReference): Promise<PendingSnapshot | undefined> {
    return this.session.execute(() => optional(this.#statements.findPending.get(org, environment), toPendingSnapshot));
  }

  listPendingFor(org: string, environments: readonly string[]): Promise<readonly PendingSnapshot[]> {
    return this.session.execute(() =>
      environments.flatMap((environment) =>
        this.#statements.listPendingFor.all(org, environment).map(toPendingSnapshot),
      ),
    );
  }

  findNextPending(after: PendingReference | undefined): Promise<PendingSnapshot | undefined> {
    const { org = '', environment = '' } = after ?? {};
    const { findNextPending } = this.#statements;
    return this.session.execute(() =>
      optional(findNextPending.get(org, environment) ?? findNextPending.get('', ''), toPendingSnapshot),
    );
  }

  #findTime(org: string, environment: string, wanted: number): number {
    return number(this.#statements.findTime.get(org, environment, wanted) ?? {}, 'made_at');
  }
}

/** Snapshots in SQLite, for writing. */
export class SqliteSnapshotWriter extends SqliteSnapshotReader implements SnapshotWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insert(snapshot: StoredSnapshot, isStepBack: boolean): Promise<void> {
    const { org, environment, number: at, from, judgement, content } = snapshot;
    const compliant = judgement.compliant === null ? null : Number(judgement.compliant);
    const values = [org, environment, at, from, compliant, JSON.stringify(judgement), content, Number(isStepBack)];
    return this.session.execute(() => {
      this.#statements.insert.run(...values);
      this.#statements.setLatest.run(at, org, environment);
    });
  }

  replaceContent(org: string, { environment, number: at }: SnapshotReference, content: string): Promise<void> {
    return this.session.execute(() => {
      this.#statements.setContent.run(content, org, environment, at);
    });
  }

  recordMovement(
    org: string,
    { environment, number: at, from }: SnapshotReference & { readonly from: number },
    { started, exited }: { readonly started: readonly StartedArtifact[]; readonly exited: readonly string[] },
  ): Promise<void> {
    return this.session.execute(() => {
      this.#statements.exit.run(at, from, org, environment, JSON.stringify(exited));
      this.#statements.start.run(org, environment, at, from, JSON.stringify(started));
    });
  }

  savePending({ org, environment, since, forced }: PendingSnapshot): Promise<void> {
    return this.session.execute(() => {
      this.#statements.savePending.run(org, environment, since, Number(forced));
    });
  }

  deletePending({ org, environment }: PendingReference): Promise<void> {
    return this.session.execute(() => {
      this.#statements.deletePending.run(org, environment);
    });
  }
}
