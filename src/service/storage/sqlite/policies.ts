import type { PolicyEvent, PolicyEventType, PolicyRecord, PolicyVersion } from '../../domain/policy/policy-record.ts';
import type {
  AttachedRules,
  KeyedPolicyVersion,
  NewPolicyVersion,
  PolicyHistoryLimits,
  PolicyReader,
  PolicyWriter,
} from '../policies.ts';
import { number, optional, text, type Row } from './rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  find: 'SELECT * FROM policies WHERE org = ? AND name = ?',
  list: 'SELECT * FROM policies WHERE org = ? ORDER BY name',
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
    const [org, name] = [text(row, 'org'), text(row, 'name')];
    return {
      org,
      name,
      description: text(row, 'description'),
      createdAt: number(row, 'created_at'),
      createdBy: text(row, 'created_by'),
      lastModifiedAt: number(row, 'last_modified_at'),
      environments: this.#listEnvironmentNames(org, name),
      ...this.#listHistory(org, name, limits),
    };
  }

  findByKey(org: string, key: string, limits: PolicyHistoryLimits): Promise<KeyedPolicyVersion | undefined> {
    const { findByKey, findFirstEvent } = this.#statements;
    return this.session.execute(() =>
      optional(findByKey.get(org, key), (row) => {
        const name = text(row, 'policy');
        const version = number(row, 'version');
        const event = number(findFirstEvent.get(org, name, version) ?? {}, 'sequence');
        const policy: PolicyRecord = {
          org,
          name,
          description: text(row, 'answered_description'),
          createdAt: number(row, 'policy_created_at'),
          createdBy: text(row, 'policy_created_by'),
          lastModifiedAt: number(row, 'created_at'),
          // Written by this service.
          environments: JSON.parse(text(row, 'answered_environments')) as readonly string[],
          ...this.#listHistory(org, name, limits, { version, event }),
        };
        return { digest: text(row, 'request_digest'), version, policy };
      }),
    );
  }

  /** @param last the version and the event after which the history is left out */
  #listHistory(
    org: string,
    name: string,
    limits: PolicyHistoryLimits,
    last = { version: Number.MAX_SAFE_INTEGER, event: Number.MAX_SAFE_INTEGER },
  ): Pick<PolicyRecord, 'versions' | 'events'> {
    const events = this.#statements.listEvents.all(org, name, last.event, limits.events);
    return {
      versions: this.#listVersions(org, name, limits, last.version),
      events: events.map(toPolicyEvent).reverse(),
    };
  }

  #listVersions(org: string, name: string, limits: PolicyHistoryLimits, last: number): readonly PolicyVersion[] {
    let size = 0;
    const rows = this.#statements.listVersions.all(org, name, last, limits.versions);
    const versions = rows.map((row, index): PolicyVersion => {
      const version = number(row, 'version');
      size += number(row, 'size');
      const isRead = index === 0 || size <= limits.texts;
      return {
        version,
        comment: text(row, 'comment'),
        createdAt: number(row, 'created_at'),
        createdBy: text(row, 'created_by'),
        text: isRead ? text(this.#statements.findText.get(org, name, version) ?? {}, 'text') : undefined,
      };
    });
    return versions.reverse();
  }

  findLatestVersion(org: string, name: string): Promise<number | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, name), (row) => number(row, 'latest')));
  }

  listExisting(org: string, names: readonly string[]): Promise<readonly string[]> {
    return this.session.execute(() => names.filter((name) => this.#statements.find.get(org, name) !== undefined));
  }

  listEnvironments(org: string, name: string): Promise<readonly string[]> {
    return this.session.execute(() => this.#listEnvironmentNames(org, name));
  }

  listAttached(org: string, environment: string): Promise<readonly AttachedRules[]> {
    return this.session.execute(() => this.#statements.listAttached.all(org, environment).map(toAttachedRules));
  }

  listLatest(org: string, names: readonly string[]): Promise<readonly AttachedRules[]> {
    return this.session.execute(() =>
      names.flatMap((name) => this.#statements.findLatest.all(org, name).map(toAttachedRules)),
    );
  }

  #listEnvironmentNames(org: string, name: string): readonly string[] {
    return this.#statements.listEnvironments.all(org, name).map((row) => text(row, 'environment'));
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

function toAttachedRules(row: Row): AttachedRules {
  return { name: text(row, 'policy'), version: number(row, 'version'), rules: text(row, 'rules') };
}

const eventTypes: readonly PolicyEventType[] = [
  'policy_created',
  'policy_updated',
  'policy_attached',
  'policy_detached',
];

function toPolicyEvent(row: Row): PolicyEvent {
  const type = eventTypes.find((known) => known === row['type']);
  if (type === undefined) throw new TypeError('a stored event of a policy is damaged');
  const environment = row['environment'] === null ? {} : { environment: text(row, 'environment') };
  const [timestamp, user, version] = [number(row, 'timestamp'), text(row, 'user'), number(row, 'version')];
  return { type, timestamp, user, version, ...environment };
}
