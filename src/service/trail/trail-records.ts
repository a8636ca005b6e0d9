import { type ArtifactState, artifactStates } from '../../contract/compliance.ts';
import {
  defineStatements,
  either,
  isAnyOf,
  type ListPart,
  lookUp,
  Repository,
  type Statement,
  type Value,
  valuesOf,
} from '../platform/database/database.ts';
import {
  column,
  document,
  flag,
  number,
  oneOf,
  optional,
  optionalNumber,
  optionalText,
  type Row,
  text,
  toRecord,
} from '../platform/database/rows.ts';
import type { Period, Rate } from '../platform/rate.ts';
import type { FileTemplate } from '../template/template.ts';
import type { ChangedSubject, Trail, TrailReference, TrailUpdate } from './trail.ts';

export interface TrailFilter {
  readonly flow?: string | undefined;
  /** Only trails of these flows. Not together with `flow`. */
  readonly flows?: readonly string[] | undefined;
  /** Only trails to which an artifact with this fingerprint was reported. */
  readonly fingerprint?: string | undefined;
}

/** Selects trails of a flow by their last verdict, and by the commit that they were begun for. */
export interface TrailSelection {
  /** The beginning of the name. */
  readonly namePrefix?: string | undefined;
  readonly state?: ArtifactState | undefined;
  readonly branch?: string | undefined;
  readonly author?: string | undefined;
  /** A name that must be among its saved faults. */
  readonly fault?: string | undefined;
  /** Begun at this time or later, in Unix seconds. */
  readonly from?: number | undefined;
  /** Begun before this time, in Unix seconds. */
  readonly to?: number | undefined;
}

/** How many trails of a flow in a state have this name among their saved faults. */
export interface FaultCount {
  readonly flow: string;
  readonly state: ArtifactState;
  readonly name: string;
  readonly trails: number;
}

export interface SavedVerdict {
  readonly state: ArtifactState;
  /** The names of the evidence and artifacts that keep the trail from being compliant. */
  readonly faults: readonly string[];
  /** When time alone changes the verdict, in Unix seconds; undefined for never. */
  readonly changesAt: number | undefined;
}

export const trailColumns =
  't.org, t.flow, t.name, t.created_at, t.last_modified_at, t.report, t.counts, t.state, t.state_since';

// The artifacts of a fingerprint are few, so they come first. SQLite might read those of all trails.
const withArtifact = `FROM (
    SELECT DISTINCT flow, trail FROM artifacts ${either('INDEXED BY artifacts_by_fingerprint_in_any_flow', '')}
    WHERE org = $1 AND fingerprint = $2 AND ($3::text[] IS NULL OR ${isAnyOf('flow', '$3')})
  ) l ${lookUp('trails', 't', 't.org = $1 AND t.flow = l.flow AND t.name = l.trail')}`;

/** Whether the name of the trail `t` begins with a text. No name contains a character above `~`, which is before U+007F. */
const beginsWith = (prefix: string): string => `t.name >= ${prefix} AND t.name < ${prefix} || '\u{7f}'`;

/** The commit of the trail `t`: the one that it was begun for, else its name, which is one by default. */
export const trailCommit = `coalesce(${either("t.report ->> '$.git_commit_info.sha1'", "t.report::json #>> '{git_commit_info,sha1}'")}, t.name)`;

/** Marks trails that a change may affect. */
const markTrails = 'UPDATE trails SET rejudge_at = $2 WHERE org = $1 AND (rejudge_at IS NULL OR rejudge_at > $2)';

/** The place of the trail `t` in the order of creation. */
const place = `t.${either('rowid', 'place')}`;
const newestFirst = `ORDER BY ${place} DESC`;

/** The branch or author of the commit of the trail `t`, cut to the 200 characters that indexes have. */
const ofCommit = (field: 'branch' | 'author'): string =>
  `substr(${either(`t.report ->> '$.git_commit_info.${field}'`, `t.report::json #>> '{git_commit_info,${field}}'`)}, 1, 200)`;

/** The part of a branch or author that trails are selected by. */
export function toIndexed(text: string): string {
  return Array.from(text.toWellFormed()).slice(0, 200).join('');
}

/** The saved faults of the trail `t`, as the rows of a table `f` with a column `value`. */
const faultsOf = either('json_each(t.faults) f', 'json_array_elements_text(t.faults::json) AS f (value)');

