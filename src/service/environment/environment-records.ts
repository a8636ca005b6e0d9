import { environmentKinds } from '../../contract/environment.ts';
import type { Tags } from '../../contract/tags.ts';
import { defineStatements, either, isAnyOf, Repository, toJsonList } from '../platform/database/database.ts';
import {
  column,
  flag,
  flagOrNull,
  isSet,
  json,
  number,
  oneOf,
  optionalNumber,
  type Row,
  text,
  toRecord,
} from '../platform/database/rows.ts';
import type { Environment, EnvironmentHead } from '../snapshot/snapshot.ts';

/** The artifacts that new evidence affects: one artifact, those of a trail, or those of a flow. */
export type EvidenceSubject = { readonly org: string } & (
  { readonly fingerprint: string } | { readonly flow: string; readonly trail?: string }
);

/**
 * For trails of up to this many artifacts, `listRunning` looks each artifact up among the running ones. For larger
 * trails, it looks each running artifact up in the trail.
 */
export const smallTrailSize = 100;

const headColumns = 'e.org, e.name, e.kind, e.latest, e.requires_provenance, e.archived_at';

const selectAll = `SELECT ${headColumns}, e.description, e.tags, e.last_modified_at,
    (SELECT ${toJsonList('member')} FROM environment_members WHERE org = e.org AND environment = e.name) AS members,
    (SELECT ${toJsonList('policy')} FROM environment_policies WHERE org = e.org AND environment = e.name) AS policies,
    s.compliant, s.made_at AS changed_at, r.reported_at
  FROM environments e
  LEFT JOIN snapshots s ON s.org = e.org AND s.environment = e.name AND s.number = e.latest
  LEFT JOIN environment_reports r ON r.org = e.org AND r.environment = e.name`;

/**
 * The environments that run an artifact of a flow or trail. They run few, while a flow or a large trail can have any
 * number. `OFFSET 0` keeps PostgreSQL from reading all of them.
 *
 * @param reported selects its artifacts, as a condition for `artifacts r`
 */
function selectRunning(reported: string, org = '$1'): string {
  return `SELECT DISTINCT a.environment FROM appearances a WHERE a.org = ${org} AND a.exited IS NULL AND EXISTS (
    SELECT 1 FROM artifacts r WHERE ${reported} AND r.fingerprint = a.fingerprint ${either('', 'OFFSET 0')})`;
}

const statements = defineStatements('environments', {
  find: `${selectAll} WHERE e.org = $1 AND e.name = $2`,
  list: `${selectAll} WHERE e.org = $1 ORDER BY e.name`,
  findHeads: `SELECT ${headColumns} FROM environments e WHERE e.org = $1 AND ${isAnyOf('e.name', '$2')}`,
  listMemberHeads: `SELECT ${headColumns} FROM environment_members m
    JOIN environments e ON e.org = m.org AND e.name = m.member
    WHERE m.org = $1 AND m.environment = $2 AND e.latest > 0 AND e.archived_at IS NULL ORDER BY m.member`,
  listPolicies: 'SELECT policy FROM environment_policies WHERE org = $1 AND environment = $2 ORDER BY policy',
  // Sorted or without duplicates, SQLite would read all members.
  listIncluding: `SELECT environment FROM environment_members WHERE org = $1 AND ${isAnyOf('member', '$2')}`,
  // The orders make PostgreSQL use the indexes.
  hasPolicies: `SELECT coalesce(
    (SELECT 1 FROM environment_policies WHERE org = $1 ORDER BY environment LIMIT 1),
    (SELECT 1 FROM environments WHERE org = $1 AND requires_provenance = 1 ORDER BY name LIMIT 1)) AS found`,

  listJudged: `SELECT name FROM environments e WHERE org = $1 AND (requires_provenance = 1
      OR EXISTS (SELECT 1 FROM environment_policies p WHERE p.org = e.org AND p.environment = e.name))`,
  whereFingerprintRuns: 'SELECT environment FROM appearances WHERE org = $1 AND fingerprint = $2 AND exited IS NULL',
  whereFlowRuns: selectRunning('r.org = $1 AND r.flow = $2'),
  // A trail is usually one commit with few artifacts, so they come first. Only one part of the union finds anything.
  whereTrailRuns: `WITH reported AS MATERIALIZED
      (SELECT fingerprint FROM artifacts WHERE org = $1 AND flow = $2 AND trail = $3 LIMIT $4::bigint + 1)
    SELECT environment FROM appearances WHERE org = $1 AND exited IS NULL AND fingerprint ${either('IN', '= ANY (ARRAY')}
      (SELECT fingerprint FROM reported WHERE (SELECT count(*) FROM reported) <= $4)${either('', ')')}
    UNION ALL ${selectRunning(
      'r.org = $1 AND r.flow = $2 AND r.trail = $3',
      '(SELECT CASE WHEN count(*) > $4 THEN $1::text END FROM reported)',
    )}`,

  save: `INSERT INTO environments (org, name, kind, description, requires_provenance, last_modified_at, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $6)
    ON CONFLICT (org, name) DO UPDATE SET description = excluded.description,
      requires_provenance = excluded.requires_provenance, last_modified_at = excluded.last_modified_at,
      archived_at = NULL`,
  saveTags: 'UPDATE environments SET tags = $3, last_modified_at = $4 WHERE org = $1 AND name = $2',
  recordReport: `INSERT INTO environment_reports (org, environment, reported_at) VALUES ($1, $2, $3)
    ON CONFLICT (org, environment) DO UPDATE SET reported_at = excluded.reported_at`,
  deleteMembers: 'DELETE FROM environment_members WHERE org = $1 AND environment = $2',
  insertMember: 'INSERT INTO environment_members (org, environment, member) VALUES ($1, $2, $3)',
  attach: 'INSERT INTO environment_policies (org, environment, policy) VALUES ($1, $2, $3)',
  detach: 'DELETE FROM environment_policies WHERE org = $1 AND environment = $2 AND policy = $3',
});

