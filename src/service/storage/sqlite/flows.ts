import type { Flow } from '../../domain/records.ts';
import type { FlowFilter, FlowHead, FlowReader, FlowWriter } from '../flows.ts';
import type { ListPart } from '../list-part.ts';
import { number, optional, toFlow, toFlowHead } from '../rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const matches = `org = ?1 AND (?2 IS NULL OR instr(iif(?3, name, lower(name)), iif(?3, ?2, lower(?2))) > 0)`;

// `+ 0` after limits: SQLite recompiles a statement for every value that is bound directly to a limit.
const reading = {
  exists: 'SELECT 1 FROM flows WHERE org = ? AND name = ?',
  find: 'SELECT * FROM flows WHERE org = ? AND name = ?',
  list: `SELECT org, name, description, visibility FROM flows WHERE ${matches}
    ORDER BY name LIMIT ?4 + 0 OFFSET ?5 + 0`,
  count: `SELECT count(*) AS count FROM flows WHERE ${matches}`,
} as const;

const writing = {
  save: `INSERT INTO flows (org, name, description, visibility, template, repo_url, created_at, last_modified_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET description = excluded.description, visibility = excluded.visibility,
      template = excluded.template, repo_url = excluded.repo_url, created_at = excluded.created_at,
      last_modified_at = excluded.last_modified_at`,
} as const;

/** Flows in SQLite, for reading. */
export class SqliteFlowReader implements FlowReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  exists(org: string, name: string): Promise<boolean> {
    return this.session.execute(() => this.#statements.exists.get(org, name) !== undefined);
  }

  find(org: string, name: string): Promise<Flow | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, name), toFlow));
  }

  list(org: string, filter: FlowFilter, { offset, limit }: ListPart): Promise<readonly FlowHead[]> {
    const parameters = toParameters(org, filter);
    return this.session.execute(() => this.#statements.list.all(...parameters, limit, offset).map(toFlowHead));
  }

  count(org: string, filter: FlowFilter): Promise<number> {
    const parameters = toParameters(org, filter);
    return this.session.execute(() => number(this.#statements.count.get(...parameters) ?? {}, 'count'));
  }
}

function toParameters(org: string, { search, isCaseSensitive = true }: FlowFilter): [string, string | null, number] {
  return [org, search ?? null, Number(isCaseSensitive)];
}

/** Flows in SQLite, for writing. */
export class SqliteFlowWriter extends SqliteFlowReader implements FlowWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  save(flow: Flow): Promise<void> {
    const { org, name, description, visibility = null, repoUrl = null, createdAt, lastModifiedAt } = flow;
    const template = JSON.stringify(flow.template);
    return this.session.execute(() => {
      this.#statements.save.run(org, name, description, visibility, template, repoUrl, createdAt, lastModifiedAt);
    });
  }
}