const selectors = {
  namePrefix: beginsWith('$3'),
  state: 't.state = $4',
  branch: `${ofCommit('branch')} = substr($5, 1, 200)`,
  author: `${ofCommit('author')} = substr($6, 1, 200)`,
  fault: `EXISTS (SELECT 1 FROM ${faultsOf} WHERE f.value = $7)`,
} as const;
type Selector = keyof typeof selectors;
const selectorNames = ['namePrefix', 'author', 'branch', 'state'] as const;

/** Selects trails by an index on one selector, or on the time; the others may be null. */
function selectBy(leading: Selector | undefined): string {
  // `+ 0` keeps the database from using the index on the time, because few trails have the name.
  const time = `t.created_at${leading === 'namePrefix' ? ' + 0' : ''}`;
  const conditions = Object.entries(selectors).map(([name, condition], index) =>
    name === leading ? condition : `($${index + 3}::text IS NULL OR ${condition})`,
  );
  return `FROM trails t WHERE t.org = $1 AND t.flow = $2 AND ${conditions.join(' AND ')} AND ${time} >= $8
    AND ${time} < $9 ORDER BY ${time} DESC, ${place} DESC LIMIT $10`;
}

/** Counts the trails of flows that were begun in a period, by their saved states; optionally only those of a branch. */
const countStates = (branch: string): string => {
  const count = (states: string): string => `(SELECT count(*) FROM trails t
    WHERE t.org = $1 AND t.flow = m.value ${branch} AND t.state ${states} AND t.created_at >= $3 AND t.created_at < $4)`;
  return `SELECT m.value AS flow, ${count("= 'COMPLIANT'")} AS good, ${count("IN ('NON-COMPLIANT', 'INCOMPLETE')")} AS rest
    FROM ${valuesOf('$2')}`;
};

const selecting = (leading: Selector | undefined): Readonly<Record<'list' | 'count', Statement>> =>
  defineStatements(`trails_by_${leading ?? 'time'}`, {
    list: `SELECT ${trailColumns} ${selectBy(leading)} OFFSET $11`,
    count: `SELECT count(*) AS count FROM (SELECT 1 ${selectBy(leading)}) AS selected`,
  });
const selectingByTime = selecting(undefined);
const selectingBy = new Map(selectorNames.map((leading) => [leading, selecting(leading)]));

