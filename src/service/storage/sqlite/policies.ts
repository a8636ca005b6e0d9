import type { PolicyEvent, PolicyRecord, PolicyVersion } from '../../domain/policy/policy-record.ts';
import type {
  AttachedRules,
  KeyedPolicyVersion,
  NewPolicyVersion,
  PolicyHistoryLimits,
  PolicyReader,
  PolicyWriter,
} from '../policies.ts';
import {
  toAttachedRules,
  toKeyedPolicyVersion,
  toPolicy,
  toPolicyEvent,
  toPolicyVersion,
  type PolicyHistory,
} from '../rows/policies.ts';
import { number, optional, text, type Row } from '../rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const policy = `SELECT p.*, (SELECT json_group_array(environment ORDER BY environment) FROM environment_policies
    WHERE org = p.org AND policy = p.name) AS environments FROM policies p`;

const reading = {
  find: `${policy} WHERE p.org = ? AND p.name = ?`,
  list: `${policy} WHERE p.org = ? ORDER BY p.name`,
  findLatestVersion: 'SELECT latest FROM policies WHERE org = ? AND name = ?',
  // The length is in bytes instead of characters, because SQLite stores it, so the text is not read.
  listVersions: `SELECT version, comment, created_at, created_by, octet_length(text) AS size FROM policy_versions
    WHERE org = ? AND policy = ? AND version <= ? ORDER BY version DESC LIMIT ? + 0`,
  findText: 'SELECT text FROM policy_versions WHERE org = ? AND policy = ? AND version = ?',
  listEvents: `SELECT * FROM policy_events WHERE org = ? AND policy = ? AND sequence <= ?
    ORDER BY sequence DESC LIMIT ? + 0`,
  findByKey: `SELECT v.*, p.created_at AS policy_created_at, p.created_by AS policy_created_by FROM policy_versions v
    JOIN policies p ON p.org = v.org AND p.name = v.policy WHERE v.org = ? AND v.idempotency_key = ?`,
  // The first event of a version is the one that added it.
  findFirstEvent: 'SELECT min(sequence) AS sequence FROM policy_events WHERE org = ? AND policy = ? AND version = ?',
  listEnvironments: 'SELECT environment FROM environment_policies WHERE org = ? AND policy = ? ORDER BY environment',
  listAttached: `SELECT v.policy, v.version, v.rules FROM environment_policies a
    JOIN policies p ON p.org = a.org AND p.name = a.policy
    JOIN policy_versions v ON v.org = p.org AND v.policy = p.name AND v.version = p.latest
    WHERE a.org = ? AND a.environment = ? ORDER BY v.policy`,
  findLatest: `SELECT v.policy, v.version, v.rules FROM policies p
    JOIN policy_versions v ON v.org = p.org AND v.policy = p.name AND v.version = p.latest
    WHERE p.org = ? AND p.name = ?`,
} as const;

const writing = {
  save: `INSERT INTO policies (org, name, description, latest, created_at, created_by, last_modified_at)
    VALUES (?1, ?2, coalesce(?3, ''), ?4, ?5, ?6, ?5)
    ON CONFLICT DO UPDATE SET description = coalesce(?3, description), latest = ?4, last_modified_at = ?5`,
  insertVersion: `INSERT INTO policy_versions (org, policy, version, comment, created_at, created_by, rules, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  insertKeyedVersion: `INSERT INTO policy_versions (org, policy, version, comment, created_at, created_by, rules, text,
      idempotency_key, request_digest, answered_description, answered_environments)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
      (SELECT description FROM policies WHERE org = ?1 AND name = ?2),
      (SELECT json_group_array(environment ORDER BY environment) FROM environment_policies
        WHERE org = ?1 AND policy = ?2))`,
  insertEvent: `INSERT INTO policy_events (org, policy, sequence, type, timestamp, user, environment, version)
    SELECT ?1, ?2, coalesce(max(sequence), 0) + 1, ?3, ?4, ?5, ?6,
      (SELECT latest FROM policies WHERE org = ?1 AND name = ?2)
    FROM policy_events WHERE org = ?1 AND policy = ?2`,
} as const;

