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
import { prepare, type Prepared } from './statements.ts';

const columns = `e.*, (SELECT json_group_array(member ORDER BY member) FROM environment_members
      WHERE org = e.org AND environment = e.name) AS members,
    (SELECT json_group_array(policy ORDER BY policy) FROM environment_policies
      WHERE org = e.org AND environment = e.name) AS policies`;

const overview = `SELECT ${columns}, s.compliant, s.made_at AS changed_at, r.reported_at
  FROM environments e
    LEFT JOIN snapshots s ON s.org = e.org AND s.environment = e.name AND s.number = e.latest
    LEFT JOIN environment_reports r ON r.org = e.org AND r.environment = e.name`;

const reading = {
  findOverview: `${overview} WHERE e.org = ? AND e.name = ?`,
  listOverviews: `${overview} WHERE e.org = ? ORDER BY e.name`,
  find: `SELECT ${columns} FROM environments e WHERE e.org = ? AND e.name = ?`,
  findHead: 'SELECT * FROM environments WHERE org = ? AND name = ?',
  listMemberHeads: `SELECT e.* FROM environment_members m JOIN environments e ON e.org = m.org AND e.name = m.member
    WHERE m.org = ? AND m.environment = ? AND e.latest > 0 ORDER BY m.member`,
  listPolicies: 'SELECT policy FROM environment_policies WHERE org = ? AND environment = ? ORDER BY policy',
  listIncluding: 'SELECT environment FROM environment_members WHERE org = ? AND member = ?',
  hasPolicies: `SELECT 1 FROM environment_policies WHERE org = ?1
    UNION ALL SELECT 1 FROM environments WHERE org = ?1 AND requires_provenance = 1 LIMIT 1`,

  whereFingerprintRuns: `SELECT DISTINCT environment FROM appearances
    WHERE org = ? AND fingerprint = ? AND exited IS NULL`,
  isLargeTrail: `SELECT 1 FROM artifacts WHERE org = ? AND flow = ? AND trail = ? LIMIT 1 OFFSET ${smallTrailSize}`,
  // A trail is usually one commit with few artifacts, so it comes first.
  whereTrailRuns: `SELECT DISTINCT a.environment FROM artifacts r CROSS JOIN appearances a
    WHERE r.org = ?1 AND r.flow = ?2 AND r.trail = ?3
      AND a.org = ?1 AND a.fingerprint = r.fingerprint AND a.exited IS NULL`,
  // A large trail or a flow can have any number of artifacts, while environments run few, so those come first.
  whereLargeTrailRuns: `SELECT DISTINCT a.environment FROM appearances a WHERE a.org = ?1 AND a.exited IS NULL
    AND EXISTS (SELECT 1 FROM artifacts r
      WHERE r.org = ?1 AND r.flow = ?2 AND r.trail = ?3 AND r.fingerprint = a.fingerprint)`,
  whereFlowRuns: `SELECT DISTINCT a.environment FROM appearances a WHERE a.org = ?1 AND a.exited IS NULL
    AND EXISTS (SELECT 1 FROM artifacts r WHERE r.org = ?1 AND r.flow = ?2 AND r.fingerprint = a.fingerprint)`,
} as const;

const writing = {
  save: `INSERT INTO environments (org, name, kind, description, requires_provenance, created_at, last_modified_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET description = excluded.description, requires_provenance = excluded.requires_provenance,
      last_modified_at = excluded.last_modified_at`,
  recordReport: `INSERT INTO environment_reports (org, environment, reported_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET reported_at = excluded.reported_at`,
  deleteMembers: 'DELETE FROM environment_members WHERE org = ? AND environment = ?',
  insertMember: 'INSERT INTO environment_members (org, environment, member) VALUES (?, ?, ?)',
  attach: 'INSERT INTO environment_policies (org, environment, policy) VALUES (?, ?, ?)',
  detach: 'DELETE FROM environment_policies WHERE org = ? AND environment = ? AND policy = ?',
} as const;

