import type { Environment, EnvironmentOverview } from '../../domain/environment/snapshot.ts';
import {
  smallTrailSize,
  type EnvironmentHead,
  type EnvironmentReader,
  type EnvironmentWriter,
  type EvidenceSubject,
} from '../environments.ts';
import { toEnvironment, toEnvironmentHead, toEnvironmentOverview } from '../rows/environments.ts';
import { optional, text, type Row } from '../rows.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

const columns = `e.org, e.name, e.kind, e.description, e.latest, e.requires_provenance, e.created_at, e.last_modified_at,
  (SELECT coalesce(json_agg(member ORDER BY member), '[]')::text FROM environment_members
    WHERE org = e.org AND environment = e.name) AS members,
  (SELECT coalesce(json_agg(policy ORDER BY policy), '[]')::text FROM environment_policies
    WHERE org = e.org AND environment = e.name) AS policies`;

const overview = `SELECT ${columns}, s.compliant, s.made_at AS changed_at, r.reported_at FROM environments e
  LEFT JOIN snapshots s ON s.org = e.org AND s.environment = e.name AND s.number = e.latest
  LEFT JOIN environment_reports r ON r.org = e.org AND r.environment = e.name`;

/**
 * The environments that run an artifact of a flow or trail. They run few, while a flow or a large trail can have any
 * number. `OFFSET 0` keeps the database from reading all of them.
 *
 * @param reported selects its artifacts, as a condition for `artifacts r`
 */
function selectRunning(reported: string): string {
  return `SELECT DISTINCT a.environment FROM appearances a WHERE a.org = $1 AND a.exited IS NULL
    AND EXISTS (SELECT 1 FROM artifacts r WHERE ${reported} AND r.fingerprint = a.fingerprint OFFSET 0)`;
}

const statements = defineStatements('environments', {
  find: `SELECT ${columns} FROM environments e WHERE e.org = $1 AND e.name = $2`,
  findOverview: `${overview} WHERE e.org = $1 AND e.name = $2`,
  listOverviews: `${overview} WHERE e.org = $1 ORDER BY e.name`,
  findHeads: `SELECT org, name, kind, latest, requires_provenance FROM environments
    WHERE org = $1 AND name = ANY($2::text[])`,
  listMemberHeads: `SELECT e.org, e.name, e.kind, e.latest, e.requires_provenance FROM environment_members m
    JOIN environments e ON e.org = m.org AND e.name = m.member
    WHERE m.org = $1 AND m.environment = $2 AND e.latest > 0 ORDER BY m.member`,
  listPolicies: 'SELECT policy FROM environment_policies WHERE org = $1 AND environment = $2 ORDER BY policy',
  listIncluding: `SELECT DISTINCT environment FROM environment_members
    WHERE org = $1 AND member = ANY($2::text[]) ORDER BY environment`,
  // The orders make the database use the indexes.
  hasPolicies: `(SELECT 1 FROM environment_policies WHERE org = $1 ORDER BY environment LIMIT 1)
    UNION ALL (SELECT 1 FROM environments WHERE org = $1 AND requires_provenance = 1 ORDER BY name LIMIT 1) LIMIT 1`,

  whereFingerprintRuns: `SELECT DISTINCT environment FROM appearances
    WHERE org = $1 AND fingerprint = $2 AND exited IS NULL`,
  whereFlowRuns: selectRunning('r.org = $1 AND r.flow = $2'),
  // A trail is usually one commit with few artifacts, so they come first. Only one part of the union is run.
  whereTrailRuns: `WITH reported AS MATERIALIZED
      (SELECT fingerprint FROM artifacts WHERE org = $1 AND flow = $2 AND trail = $3 LIMIT $4::bigint + 1),
    trail AS MATERIALIZED (SELECT count(*) > $4 AS is_large FROM reported)
    (SELECT a.environment FROM reported r CROSS JOIN LATERAL (SELECT environment FROM appearances
        WHERE org = $1 AND fingerprint = r.fingerprint AND exited IS NULL OFFSET 0) a
      WHERE NOT (SELECT is_large FROM trail))
    UNION (${selectRunning('r.org = $1 AND r.flow = $2 AND r.trail = $3')} AND (SELECT is_large FROM trail))`,

  save: `INSERT INTO environments (org, name, kind, description, requires_provenance, created_at, last_modified_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (org, name) DO UPDATE SET description = excluded.description,
      requires_provenance = excluded.requires_provenance, last_modified_at = excluded.last_modified_at`,
  recordReport: `INSERT INTO environment_reports (org, environment, reported_at) VALUES ($1, $2, $3)
    ON CONFLICT (org, environment) DO UPDATE SET reported_at = excluded.reported_at`,
  replaceMembers: `WITH removed AS (DELETE FROM environment_members
      WHERE org = $1 AND environment = $2 AND member <> ALL($3::text[]))
    INSERT INTO environment_members (org, environment, member) SELECT $1, $2, unnest($3::text[])
    ON CONFLICT DO NOTHING`,
  attach: 'INSERT INTO environment_policies (org, environment, policy) SELECT $1, $2, unnest($3::text[])',
  detach: 'DELETE FROM environment_policies WHERE org = $1 AND environment = $2 AND policy = ANY($3::text[])',
});