const statements = defineStatements('trails', {
  find: `SELECT ${trailColumns} FROM trails t WHERE org = $1 AND flow = $2 AND name = $3`,
  listTemplates: `SELECT t.trail, t.template FROM ${valuesOf('$3')}
    ${lookUp('trail_templates', 't', 't.org = $1 AND t.flow = $2 AND t.trail = m.value')}`,
  listTimes: `SELECT t.name, coalesce(t.begun_at, t.created_at) AS begun_at FROM ${valuesOf('$3')}
    ${lookUp('trails', 't', 't.org = $1 AND t.flow = $2 AND t.name = m.value')}`,
  listUpdates: `SELECT updated_at, commit_sha, commit_url FROM trail_updates
    WHERE org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4`,
  list: `SELECT ${trailColumns} FROM trails t WHERE org = $1 ${newestFirst} LIMIT $2 OFFSET $3`,
  listOfFlow: `SELECT ${trailColumns} FROM trails t WHERE org = $1 AND flow = $2 ${newestFirst} LIMIT $3 OFFSET $4`,
  listOfFlows: `SELECT ${trailColumns} FROM trails t WHERE org = $1 AND ${isAnyOf('t.flow', '$2')} ${newestFirst} LIMIT $3 OFFSET $4`,
  listWithArtifact: `SELECT ${trailColumns} ${withArtifact} ${newestFirst} LIMIT $4 OFFSET $5`,
  listByName: `SELECT ${trailColumns} FROM trails t WHERE org = $1 AND ${beginsWith('$2')} ORDER BY name, flow LIMIT $3`,
  // The trails of a commit are few, so they come before their order.
  listByCommit: `SELECT ${trailColumns} FROM trails t WHERE org = $1 AND flow = $2 AND ${trailCommit} = $3
    ORDER BY ${place} + 0 DESC LIMIT $4`,
  count: 'SELECT count(*) AS count FROM trails WHERE org = $1',
  countOfFlow: 'SELECT count(*) AS count FROM trails WHERE org = $1 AND flow = $2',
  countOfFlows: `SELECT count(*) AS count FROM trails WHERE org = $1 AND ${isAnyOf('flow', '$2')}`,
  countWithArtifact: `SELECT count(*) AS count ${withArtifact}`,
  findMarkedOrg: `SELECT org FROM trails WHERE rejudge_at <= $1 ORDER BY rejudge_at LIMIT 1`,
  findMarkedFlowOrg: `SELECT org FROM flows WHERE rejudge_before > 0 LIMIT 1`,
  findNextMark: `SELECT min(rejudge_at) AS rejudge_at FROM trails WHERE rejudge_at > $1`,
  listMarked: `SELECT ${trailColumns} FROM trails t WHERE org = $1 AND rejudge_at <= $2 ORDER BY rejudge_at, flow LIMIT $3`,
  findMarkedFlow: `SELECT name, rejudge_before FROM flows WHERE org = $1 AND rejudge_before > 0 LIMIT 1`,
  isFlowMarked: `SELECT 1 FROM flows WHERE org = $1 AND name = $2 AND rejudge_before > 0`,
  listBefore: `SELECT ${trailColumns}, ${place} AS place FROM trails t WHERE org = $1 AND flow = $2 AND ${place} < $3
    ${newestFirst} LIMIT $4`,
  markFlow: `UPDATE flows SET rejudge_before = $3 WHERE org = $1 AND name = $2`,
  // Only requirements that name recorders depend on which ones exist.
  markOrg: `UPDATE flows SET rejudge_before = ${Number.MAX_SAFE_INTEGER} WHERE org = $1 AND (template LIKE '%"from":%'
    OR EXISTS (SELECT 1 FROM trail_templates t WHERE t.org = $1 AND t.flow = flows.name AND t.template LIKE '%"from":%'))`,
  markOfArtifact: `${markTrails} AND (flow, name) IN (
    SELECT flow, trail FROM artifacts ${either('INDEXED BY artifacts_by_fingerprint_in_any_flow', '')}
    WHERE org = $1 AND fingerprint = $3)`,
  // Whether evidence of artifacts counts can depend on the commit of the trail in which it was recorded.
  markRelated: `${markTrails} AND flow = $3 AND name IN (
    SELECT a.trail FROM attestations e JOIN artifacts a ON a.org = $1 AND a.flow = $3
      AND a.fingerprint = e.document::json ->> 'artifact_fingerprint'
    WHERE e.org = $1 AND e.flow = $3 AND e.trail = $4)`,
  // When the first saved state of a trail of an earlier version began is unknown.
  saveVerdict: `UPDATE trails SET state = $4, faults = $5, rejudge_at = $6, branch = $8, state_since = CASE
      WHEN state = $4 THEN state_since WHEN state IS NULL AND created_at < $7 THEN NULL ELSE $7 END
    WHERE org = $1 AND flow = $2 AND name = $3 AND (state IS DISTINCT FROM $4 OR faults IS DISTINCT FROM $5
      OR rejudge_at IS DISTINCT FROM $6::double precision OR branch IS DISTINCT FROM $8)`,
  listFlowsOnBranch: `SELECT m.value AS flow FROM ${valuesOf('$2')} WHERE EXISTS (
    SELECT 1 FROM trails t WHERE t.org = $1 AND t.flow = m.value AND t.branch = $3)`,
  countStates: countStates(''),
  countStatesOnBranch: countStates('AND t.branch = $5'),
  // The latest first, so that the limit keeps them.
  countFaults: `SELECT t.flow, t.state, f.value AS name, count(*) AS trails FROM (
      SELECT t.flow, t.state, t.faults FROM trails t WHERE t.org = $1 AND t.state <> 'COMPLIANT' AND t.created_at >= $3
        AND ${isAnyOf('t.flow', '$2')} AND ($5::text IS NULL OR t.branch = $5) ORDER BY t.created_at DESC LIMIT $4
    ) t, ${faultsOf} GROUP BY 1, 2, 3`,
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
    const rows = await this.query(statements.listTemplates, [org, flow, trails]);
    // Written by this service.
    return new Map(rows.map((row) => [text(row, 'trail'), JSON.parse(text(row, 'template')) as FileTemplate]));
  }

  /** When those of the trails that exist were begun for their present commit, in Unix seconds, by name. */
  async listTimes(org: string, flow: string, trails: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.query(statements.listTimes, [org, flow, trails]);
    return new Map(rows.map((row) => [text(row, 'name'), number(row, 'begun_at')]));
  }

  /** The latest updates, newest first. */
  listUpdates({ org, flow, name }: TrailReference, limit: number): Promise<readonly TrailUpdate[]> {
    return this.queryAll(statements.listUpdates, [org, flow, name, limit], toTrailUpdate);
  }

  /** Trails in the order in which they were created, the latest first; by name if they are selected by name. */
  async list(org: string, filter: TrailFilter, { offset, limit }: ListPart): Promise<readonly Trail[]> {
    const { list, values } = selectTrails(org, filter);
    return (await this.query(list, [...values, limit, offset])).map(toTrail);
  }

  /** Trails of all flows whose name begins with a text, by name. */
  listByName(org: string, namePrefix: string, limit: number): Promise<readonly Trail[]> {
    return this.queryAll(statements.listByName, [org, namePrefix, limit], toTrail);
  }

  /** The latest trails of a flow whose commit is this one, the latest first. */
  listByCommit(org: string, flow: string, sha: string, limit: number): Promise<readonly Trail[]> {
    return this.queryAll(statements.listByCommit, [org, flow, sha, limit], toTrail);
  }

  /** Trails of a flow, the latest first. */
  listSelected(
    org: string,
    flow: string,
    selection: TrailSelection,
    { offset, limit }: ListPart,
  ): Promise<readonly Trail[]> {
    const { list, values } = toSelecting(org, flow, selection);
    return this.queryAll(list, [...values, limit, offset], toTrail);
  }

  /** How many trails of a flow are selected; not more than `limit` are counted. */
  countSelected(org: string, flow: string, selection: TrailSelection, limit: number): Promise<number> {
    const { count, values } = toSelecting(org, flow, selection);
    return this.queryNumber(count, [...values, limit], 'count');
  }

  /** Lists those of the flows that have a trail of the branch. */
  listFlowsOnBranch(org: string, flows: readonly string[], branch: string): Promise<readonly string[]> {
    return this.queryAll(statements.listFlowsOnBranch, [org, flows, branch], (row) => text(row, 'flow'));
  }

  /** Counts how many trails begun in a period are compliant, by flow. Trails that were never judged are left out. */
  async countCompliant(
    org: string,
    flows: readonly string[],
    branch: string | undefined,
    { from, to }: Period,
  ): Promise<ReadonlyMap<string, Rate>> {
    const values = [org, flows, from, to];
    const rows =
      branch === undefined
        ? await this.query(statements.countStates, values)
        : await this.query(statements.countStatesOnBranch, [...values, branch]);
    return new Map(
      rows.map((row) => {
        const good = number(row, 'good');
        return [text(row, 'flow'), { good, total: good + number(row, 'rest') }];
      }),
    );
  }

  /** Counts the faults of trails that are not compliant: of those begun at `from` or later, the latest `limit`. */
  countFaults(
    org: string,
    flows: readonly string[],
    branch: string | undefined,
    from: number,
    limit: number,
  ): Promise<readonly FaultCount[]> {
    return this.queryAll(statements.countFaults, [org, flows, from, limit, branch ?? null], toFaultCount);
  }

  /** An organization with trails that are to be judged again now, those that changed first; undefined if none has any. */
  async findOrgToRejudge(now: number): Promise<string | undefined> {
    const toOrg = (row: Row): string => text(row, 'org');
    return (
      (await this.queryFirst(statements.findMarkedOrg, [now], toOrg)) ??
      (await this.queryFirst(statements.findMarkedFlowOrg, [], toOrg))
    );
  }

  /** When the next trail after a time is to be judged again, in Unix seconds; undefined if none is. */
  findNextRejudging(after: number): Promise<number | undefined> {
    return this.queryFirst(statements.findNextMark, [after], (row) => optionalNumber(row, 'rejudge_at'));
  }

  /** Whether all trails of a flow are being judged again. */
  async isRejudged(org: string, flow: string): Promise<boolean> {
    return (await this.query(statements.isFlowMarked, [org, flow])).length > 0;
  }

  count(org: string, filter: TrailFilter): Promise<number> {
    const { count, values } = selectTrails(org, filter);
    return this.queryNumber(count, values, 'count');
  }
}