export class EnvironmentReader extends Repository {
  find(org: string, name: string): Promise<Environment | undefined> {
    return this.queryFirst(statements.find, [org, name], toEnvironment);
  }

  /** All environments of the organization, sorted by name. */
  list(org: string): Promise<readonly Environment[]> {
    return this.queryAll(statements.list, [org], toEnvironment);
  }

  async findHead(org: string, name: string): Promise<EnvironmentHead | undefined> {
    return (await this.findHeads(org, [name])).get(name);
  }

  /** The existing environments among these names, by name. */
  async findHeads(org: string, names: readonly string[]): Promise<ReadonlyMap<string, EnvironmentHead>> {
    if (names.length === 0) return new Map();
    const heads = (await this.query(statements.findHeads, [org, names])).map(toEnvironmentHead);
    return new Map(heads.map((head) => [head.name, head]));
  }

  /** The members of a logical environment that have a snapshot, sorted by name. */
  listMemberHeads(org: string, name: string): Promise<readonly EnvironmentHead[]> {
    return this.queryAll(statements.listMemberHeads, [org, name], toEnvironmentHead);
  }

  /** The policies that are attached to an environment, sorted by name. */
  listPolicies(org: string, name: string): Promise<readonly string[]> {
    return this.queryAll(statements.listPolicies, [org, name], (row) => text(row, 'policy'));
  }

  /** The logical environments that include any of these, sorted by name, without duplicates. */
  async listIncluding(org: string, names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    return toUniqueNames(await this.query(statements.listIncluding, [org, names])).sort();
  }

  /** Whether any environment of the organization has a policy attached or requires provenance. */
  async hasPolicies(org: string): Promise<boolean> {
    const [row = {}] = await this.query(statements.hasPolicies, [org]);
    return optionalNumber(row, 'found') === 1;
  }

  /** The environments that are judged by policies or require provenance. */
  listJudged(org: string): Promise<readonly string[]> {
    return this.queryAll(statements.listJudged, [org], (row) => text(row, 'name'));
  }

  /** The environments that currently run an affected artifact, without duplicates. */
  async listRunning(subject: EvidenceSubject): Promise<readonly string[]> {
    return toUniqueNames(await this.#selectRunning(subject));
  }

  #selectRunning(subject: EvidenceSubject): Promise<readonly Row[]> {
    const { whereFingerprintRuns, whereFlowRuns, whereTrailRuns } = statements;
    if ('fingerprint' in subject) return this.query(whereFingerprintRuns, [subject.org, subject.fingerprint]);
    const { org, flow, trail } = subject;
    if (trail === undefined) return this.query(whereFlowRuns, [org, flow]);
    return this.query(whereTrailRuns, [org, flow, trail, smallTrailSize]);
  }
}

function toUniqueNames(rows: readonly Row[]): string[] {
  return [...new Set(rows.map((row) => text(row, 'environment')))];
}

export class EnvironmentWriter extends EnvironmentReader {
  /**
   * Inserts the environment, or replaces its description, its requirement of provenance and its time of modification;
   * it is not archived then. Its organization must exist.
   */
  save(
    environment: Omit<EnvironmentHead, 'latest' | 'isArchived'> & Pick<Environment, 'description' | 'lastModifiedAt'>,
  ): Promise<void> {
    const { org, name, kind, description, requiresProvenance, lastModifiedAt } = environment;
    const values = [org, name, kind, description, Number(requiresProvenance), lastModifiedAt];
    return this.run(statements.save, values);
  }

  /** Replaces the tags of an environment, which must exist. */
  saveTags(org: string, name: string, tags: Tags, at: number): Promise<void> {
    return this.run(statements.saveTags, [org, name, JSON.stringify(tags), at]);
  }

  /** Records when the environment, which must exist, was last reported. */
  recordReport(org: string, name: string, at: number): Promise<void> {
    return this.run(statements.recordReport, [org, name, at]);
  }

  async replaceMembers(org: string, name: string, members: readonly string[]): Promise<void> {
    await Promise.all([
      this.run(statements.deleteMembers, [org, name]),
      ...members.map((member) => this.run(statements.insertMember, [org, name, member])),
    ]);
  }

  /** All policies must exist, and none must be attached already. */
  async attachPolicies(org: string, name: string, policies: readonly string[]): Promise<void> {
    await Promise.all(policies.map((policy) => this.run(statements.attach, [org, name, policy])));
  }

  async detachPolicies(org: string, name: string, policies: readonly string[]): Promise<void> {
    await Promise.all(policies.map((policy) => this.run(statements.detach, [org, name, policy])));
  }
}

const headFields = {
  ...{ org: text, name: text, kind: oneOf(environmentKinds), latest: number, requiresProvenance: flag },
  isArchived: column('archived_at', isSet),
};

const toEnvironmentHead = toRecord<EnvironmentHead>(headFields);

/**
 * Converts a row of `environments` with the sorted names of its `members` and `policies`, each a list in JSON; `compliant`
 * and `changed_at` of its latest snapshot; and `reported_at`.
 */
const toEnvironment = toRecord<Environment>({
  ...{ ...headFields, description: text, tags: json, lastModifiedAt: number },
  ...{ members: json, policies: json, compliant: flagOrNull },
  ...{ lastReportedAt: column('reported_at', optionalNumber), lastChangedAt: column('changed_at', optionalNumber) },
});