/** Environments in PostgreSQL, for reading. */
export class PostgresEnvironmentReader implements EnvironmentReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async find(org: string, name: string): Promise<Environment | undefined> {
    const [row] = await this.session.query(statements.find, [org, name]);
    return optional(row, toEnvironment);
  }

  async findOverview(org: string, name: string): Promise<EnvironmentOverview | undefined> {
    const [row] = await this.session.query(statements.findOverview, [org, name]);
    return optional(row, toEnvironmentOverview);
  }

  async listOverviews(org: string): Promise<readonly EnvironmentOverview[]> {
    return (await this.session.query(statements.listOverviews, [org])).map(toEnvironmentOverview);
  }

  async findHead(org: string, name: string): Promise<EnvironmentHead | undefined> {
    return (await this.findHeads(org, [name])).get(name);
  }

  async findHeads(org: string, names: readonly string[]): Promise<ReadonlyMap<string, EnvironmentHead>> {
    if (names.length === 0) return new Map();
    const heads = (await this.session.query(statements.findHeads, [org, names])).map(toEnvironmentHead);
    return new Map(heads.map((head) => [head.name, head]));
  }

  async listMemberHeads(org: string, name: string): Promise<readonly EnvironmentHead[]> {
    return (await this.session.query(statements.listMemberHeads, [org, name])).map(toEnvironmentHead);
  }

  async listPolicies(org: string, name: string): Promise<readonly string[]> {
    const rows = await this.session.query(statements.listPolicies, [org, name]);
    return rows.map((row) => text(row, 'policy'));
  }

  async listIncluding(org: string, names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    const rows = await this.session.query(statements.listIncluding, [org, names]);
    return rows.map((row) => text(row, 'environment'));
  }

  async hasPolicies(org: string): Promise<boolean> {
    return (await this.session.query(statements.hasPolicies, [org])).length > 0;
  }

  async listRunning(subject: EvidenceSubject): Promise<readonly string[]> {
    return (await this.#selectRunning(subject)).map((row) => text(row, 'environment'));
  }

  #selectRunning(subject: EvidenceSubject): Promise<readonly Row[]> {
    const { whereFingerprintRuns, whereFlowRuns, whereTrailRuns } = statements;
    if ('fingerprint' in subject) return this.session.query(whereFingerprintRuns, [subject.org, subject.fingerprint]);
    const { org, flow, trail } = subject;
    if (trail === undefined) return this.session.query(whereFlowRuns, [org, flow]);
    return this.session.query(whereTrailRuns, [org, flow, trail, smallTrailSize]);
  }
}

/** Environments in PostgreSQL, for writing. */
export class PostgresEnvironmentWriter extends PostgresEnvironmentReader implements EnvironmentWriter {
  save(environment: Omit<Environment, 'members' | 'policies' | 'latest'>): Promise<void> {
    const { org, name, kind, description, requiresProvenance, createdAt, lastModifiedAt } = environment;
    const required = requiresProvenance ? 1 : 0;
    return this.session.run(statements.save, [org, name, kind, description, required, createdAt, lastModifiedAt]);
  }

  recordReport(org: string, name: string, at: number): Promise<void> {
    return this.session.run(statements.recordReport, [org, name, at]);
  }

  replaceMembers(org: string, name: string, members: readonly string[]): Promise<void> {
    return this.session.run(statements.replaceMembers, [org, name, members]);
  }

  async attachPolicies(org: string, name: string, policies: readonly string[]): Promise<void> {
    if (policies.length === 0) return;
    await this.session.run(statements.attach, [org, name, policies]);
  }

  async detachPolicies(org: string, name: string, policies: readonly string[]): Promise<void> {
    if (policies.length === 0) return;
    await this.session.run(statements.detach, [org, name, policies]);
  }
}
