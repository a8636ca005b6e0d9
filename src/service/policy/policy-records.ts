import { defineStatements, isAnyOf, lookUp, Repository, toJsonList } from '../platform/database/database.ts';
import {
  column,
  isSet,
  json,
  number,
  oneOf,
  optional,
  optionalText,
  type Row,
  text,
  toRecord,
} from '../platform/database/rows.ts';
import type { RecordKey } from '../platform/idempotency/remembered-answer-records.ts';
import { type PolicyEvent, policyEventTypes, type PolicyRecord, type PolicyVersion } from './policy.ts';

/** The latest version of a policy. */
export interface AttachedRules {
  readonly name: string;
  readonly version: number;
  /** The rules as JSON. Equal texts are equal rules, so the text can be the key of a cache. */
  readonly rules: string;
}

/** Limits for reading a policy's history; its latest part is read. */
export interface PolicyHistoryLimits {
  readonly versions: number;
  readonly events: number;
  /** In characters, for the texts of all versions together. The text of the latest version is always read. */
  readonly texts: number;
}

/** A version that was added by a request with an idempotency key. */
export interface KeyedPolicyVersion {
  readonly digest: string;
  readonly version: number;
  /** The policy as it was after the request. */
  readonly policy: PolicyRecord;
}

export interface NewPolicyVersion extends PolicyVersion {
  readonly org: string;
  readonly name: string;
  /** The new description of the policy; undefined leaves it unchanged (empty for a new policy). */
  readonly description: string | undefined;
  readonly text: string;
  /** The rules as JSON, returned unchanged in `AttachedRules`. */
  readonly rules: string;
  /** Unique within the organization. */
  readonly requestKey?: RecordKey | undefined;
}

const environmentNames = `SELECT ${toJsonList('environment')} FROM environment_policies`;

const policy = `SELECT p.org, p.name, p.description, p.created_at, p.created_by, p.last_modified_at, p.archived_at,
    (${environmentNames} WHERE org = p.org AND policy = p.name) AS environments
  FROM policies p`;

const latestVersion = lookUp('policy_versions', 'v', 'v.org = p.org AND v.policy = p.name AND v.version = p.latest');

const statements = defineStatements('policies', {
  find: `${policy} WHERE p.org = $1 AND p.name = $2`,
  list: `${policy} WHERE p.org = $1 AND p.archived_at IS NULL ORDER BY p.name`,
  // Databases store the length in bytes, so the text is not read.
  listVersions: `SELECT version, comment, created_at, created_by, octet_length(text) AS size FROM policy_versions
    WHERE org = $1 AND policy = $2 AND version <= $3::bigint ORDER BY version DESC LIMIT $4`,
  listTexts: `SELECT version, text FROM policy_versions
    WHERE org = $1 AND policy = $2 AND version BETWEEN $3 AND $4`,
  listEvents: `SELECT type, timestamp, "user", version, environment FROM policy_events
    WHERE org = $1 AND policy = $2 AND sequence <= $3::bigint ORDER BY sequence DESC LIMIT $4`,
  // The first event of a version is the one that added it.
  findByKey: `SELECT v.org, v.policy, v.version, v.created_at, v.request_digest, v.answered_description, v.answered_environments,
      p.created_at AS policy_created_at, p.created_by AS policy_created_by,
      (SELECT min(sequence) FROM policy_events WHERE org = v.org AND policy = v.policy AND version = v.version) AS event
    FROM policy_versions v JOIN policies p ON p.org = v.org AND p.name = v.policy
    WHERE v.org = $1 AND v.idempotency_key = $2`,
  findLatestVersion: 'SELECT latest FROM policies WHERE org = $1 AND name = $2',
  listExisting: `SELECT name FROM policies WHERE org = $1 AND archived_at IS NULL AND ${isAnyOf('name', '$2')}`,
  listEnvironments: 'SELECT environment FROM environment_policies WHERE org = $1 AND policy = $2 ORDER BY environment',
  listAttached: `SELECT v.policy, v.version, v.rules FROM environment_policies a
    ${lookUp('policies', 'p', 'p.org = a.org AND p.name = a.policy')} ${latestVersion}
    WHERE a.org = $1 AND a.environment = $2 ORDER BY v.policy`,
  findLatest: `SELECT v.policy, v.version, v.rules FROM policies p ${latestVersion}
    WHERE p.org = $1 AND p.name = $2`,
  save: `INSERT INTO policies AS p (org, name, description, latest, created_at, created_by, last_modified_at)
    VALUES ($1, $2, coalesce($3::text, ''), $4, $5, $6, $5)
    ON CONFLICT (org, name) DO UPDATE SET description = coalesce($3::text, p.description), latest = excluded.latest,
      last_modified_at = excluded.last_modified_at, archived_at = NULL`,
  // What the policy was is recorded only for a request with a key.
  insertVersion: `INSERT INTO policy_versions (org, policy, version, comment, created_at, created_by, rules, text,
      idempotency_key, request_digest, answered_description, answered_environments)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
      CASE WHEN $9::text IS NOT NULL THEN (SELECT description FROM policies WHERE org = $1 AND name = $2) END,
      CASE WHEN $9::text IS NOT NULL THEN (${environmentNames} WHERE org = $1 AND policy = $2) END)`,
  insertEvent: `INSERT INTO policy_events (org, policy, sequence, type, timestamp, "user", environment, version)
    VALUES ($1, $2, (SELECT coalesce(max(sequence), 0) + 1 FROM policy_events WHERE org = $1 AND policy = $2),
      $3, $4, $5, $6, (SELECT latest FROM policies WHERE org = $1 AND name = $2))`,
});