/** Policies in SQLite, for reading. */
export class SqlitePolicyReader implements PolicyReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(org: string, name: string, limits: PolicyHistoryLimits): Promise<PolicyRecord | undefined> {
    const { find } = this.#statements;
    return this.session.execute(() => optional(find.get(org, name), (row) => this.#toPolicy(row, limits)));
  }

  list(org: string, limits: PolicyHistoryLimits): Promise<readonly PolicyRecord[]> {
    return this.session.execute(() => this.#statements.list.all(org).map((row) => this.#toPolicy(row, limits)));
  }

  #toPolicy(row: Row, limits: PolicyHistoryLimits): PolicyRecord {
    return toPolicy(row, this.#listHistory(text(row, 'org'), text(row, 'name'), limits));
  }

  findByKey(org: string, key: string, limits: PolicyHistoryLimits): Promise<KeyedPolicyVersion | undefined> {
    const { findByKey, findFirstEvent } = this.#statements;
    return this.session.execute(() =>
      optional(findByKey.get(org, key), (row) => {
        const [name, version] = [text(row, 'policy'), number(row, 'version')];
        const event = number(findFirstEvent.get(org, name, version) ?? {}, 'sequence');
        return toKeyedPolicyVersion(row, this.#listHistory(org, name, limits, { version, event }));
      }),
    );
  }

  /** @param last the version and the event after which the history is left out */
  #listHistory(
    org: string,
    name: string,
    limits: PolicyHistoryLimits,
    last = { version: Number.MAX_SAFE_INTEGER, event: Number.MAX_SAFE_INTEGER },
  ): PolicyHistory {
    const events = this.#statements.listEvents.all(org, name, last.event, limits.events);
    return {
      versions: this.#listVersions(org, name, limits, last.version),
      events: events.map(toPolicyEvent).reverse(),
    };
  }

  #listVersions(org: string, name: string, limits: PolicyHistoryLimits, last: number): readonly PolicyVersion[] {
    let size = 0;
    const rows = this.#statements.listVersions.all(org, name, last, limits.versions);
    const versions = rows.map((row, index) => {
      size += number(row, 'size');
      const isRead = index === 0 || size <= limits.texts;
      return toPolicyVersion(row, isRead ? this.#findText(org, name, number(row, 'version')) : undefined);
    });
    return versions.reverse();
  }

  #findText(org: string, name: string, version: number): string {
    return text(this.#statements.findText.get(org, name, version) ?? {}, 'text');
  }

  findLatestVersion(org: string, name: string): Promise<number | undefined> {
    const { findLatestVersion } = this.#statements;
    return this.session.execute(() => optional(findLatestVersion.get(org, name), (row) => number(row, 'latest')));
  }

  listExisting(org: string, names: readonly string[]): Promise<readonly string[]> {
    const { findLatestVersion } = this.#statements;
    return this.session.execute(() => names.filter((name) => findLatestVersion.get(org, name) !== undefined));
  }

  listEnvironments(org: string, name: string): Promise<readonly string[]> {
    const { listEnvironments } = this.#statements;
    return this.session.execute(() => listEnvironments.all(org, name).map((row) => text(row, 'environment')));
  }

  listAttached(org: string, environment: string): Promise<readonly AttachedRules[]> {
    return this.session.execute(() => this.#statements.listAttached.all(org, environment).map(toAttachedRules));
  }

  listLatest(org: string, names: readonly string[]): Promise<readonly AttachedRules[]> {
    return this.session.execute(() =>
      names.flatMap((name) => this.#statements.findLatest.all(org, name).map(toAttachedRules)),
    );
  }
}

/** Policies in SQLite, for writing. */
export class SqlitePolicyWriter extends SqlitePolicyReader implements PolicyWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insertVersion(policy: NewPolicyVersion): Promise<void> {
    const { org, name, description = null, version, comment, createdAt, createdBy, rules, text: yaml } = policy;
    const { requestKey } = policy;
    return this.session.execute(() => {
      this.#statements.save.run(org, name, description, version, createdAt, createdBy);
      const row = [org, name, version, comment, createdAt, createdBy, rules, yaml];
      if (requestKey === undefined) this.#statements.insertVersion.run(...row);
      else this.#statements.insertKeyedVersion.run(...row, requestKey.key, requestKey.digest);
    });
  }

  addEvents(org: string, names: readonly string[], event: Omit<PolicyEvent, 'version'>): Promise<void> {
    const { type, timestamp, user, environment = null } = event;
    return this.session.execute(() => {
      for (const name of names) this.#statements.insertEvent.run(org, name, type, timestamp, user, environment);
    });
  }
}