function selectTrails(
  org: string,
  { flow, flows, fingerprint }: TrailFilter,
): { readonly list: Statement; readonly count: Statement; readonly values: readonly Value[] } {
  const { list, listOfFlow, listOfFlows, listWithArtifact } = statements;
  const { count, countOfFlow, countOfFlows, countWithArtifact } = statements;
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

/** The statements for a selection, by the index of the selector that selects the fewest. */
function toSelecting(
  org: string,
  flow: string,
  selection: TrailSelection,
): { readonly list: Statement; readonly count: Statement; readonly values: readonly Value[] } {
  const leading = selectorNames.find((name) => selection[name] !== undefined);
  const { namePrefix = null, state = null, branch = null, author = null, fault = null, from = 0, to } = selection;
  return {
    ...((leading && selectingBy.get(leading)) ?? selectingByTime),
    values: [org, flow, namePrefix, state, branch, author, fault, from, to ?? Number.MAX_SAFE_INTEGER],
  };
}

export class TrailWriter extends TrailReader {
  /** Inserts the trail unless it exists; an existing one is not changed. Its flow must exist. */
  insertMissing({ org, flow, name, createdAt, report, counts = false }: Omit<Trail, 'lastModifiedAt'>): Promise<void> {
    const values = [org, flow, name, createdAt, JSON.stringify(report), Number(counts)];
    return this.run(statements.insertMissing, values);
  }

  /**
   * Inserts the trail, or replaces all but its time of creation. Its flow must exist.
   *
   * @param begunAt when it was begun for another commit than before, if it is
   */
  save({ report, counts = false, ...trail }: Trail, begunAt?: number): Promise<void> {
    const { org, flow, name, createdAt, lastModifiedAt } = trail;
    const values = [createdAt, lastModifiedAt, JSON.stringify(report), Number(counts), begunAt ?? null];
    return this.run(statements.save, [org, flow, name, ...values]);
  }

  /** Saves the verdict on a trail at a time (in Unix seconds). */
  saveVerdict({ org, flow, name, report }: Trail, verdict: SavedVerdict, at: number): Promise<void> {
    const { state, faults, changesAt = null } = verdict;
    const branch = report.git_commit_info?.branch;
    const names = faults.length === 0 ? null : JSON.stringify(faults);
    const indexed = branch === undefined ? null : toIndexed(branch);
    return this.run(statements.saveVerdict, [org, flow, name, state, names, changesAt, at, indexed]);
  }

  /**
   * Marks the trails that a change may affect, except two kinds: the trail of a report is judged at once, and `flows.save`
   * marks the trails of a flow whose template changes.
   */
  async noteChange(changed: ChangedSubject, at: number): Promise<void> {
    const { org } = changed;
    if ('fingerprint' in changed) await this.run(statements.markOfArtifact, [org, at, changed.fingerprint]);
    else if (changed.flow === undefined) await this.run(statements.markOrg, [org]);
  }

  /** Marks the trails that may be affected when a trail is moved to another commit. */
  noteMove({ org, flow, name }: TrailReference, at: number): Promise<void> {
    return this.run(statements.markRelated, [org, at, flow, name]);
  }

  /** Takes trails of an organization that are to be judged again now: those that changed first, else those of a flow. */
  async takeToRejudge(org: string, now: number, limit: number): Promise<readonly Trail[]> {
    const marked = await this.queryAll(statements.listMarked, [org, now, limit], toTrail);
    if (marked.length > 0) return marked;
    const toFlow = (row: Row): readonly [string, number] => [text(row, 'name'), number(row, 'rejudge_before')];
    const [flow, before] = (await this.queryFirst(statements.findMarkedFlow, [org], toFlow)) ?? [];
    if (flow === undefined || before === undefined) return [];
    const rows = await this.query(statements.listBefore, [org, flow, before, limit]);
    const last = rows.length < limit ? undefined : rows.at(-1);
    await this.run(statements.markFlow, [org, flow, last === undefined ? null : number(last, 'place')]);
    return rows.map(toTrail);
  }

  /** Adds an update to the history of a trail, which must exist. */
  addUpdate({ org, flow, name }: TrailReference, { at, commit }: TrailUpdate): Promise<void> {
    return this.run(statements.addUpdate, [org, flow, name, at, commit?.sha1 ?? null, commit?.url ?? null]);
  }

  /** Gives the trail a template of its own, in place of the one that it may have. It must exist. */
  saveTemplate({ org, flow, name }: TrailReference, template: FileTemplate): Promise<void> {
    return this.run(statements.saveTemplate, [org, flow, name, JSON.stringify(template)]);
  }
}

export const toTrail = toRecord<Trail>({
  ...{ org: text, flow: text, name: text, createdAt: number, report: document, counts: flag },
  lastModifiedAt: (row, column) => optionalNumber(row, column) ?? number(row, 'created_at'),
  lastVerdict: (row) => ({ state: optionalText(row, 'state'), since: optionalNumber(row, 'state_since') }),
});

const toFaultCount = toRecord<FaultCount>({ flow: text, state: oneOf(artifactStates), name: text, trails: number });

/** The commit in `commit_sha` and `commit_url`; undefined if there is none. */
export function toCommit(row: Row): TrailUpdate['commit'] {
  return optional(optionalText(row, 'commit_sha'), (sha1) => ({ sha1, url: optionalText(row, 'commit_url') }));
}

const toTrailUpdate = toRecord<TrailUpdate>({ at: column('updated_at', number), commit: toCommit });
