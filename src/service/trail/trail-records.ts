import type { TrailReport } from '../../contract/trail.ts';
import type { Trail, TrailReference, TrailUpdate } from './trail.ts';
import type { FileTemplate } from '../template/template.ts';
import {
  defineStatements,
  either,
  isAnyOf,
  lookUp,
  type ListPart,
  Repository,
  type Statement,
  type Value,
  valuesOf,
} from '../platform/database/database.ts';
import { document, number, optionalNumber, optionalText, text, type Row } from '../platform/database/rows.ts';

/** Selects trails. */
export interface TrailFilter {
  readonly flow?: string | undefined;
  /** Only trails of these flows. Not together with `flow` or `namePrefix`. */
  readonly flows?: readonly string[] | undefined;
  /** Only trails to which an artifact with this fingerprint was reported. */
  readonly fingerprint?: string | undefined;
  /** Only trails whose name begins with this text. They are sorted by name. Not together with `fingerprint`. */
  readonly namePrefix?: string | undefined;
}

const columns = 't.org, t.flow, t.name, t.created_at, t.last_modified_at, t.report, t.counts';

// The artifacts of a fingerprint are few, so they come first. SQLite might read those of all trails.
const withArtifact = `FROM (
    SELECT DISTINCT flow, trail FROM artifacts ${either('INDEXED BY artifacts_by_fingerprint_in_any_flow', '')}
    WHERE org = $1 AND fingerprint = $2 AND ($3::text[] IS NULL OR ${isAnyOf('flow', '$3')})
  ) l ${lookUp('trails', 't', 't.org = $1 AND t.flow = l.flow AND t.name = l.trail')}`;

// No name contains a character above `~`, so the range ends before U+007F.
const byName = `FROM trails t WHERE org = $1 AND name >= $2 AND name < $2 || '\u{7f}'`;
const byNameInFlow = `${byName} AND flow = $3`;

/** The commit of the trail `t`: the one that it was begun for, else its name, which is one by default. */
export const trailCommit = `coalesce(${either("t.report ->> '$.git_commit_info.sha1'", "t.report::json #>> '{git_commit_info,sha1}'")}, t.name)`;

const newestFirst = `ORDER BY t.${either('rowid', 'place')} DESC`;

const statements = defineStatements('trails', {
  find: `SELECT ${columns} FROM trails t WHERE org = $1 AND flow = $2 AND name = $3`,
  listTemplates: `SELECT t.trail, t.template FROM ${valuesOf('$3')}
    ${lookUp('trail_templates', 't', 't.org = $1 AND t.flow = $2 AND t.trail = m.value')}`,
  listTimes: `SELECT t.name, coalesce(t.begun_at, t.created_at) AS begun_at FROM ${valuesOf('$3')}
    ${lookUp('trails', 't', 't.org = $1 AND t.flow = $2 AND t.name = m.value')}`,
  listUpdates: `SELECT updated_at, commit_sha, commit_url FROM trail_updates
    WHERE org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4`,
  list: `SELECT ${columns} FROM trails t WHERE org = $1 ${newestFirst} LIMIT $2 OFFSET $3`,
  listOfFlow: `SELECT ${columns} FROM trails t WHERE org = $1 AND flow = $2 ${newestFirst} LIMIT $3 OFFSET $4`,
  listOfFlows: `SELECT ${columns} FROM trails t WHERE org = $1 AND ${isAnyOf('t.flow', '$2')} ${newestFirst} LIMIT $3 OFFSET $4`,
  listWithArtifact: `SELECT ${columns} ${withArtifact} ${newestFirst} LIMIT $4 OFFSET $5`,
  listByName: `SELECT ${columns} ${byName} ORDER BY name, flow LIMIT $3 OFFSET $4`,
  listByNameInFlow: `SELECT ${columns} ${byNameInFlow} ORDER BY name LIMIT $4 OFFSET $5`,
  // The trails of a commit are few, so they come before their order.
  listByCommit: `SELECT ${columns} FROM trails t WHERE org = $1 AND flow = $2 AND ${trailCommit} = $3
    ORDER BY t.${either('rowid', 'place')} + 0 DESC LIMIT $4`,
  count: 'SELECT count(*) AS count FROM trails WHERE org = $1',
  countOfFlow: 'SELECT count(*) AS count FROM trails WHERE org = $1 AND flow = $2',
  countOfFlows: `SELECT count(*) AS count FROM trails WHERE org = $1 AND ${isAnyOf('flow', '$2')}`,
  countWithArtifact: `SELECT count(*) AS count ${withArtifact}`,
  countByName: `SELECT count(*) AS count ${byName}`,
  countByNameInFlow: `SELECT count(*) AS count ${byNameInFlow}`,
  insertMissing: `INSERT INTO trails (org, flow, name, created_at, report, counts) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING`,
  save: `INSERT INTO trails (org, flow, name, created_at, last_modified_at, report, counts, begun_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (org, flow, name) DO UPDATE SET last_modified_at = excluded.last_modified_at, report = excluded.report,
      counts = excluded.counts, begun_at = coalesce(excluded.begun_at, trails.begun_at)`,
  addUpdate: `INSERT INTO trail_updates (org, flow, trail, sequence, updated_at, commit_sha, commit_url) VALUES ($1, $2, $3,
    (SELECT coalesce(max(sequence), 0) + 1 FROM trail_updates WHERE org = $1 AND flow = $2 AND trail = $3), $4, $5, $6)`,
  saveTemplate: `INSERT INTO trail_templates (org, flow, trail, template) VALUES ($1, $2, $3, $4)
    ON CONFLICT (org, flow, trail) DO UPDATE SET template = excluded.template`,
});