/** Environments in SQLite, for reading. */
export class SqliteEnvironmentReader implements EnvironmentReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(org: string, name: string): Promise<Environment | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, name), toEnvironment));
  }

  findOverview(org: string, name: string): Promise<EnvironmentOverview | undefined> {
    return this.session.execute(() => optional(this.#statements.findOverview.get(org, name), toEnvironmentOverview));
  }

  listOverviews(org: string): Promise<readonly EnvironmentOverview[]> {
    return this.session.execute(() => this.#statements.listOverviews.all(org).map(toEnvironmentOverview));
  }

  findHead(org: string, name: string): Promise<EnvironmentHead | undefined> {
    return this.session.execute(() => optional(this.#statements.findHead.get(org, name), toEnvironmentHead));
  }

  findHeads(org: string, names: readonly string[]): Promise<ReadonlyMap<string, EnvironmentHead>> {
    return this.session.execute(() => {
      const heads = names.flatMap(
        (name) => optional(this.#statements.findHead.get(org, name), toEnvironmentHead) ?? [],
      );
      return new Map(heads.map((head) => [head.name, head]));
    });
  }

  listMemberHeads(org: string, name: string): Promise<readonly EnvironmentHead[]> {
    return this.session.execute(() => this.#statements.listMemberHeads.all(org, name).map(toEnvironmentHead));
  }

  listPolicies(org: string, name: string): Promise<readonly string[]> {
    return this.session.execute(() => this.#statements.listPolicies.all(org, name).map((row) => text(row, 'policy')));
  }

  listIncluding(org: string, names: readonly string[]): Promise<readonly string[]> {
    return this.session.execute(() => {
      const rows = names.flatMap((name) => this.#statements.listIncluding.all(org, name));
      return [...new Set(rows.map((row) => text(row, 'environment')))].sort();
    });
  }

  hasPolicies(org: string): Promise<boolean> {
    return this.session.execute(() => this.#statements.hasPolicies.get(org) !== undefined);
  }

  listRunning(subject: EvidenceSubject): Promise<readonly string[]> {
    return this.session.execute(() => this.#selectRunning(subject).map((row) => text(row, 'environment')));
  }

  #selectRunning(subject: EvidenceSubject): readonly Row[] {
    const { whereFingerprintRuns, whereFlowRuns, isLargeTrail, whereLargeTrailRuns, whereTrailRuns } = this.#statements;
    if ('fingerprint' in subject) return whereFingerprintRuns.all(subject.org, subject.fingerprint);
    const { org, flow, trail } = subject;
    if (trail === undefined) return whereFlowRuns.all(org, flow);
    const isLarge = isLargeTrail.get(org, flow, trail) !== undefined;
    return (isLarge ? whereLargeTrailRuns : whereTrailRuns).all(org, flow, trail);
  }
}

/** Environments in SQLite, for writing. */
export class SqliteEnvironmentWriter extends SqliteEnvironmentReader implements EnvironmentWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  save(environment: Omit<Environment, 'members' | 'policies' | 'latest'>): Promise<void> {
    const { org, name, kind, description, requiresProvenance, createdAt, lastModifiedAt } = environment;
    return this.session.execute(() => {
      const required = requiresProvenance ? 1 : 0;
      this.#statements.save.run(org, name, kind, description, required, createdAt, lastModifiedAt);
    });
  }

  recordReport(org: string, name: string, at: number): Promise<void> {
    return this.session.execute(() => {
      this.#statements.recordReport.run(org, name, at);
    });
  }

  replaceMembers(org: string, name: string, members: readonly string[]): Promise<void> {
    return this.session.execute(() => {
      this.#statements.deleteMembers.run(org, name);
      for (const member of members) this.#statements.insertMember.run(org, name, member);
    });
  }

  attachPolicies(org: string, name: string, policies: readonly string[]): Promise<void> {
    return this.session.execute(() => {
      for (const policy of policies) this.#statements.attach.run(org, name, policy);
    });
  }

  detachPolicies(org: string, name: string, policies: readonly string[]): Promise<void> {
    return this.session.execute(() => {
      for (const policy of policies) this.#statements.detach.run(org, name, policy);
    });
  }
}
