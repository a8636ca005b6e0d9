import type { Flow } from '../../domain/records.ts';
import type { FlowFilter, FlowHead, FlowReader, FlowWriter } from '../flows.ts';
import type { ListPart } from '../list-part.ts';
import { number, optional, toFlow, toFlowHead } from '../rows.ts';
import type { Session } from './session.ts';
import { defineStatements, type Value } from './statements.ts';

const matches = `org = $1 AND ($2::text IS NULL OR
  strpos(CASE WHEN $3 THEN name ELSE lower(name) END, CASE WHEN $3 THEN $2 ELSE lower($2) END) > 0)`;

const statements = defineStatements('flows', {
  exists: 'SELECT 1 FROM flows WHERE org = $1 AND name = $2',
  find: `SELECT org, name, description, visibility, template, repo_url, created_at, last_modified_at
    FROM flows WHERE org = $1 AND name = $2`,
  list: `SELECT org, name, description, visibility FROM flows WHERE ${matches} ORDER BY name LIMIT $4 OFFSET $5`,
  count: `SELECT count(*) AS count FROM flows WHERE ${matches}`,
  save: `INSERT INTO flows (org, name, description, visibility, template, repo_url, created_at, last_modified_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (org, name) DO UPDATE SET description = excluded.description, visibility = excluded.visibility,
      template = excluded.template, repo_url = excluded.repo_url, created_at = excluded.created_at,
      last_modified_at = excluded.last_modified_at`,
});

/** Flows in PostgreSQL, for reading. */
export class PostgresFlowReader implements FlowReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async exists(org: string, name: string): Promise<boolean> {
    return (await this.session.query(statements.exists, [org, name])).length > 0;
  }

  async find(org: string, name: string): Promise<Flow | undefined> {
    const [row] = await this.session.query(statements.find, [org, name]);
    return optional(row, toFlow);
  }

  async list(org: string, filter: FlowFilter, { offset, limit }: ListPart): Promise<readonly FlowHead[]> {
    const rows = await this.session.query(statements.list, [...toParameters(org, filter), limit, offset]);
    return rows.map(toFlowHead);
  }

  async count(org: string, filter: FlowFilter): Promise<number> {
    const [row = {}] = await this.session.query(statements.count, toParameters(org, filter));
    return number(row, 'count');
  }
}

function toParameters(org: string, { search, isCaseSensitive = true }: FlowFilter): readonly Value[] {
  return [org, search ?? null, isCaseSensitive];
}

/** Flows in PostgreSQL, for writing. */
export class PostgresFlowWriter extends PostgresFlowReader implements FlowWriter {
  save(flow: Flow): Promise<void> {
    const { org, name, description, visibility = null, repoUrl = null, createdAt, lastModifiedAt } = flow;
    return this.session.run(statements.save, [
      ...[org, name, description, visibility, JSON.stringify(flow.template), repoUrl],
      ...[createdAt, lastModifiedAt],
    ]);
  }
}