/** The version and the event after which a history is left out. */
const latest = { version: Number.MAX_SAFE_INTEGER, event: Number.MAX_SAFE_INTEGER };

export class PolicyReader extends Repository {
  async find(org: string, name: string, limits: PolicyHistoryLimits): Promise<PolicyRecord | undefined> {
    const [[row], history] = await Promise.all([
      this.query(statements.find, [org, name]),
      this.#findHistory(org, name, limits, latest),
    ]);
    return optional(row, (found) => ({ ...toHead(found), ...history }));
  }

  /** All policies of the organization, sorted by name. */
  async list(org: string, limits: PolicyHistoryLimits): Promise<readonly PolicyRecord[]> {
    const rows = await this.query(statements.list, [org]);
    return Promise.all(
      rows.map(async (row) => {
        const head = toHead(row);
        return { ...head, ...(await this.#findHistory(org, head.name, limits, latest)) };
      }),
    );
  }

  /** Finds the version that was added by the request with this idempotency key. */
  async findByKey(org: string, key: string, limits: PolicyHistoryLimits): Promise<KeyedPolicyVersion | undefined> {
    const [row] = await this.query(statements.findByKey, [org, key]);
    if (row === undefined) return undefined;
    const last = { version: number(row, 'version'), event: number(row, 'event') };
    return toKeyedPolicyVersion(row, await this.#findHistory(org, text(row, 'policy'), limits, last));
  }

  async #findHistory(
    org: string,
    name: string,
    limits: PolicyHistoryLimits,
    last: typeof latest,
  ): Promise<PolicyHistory> {
    const [versions, events] = await Promise.all([
      this.query(statements.listVersions, [org, name, last.version, limits.versions]),
      this.query(statements.listEvents, [org, name, last.event, limits.events]),
    ]);
    const texts = await this.#findTexts(org, name, withinLimit(versions, limits.texts));
    return {
      versions: versions
        .map(toPolicyVersion)
        .map((one) => ({ ...one, text: texts.get(one.version) }))
        .toReversed(),
      events: events.map(toPolicyEvent).toReversed(),
    };
  }

  /** @param versions newest first */
  async #findTexts(org: string, name: string, versions: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const [last, first] = [versions[0], versions.at(-1)];
    if (last === undefined || first === undefined) return new Map();
    const rows = await this.query(statements.listTexts, [org, name, first, last]);
    return new Map(rows.map((row) => [number(row, 'version'), text(row, 'text')]));
  }

  /** The text of a version; undefined if there is none. */
  async findText(org: string, name: string, version: number): Promise<string | undefined> {
    return (await this.#findTexts(org, name, [version])).get(version);
  }

  /** The number of the latest version; undefined if there is no such policy. */
  findLatestVersion(org: string, name: string): Promise<number | undefined> {
    return this.queryFirst(statements.findLatestVersion, [org, name], (found) => number(found, 'latest'));
  }

  async listExisting(org: string, names: readonly string[]): Promise<readonly string[]> {
    const rows = await this.query(statements.listExisting, [org, names]);
    const existing = new Set(rows.map((row) => text(row, 'name')));
    return names.filter((name) => existing.has(name));
  }

  /** The environments that the policy is attached to, sorted by name. */
  listEnvironments(org: string, name: string): Promise<readonly string[]> {
    return this.queryAll(statements.listEnvironments, [org, name], (row) => text(row, 'environment'));
  }

  /** The policies that are attached to an environment, sorted by name. */
  listAttached(org: string, environment: string): Promise<readonly AttachedRules[]> {
    return this.queryAll(statements.listAttached, [org, environment], toAttachedRules);
  }

  /** The existing policies among these names, in their order. */
  async listLatest(org: string, names: readonly string[]): Promise<readonly AttachedRules[]> {
    const found = await Promise.all(names.map((name) => this.query(statements.findLatest, [org, name])));
    return found.flat().map(toAttachedRules);
  }
}

/** The newest versions whose texts together are within the limit; at least one. */
function withinLimit(versions: readonly Row[], limit: number): readonly number[] {
  let size = 0;
  return versions
    .filter((row, index) => {
      size += number(row, 'size');
      return index === 0 || size <= limit;
    })
    .map((row) => number(row, 'version'));
}

export class PolicyWriter extends PolicyReader {
  /**
   * Inserts the version as the latest one. Version 1 creates the policy. With a key, it also records the description and
   * the environments of the policy for `findByKey`.
   */
  async insertVersion(added: NewPolicyVersion): Promise<void> {
    const { org, name, description = null, version, comment, createdAt, createdBy, requestKey } = added;
    await this.run(statements.save, [org, name, description, version, createdAt, createdBy]);
    await this.run(statements.insertVersion, [
      ...[org, name, version, comment, createdAt, createdBy, added.rules, added.text],
      ...[requestKey?.key ?? null, requestKey?.digest ?? null],
    ]);
  }

  /** Adds an event to the history of each of these policies, at its latest version. */
  async addEvents(org: string, names: readonly string[], event: Omit<PolicyEvent, 'version'>): Promise<void> {
    const { type, timestamp, user, environment = null } = event;
    for (const name of names) {
      await this.run(statements.insertEvent, [org, name, type, timestamp, user, environment]);
    }
  }
}

/** The history of a policy, which is read separately. */
type PolicyHistory = Pick<PolicyRecord, 'versions' | 'events'>;

/** Converts a row of `policies` with the sorted names of its `environments`, a list in JSON. */
const toHead = toRecord<Omit<PolicyRecord, keyof PolicyHistory>>({
  ...{ org: text, name: text, description: text, isArchived: column('archived_at', isSet), createdAt: number },
  ...{ createdBy: text, lastModifiedAt: number, environments: json },
});

/**
 * Converts a row of `policy_versions` that was added by a request with an idempotency key, with `policy_created_at` and
 * `policy_created_by` of its policy.
 *
 * @param history as it was after the request
 */
function toKeyedPolicyVersion(row: Row, history: PolicyHistory): KeyedPolicyVersion {
  const policy: PolicyRecord = {
    org: text(row, 'org'),
    name: text(row, 'policy'),
    description: text(row, 'answered_description'),
    isArchived: false,
    createdAt: number(row, 'policy_created_at'),
    createdBy: text(row, 'policy_created_by'),
    lastModifiedAt: number(row, 'created_at'),
    // A list of names, which the database made.
    environments: JSON.parse(text(row, 'answered_environments')) as readonly string[],
    ...history,
  };
  return { digest: text(row, 'request_digest'), version: number(row, 'version'), policy };
}

const toPolicyVersion = toRecord<Omit<PolicyVersion, 'text'>>({
  ...{ version: number, comment: text, createdAt: number, createdBy: text },
});

const toPolicyEvent = toRecord<PolicyEvent>({
  ...{ type: oneOf(policyEventTypes), timestamp: number, user: text, version: number, environment: optionalText },
});

/** Converts a row with `policy`, `version` and `rules` of a policy's latest version. */
const toAttachedRules = toRecord<AttachedRules>({ name: column('policy', text), version: number, rules: text });
