import type { DatabaseSync } from 'node:sqlite';
import type { PolicyEvent, PolicyEventType, PolicyRecord, PolicyVersion } from '../../domain/policy/policy-record.ts';
import type { KnownMatches } from '../../domain/policy/work.ts';
import { longestPolicyHistory, longestPolicyTexts, type PolicyStore, type PolicyToSave } from '../policy-store.ts';
import { optional } from './answers.ts';
import { number, text, type Row } from './rows.ts';
import { prepare, type Prepared } from './statements.ts';
import type { JudgingQueue } from './judging-queue.ts';

const texts = {
  hasPolicy: 'SELECT 1 FROM policies WHERE org = ? AND name = ?',
  findPolicy: 'SELECT * FROM policies WHERE org = ? AND name = ?',
  savePolicy: `INSERT INTO policies (org, name, description, latest, created_at, created_by, last_modified_at)
    VALUES (?1, ?2, coalesce(?3, ''), 1, ?4, ?5, ?4)
    ON CONFLICT DO UPDATE SET description = coalesce(?3, description), latest = latest + 1, last_modified_at = ?4
    RETURNING latest`,
  addVersion: `INSERT INTO policy_versions (org, policy, version, comment, created_at, created_by, rules, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  // The length of a text is told by its bytes, which SQLite knows without reading them.
  versionsOf: `SELECT version, comment, created_at, created_by, octet_length(text) AS size FROM policy_versions
    WHERE org = ? AND policy = ? ORDER BY version DESC LIMIT ${longestPolicyHistory}`,
  textOf: 'SELECT text FROM policy_versions WHERE org = ? AND policy = ? AND version = ?',
  addEvent: `INSERT INTO policy_events (org, policy, sequence, type, timestamp, user, environment, version)
    SELECT ?1, ?2, coalesce(max(sequence), 0) + 1, ?3, ?4, ?5, ?6,
      (SELECT latest FROM policies WHERE org = ?1 AND name = ?2)
    FROM policy_events WHERE org = ?1 AND policy = ?2`,
  eventsOf: `SELECT * FROM policy_events WHERE org = ? AND policy = ?
    ORDER BY sequence DESC LIMIT ${longestPolicyHistory}`,
  environmentsOf: 'SELECT environment FROM environment_policies WHERE org = ? AND policy = ? ORDER BY environment',
} as const;

/** Called within the write that changed a policy, with the environments it is attached to. */
export type PolicyChanged = (org: string, environments: readonly string[], now: number, matches: KnownMatches) => void;

/** Policies in SQLite. */
export class SqlitePolicies implements Omit<PolicyStore, 'savePolicy'> {
  readonly #statements: Prepared<typeof texts>;
  readonly #queue: JudgingQueue;

  constructor(database: DatabaseSync, queue: JudgingQueue) {
    this.#statements = prepare(database, texts);
    this.#queue = queue;
  }

  savePolicy(policy: PolicyToSave, savedAt: number, changed: PolicyChanged): ReturnType<PolicyStore['savePolicy']> {
    const { org, name, description = null, comment, text: yaml, rules, user } = policy;
    const written = JSON.stringify(rules);
    return this.#queue.write((matches) => {
      const version = number(this.#statements.savePolicy.get(org, name, description, savedAt, user) ?? {}, 'latest');
      this.#statements.addVersion.run(org, name, version, comment, savedAt, user, written, yaml);
      const type = version === 1 ? 'policy_created' : 'policy_updated';
      this.addEvent(org, name, { type, timestamp: savedAt, user });
      changed(org, this.#environmentsOf(org, name), savedAt, matches);
      const saved = this.#find(org, name);
      if (saved === undefined) throw new Error('a policy that was just saved is gone');
      return { outcome: version === 1 ? 'created' : 'updated', policy: saved };
    });
  }

  findPolicy(org: string, name: string): Promise<PolicyRecord | undefined> {
    return this.#queue.read(() => this.#find(org, name));
  }

  /** Whether there is such a policy. */
  has(org: string, name: string): boolean {
    return this.#statements.hasPolicy.get(org, name) !== undefined;
  }

  /** Adds an event to a policy's history; call it within a write. */
  addEvent(org: string, name: string, event: Omit<PolicyEvent, 'version'>): void {
    const { type, timestamp, user, environment = null } = event;
    this.#statements.addEvent.run(org, name, type, timestamp, user, environment);
  }

  #find(org: string, name: string): PolicyRecord | undefined {
    return optional(this.#statements.findPolicy.get(org, name), (row) => ({
      org,
      name,
      description: text(row, 'description'),
      createdAt: number(row, 'created_at'),
      createdBy: text(row, 'created_by'),
      lastModifiedAt: number(row, 'last_modified_at'),
      environments: this.#environmentsOf(org, name),
      versions: this.#versionsOf(org, name),
      events: this.#statements.eventsOf.all(org, name).map(eventOf).reverse(),
    }));
  }

  #versionsOf(org: string, name: string): readonly PolicyVersion[] {
    let size = 0;
    const rows = this.#statements.versionsOf.all(org, name);
    const versions = rows.map((row, index): PolicyVersion => {
      const version = number(row, 'version');
      size += number(row, 'size');
      const isTold = index === 0 || size <= longestPolicyTexts;
      return {
        version,
        comment: text(row, 'comment'),
        createdAt: number(row, 'created_at'),
        createdBy: text(row, 'created_by'),
        text: isTold ? text(this.#statements.textOf.get(org, name, version) ?? {}, 'text') : undefined,
      };
    });
    return versions.reverse();
  }

  #environmentsOf(org: string, name: string): readonly string[] {
    return this.#statements.environmentsOf.all(org, name).map((row) => text(row, 'environment'));
  }
}

const eventTypes: readonly PolicyEventType[] = [
  'policy_created',
  'policy_updated',
  'policy_attached',
  'policy_detached',
];

function eventOf(row: Row): PolicyEvent {
  const type = eventTypes.find((known) => known === row['type']);
  if (type === undefined) throw new TypeError('a stored event of a policy is damaged');
  const environment = row['environment'] === null ? {} : { environment: text(row, 'environment') };
  const [timestamp, user, version] = [number(row, 'timestamp'), text(row, 'user'), number(row, 'version')];
  return { type, timestamp, user, version, ...environment };
}