export class TrailReader extends Repository {
  find({ org, flow, name }: TrailReference): Promise<Trail | undefined> {
    return this.queryFirst(statements.find, [org, flow, name], toTrail);
  }

  /** The templates of those of these trails that have their own, by trail. */
  async listTemplates(
    org: string,
    flow: string,
    trails: readonly string[],
  ): Promise<ReadonlyMap<string, FileTemplate>> {
    const rows = await this.database.query(statements.listTemplates, [org, flow, trails]);
    // Written by this service.
    return new Map(rows.map((row) => [text(row, 'trail'), JSON.parse(text(row, 'template')) as FileTemplate]));
  }

  /** When those of the trails that exist were begun for their present commit, in Unix seconds, by name. */
  async listTimes(org: string, flow: string, trails: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query(statements.listTimes, [org, flow, trails]);
    return new Map(rows.map((row) => [text(row, 'name'), number(row, 'begun_at')]));
  }

  /** The latest updates, newest first. */
  listUpdates({ org, flow, name }: TrailReference, limit: number): Promise<readonly TrailUpdate[]> {
    return this.queryAll(statements.listUpdates, [org, flow, name, limit], toTrailUpdate);
  }

  /** Trails in the order in which they were created, the latest first; by name if they are selected by name. */
  async list(org: string, filter: TrailFilter, { offset, limit }: ListPart): Promise<readonly Trail[]> {
    const { list, values } = selectTrails(org, filter);
    return (await this.database.query(list, [...values, limit, offset])).map(toTrail);
  }

  /** The latest trails of a flow whose commit is this one, the latest first. */
  listByCommit(org: string, flow: string, sha: string, limit: number): Promise<readonly Trail[]> {
    return this.queryAll(statements.listByCommit, [org, flow, sha, limit], toTrail);
  }

  count(org: string, filter: TrailFilter): Promise<number> {
    const { count, values } = selectTrails(org, filter);
    return this.queryNumber(count, values, 'count');
  }
}

/** The statements that list and count the trails of a filter, with its values. */
function selectTrails(
  org: string,
  { flow, flows, fingerprint, namePrefix }: TrailFilter,
): { readonly list: Statement; readonly count: Statement; readonly values: readonly Value[] } {
  const { list, listOfFlow, listOfFlows, listWithArtifact, listByName, listByNameInFlow } = statements;
  const { count, countOfFlow, countOfFlows, countWithArtifact, countByName, countByNameInFlow } = statements;
  if (namePrefix !== undefined) {
    return flow === undefined
      ? { list: listByName, count: countByName, values: [org, namePrefix] }
      : { list: listByNameInFlow, count: countByNameInFlow, values: [org, namePrefix, flow] };
  }
  if (fingerprint !== undefined) {
    return {
      list: listWithArtifact,
      count: countWithArtifact,
      values: [org, fingerprint, flows ?? (flow === undefined ? null : [flow])],
    };
  }
  if (flows !== undefined) return { list: listOfFlows, count: countOfFlows, values: [org, flows] };
  return flow === undefined
    ? { list, count, values: [org] }
    : { list: listOfFlow, count: countOfFlow, values: [org, flow] };
}

export class TrailWriter extends TrailReader {
  /** Inserts the trail unless it exists; an existing one is not changed. Its flow must exist. */
  insertMissing({ org, flow, name, createdAt, report, counts = false }: Omit<Trail, 'lastModifiedAt'>): Promise<void> {
    const values = [org, flow, name, createdAt, JSON.stringify(report), Number(counts)];
    return this.database.run(statements.insertMissing, values);
  }

  /**
   * Inserts the trail, or replaces all but its time of creation. Its flow must exist.
   *
   * @param begunAt when it was begun for another commit than before, if it is
   */
  save({ report, counts = false, ...trail }: Trail, begunAt?: number): Promise<void> {
    const { org, flow, name, createdAt, lastModifiedAt } = trail;
    const values = [createdAt, lastModifiedAt, JSON.stringify(report), Number(counts), begunAt ?? null];
    return this.database.run(statements.save, [org, flow, name, ...values]);
  }

  /** Adds an update to the history of a trail, which must exist. */
  addUpdate({ org, flow, name }: TrailReference, { at, commit }: TrailUpdate): Promise<void> {
    return this.database.run(statements.addUpdate, [org, flow, name, at, commit?.sha1 ?? null, commit?.url ?? null]);
  }

  /** Gives the trail a template of its own, in place of the one that it may have. It must exist. */
  saveTemplate({ org, flow, name }: TrailReference, template: FileTemplate): Promise<void> {
    return this.database.run(statements.saveTemplate, [org, flow, name, JSON.stringify(template)]);
  }
}

function toTrail(row: Row): Trail {
  return {
    org: text(row, 'org'),
    flow: text(row, 'flow'),
    name: text(row, 'name'),
    createdAt: number(row, 'created_at'),
    lastModifiedAt: optionalNumber(row, 'last_modified_at') ?? number(row, 'created_at'),
    report: document(row, 'report') as TrailReport,
    counts: number(row, 'counts') === 1,
  };
}

function toTrailUpdate(row: Row): TrailUpdate {
  const sha1 = optionalText(row, 'commit_sha');
  const url = optionalText(row, 'commit_url');
  const commit = sha1 === undefined ? undefined : { sha1, ...(url === undefined ? {} : { url }) };
  return { at: number(row, 'updated_at'), commit };
}
