import type { Value } from '../database.ts';
import type { Trail, TrailReference, TrailUpdate } from '../../domain/records.ts';
import type { FileTemplate } from '../../domain/template/template.ts';
import type { ListPart } from '../list-part.ts';
import { number, optional, text, toTrail, toTrailUpdate } from '../rows.ts';
import { toFileTemplate } from '../rows/trails.ts';
import type { TrailFilter, TrailReader, TrailWriter } from '../trails.ts';
import type { Session } from './session.ts';
import { defineStatements, type PostgresStatement } from './statements.ts';

const columns = 't.org, t.flow, t.name, t.created_at, t.last_modified_at, t.report';

// The artifacts of a fingerprint are few. `LIMIT 1` makes the planner look up each of their trails by its key.
const withArtifact = `FROM (
    SELECT DISTINCT flow, trail FROM artifacts WHERE org = $1 AND fingerprint = $2 AND ($3::text IS NULL OR flow = $3)
  ) l CROSS JOIN LATERAL (
    SELECT ${columns}, t.place FROM trails t WHERE t.org = $1 AND t.flow = l.flow AND t.name = l.trail LIMIT 1
  ) t`;

// No name contains a character above `~`, so the range ends before U+007F.
const byName = `FROM trails t WHERE org = $1 AND name >= $2 AND name < $2 || chr(127)`;
const byNameInFlow = `FROM trails t WHERE org = $1 AND flow = $2 AND name >= $3 AND name < $3 || chr(127)`;

const statements = defineStatements('trails', {
  find: `SELECT ${columns} FROM trails t WHERE org = $1 AND flow = $2 AND name = $3`,
  listTemplates: `SELECT t.trail, t.template FROM unnest($3::text[]) AS n (trail) CROSS JOIN LATERAL (
      SELECT trail, template FROM trail_templates WHERE org = $1 AND flow = $2 AND trail = n.trail LIMIT 1
    ) t`,
  listUpdates: `SELECT updated_at, commit_sha, commit_url FROM trail_updates
    WHERE org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4`,
  list: `SELECT ${columns} FROM trails t WHERE org = $1 ORDER BY place DESC LIMIT $2 OFFSET $3`,
  listOfFlow: `SELECT ${columns} FROM trails t WHERE org = $1 AND flow = $2 ORDER BY place DESC LIMIT $3 OFFSET $4`,
  listWithArtifact: `SELECT ${columns} ${withArtifact} ORDER BY t.place DESC LIMIT $4 OFFSET $5`,
  listByName: `SELECT ${columns} ${byName} ORDER BY name, flow LIMIT $3 OFFSET $4`,
  listByNameInFlow: `SELECT ${columns} ${byNameInFlow} ORDER BY name LIMIT $4 OFFSET $5`,
  countByName: `SELECT count(*) AS count ${byName}`,
  countByNameInFlow: `SELECT count(*) AS count ${byNameInFlow}`,
  count: 'SELECT count(*) AS count FROM trails WHERE org = $1',
  countOfFlow: 'SELECT count(*) AS count FROM trails WHERE org = $1 AND flow = $2',
  countWithArtifact: `SELECT count(*) AS count ${withArtifact}`,
  insertMissing: `INSERT INTO trails (org, flow, name, created_at, report) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING`,
  save: `INSERT INTO trails (org, flow, name, created_at, last_modified_at, report) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (org, flow, name) DO UPDATE SET last_modified_at = excluded.last_modified_at, report = excluded.report`,
  addUpdate: `INSERT INTO trail_updates (org, flow, trail, sequence, updated_at, commit_sha, commit_url)
    SELECT $1, $2, $3,
      (SELECT coalesce(max(sequence), 0) + 1 FROM trail_updates WHERE org = $1 AND flow = $2 AND trail = $3), $4, $5, $6`,
  saveTemplate: `INSERT INTO trail_templates (org, flow, trail, template) VALUES ($1, $2, $3, $4)
    ON CONFLICT (org, flow, trail) DO UPDATE SET template = excluded.template`,
});

/** Trails in PostgreSQL, for reading. */
export class PostgresTrailReader implements TrailReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async find({ org, flow, name }: TrailReference): Promise<Trail | undefined> {
    const [row] = await this.session.query(statements.find, [org, flow, name]);
    return optional(row, toTrail);
  }

  async listTemplates(
    org: string,
    flow: string,
    trails: readonly string[],
  ): Promise<ReadonlyMap<string, FileTemplate>> {
    const rows = await this.session.query(statements.listTemplates, [org, flow, trails]);
    return new Map(rows.map((row) => [text(row, 'trail'), toFileTemplate(row)]));
  }

  async listUpdates({ org, flow, name }: TrailReference, limit: number): Promise<readonly TrailUpdate[]> {
    const rows = await this.session.query(statements.listUpdates, [org, flow, name, limit]);
    return rows.map(toTrailUpdate);
  }

  async list(org: string, filter: TrailFilter, { offset, limit }: ListPart): Promise<readonly Trail[]> {
    const { statement, values } = selectTrails(org, filter);
    return (await this.session.query(statement.list, [...values, limit, offset])).map(toTrail);
  }

  async count(org: string, filter: TrailFilter): Promise<number> {
    const { statement, values } = selectTrails(org, filter);
    const [row = {}] = await this.session.query(statement.count, values);
    return number(row, 'count');
  }
}

/** The statements that list and count the trails of a filter, with its values. */
function selectTrails(
  org: string,
  { flow, fingerprint, namePrefix }: TrailFilter,
): { readonly statement: Readonly<Record<'list' | 'count', PostgresStatement>>; readonly values: readonly Value[] } {
  const { list, listOfFlow, listWithArtifact, listByName, listByNameInFlow } = statements;
  const { count, countOfFlow, countWithArtifact, countByName, countByNameInFlow } = statements;
  if (namePrefix !== undefined) {
    return flow === undefined
      ? { statement: { list: listByName, count: countByName }, values: [org, namePrefix] }
      : { statement: { list: listByNameInFlow, count: countByNameInFlow }, values: [org, flow, namePrefix] };
  }
  if (fingerprint !== undefined) {
    return {
      statement: { list: listWithArtifact, count: countWithArtifact },
      values: [org, fingerprint, flow ?? null],
    };
  }
  return flow === undefined
    ? { statement: { list, count }, values: [org] }
    : { statement: { list: listOfFlow, count: countOfFlow }, values: [org, flow] };
}

/** Trails in PostgreSQL, for writing. */
export class PostgresTrailWriter extends PostgresTrailReader implements TrailWriter {
  insertMissing({ org, flow, name, createdAt, report }: Parameters<TrailWriter['insertMissing']>[0]): Promise<void> {
    return this.session.run(statements.insertMissing, [org, flow, name, createdAt, JSON.stringify(report)]);
  }

  save({ org, flow, name, createdAt, lastModifiedAt, report }: Trail): Promise<void> {
    return this.session.run(statements.save, [org, flow, name, createdAt, lastModifiedAt, JSON.stringify(report)]);
  }

  addUpdate({ org, flow, name }: TrailReference, { at, commit }: TrailUpdate): Promise<void> {
    return this.session.run(statements.addUpdate, [org, flow, name, at, commit?.sha1 ?? null, commit?.url ?? null]);
  }

  saveTemplate({ org, flow, name }: TrailReference, template: FileTemplate): Promise<void> {
    return this.session.run(statements.saveTemplate, [org, flow, name, JSON.stringify(template)]);
  }
}
