import type { PolicyEvent, PolicyRecord } from '../../domain/policy/policy-record.ts';
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
import { defineStatements } from './statements.ts';

const listEnvironmentNames = `SELECT coalesce(json_agg(environment ORDER BY environment), '[]')::text
  FROM environment_policies`;

const policy = `SELECT p.org, p.name, p.description, p.created_at, p.created_by, p.last_modified_at,
    (${listEnvironmentNames} WHERE org = p.org AND policy = p.name) AS environments
  FROM policies p`;

/** All policies of an organization, with their whole history. */
const allPolicies = `SELECT name, ${Number.MAX_SAFE_INTEGER} AS last FROM policies WHERE org = $1`;

/** One policy as `name`, and the number after which its history is left out as `last`. */
const onePolicy = 'SELECT $3::text AS name, $4::bigint AS last';

/**
 * The latest versions of policies, oldest first; $2 at most of each. The length of texts is in bytes instead of
 * characters, because PostgreSQL stores it, so only the texts within the limit are read.
 *
 * @param limit the parameter that limits the total length of a policy's texts
 */
function listVersions(policies: string, limit: string): string {
  return `SELECT v.policy, v.version, v.comment, v.created_at, v.created_by,
      CASE WHEN v.place = 1 OR v.size <= ${limit} THEN v.text END AS text
    FROM (${policies}) p CROSS JOIN LATERAL (
      SELECT policy, version, comment, created_at, created_by, text,
        row_number() OVER latest_first AS place, sum(octet_length(text)) OVER latest_first AS size
      FROM policy_versions WHERE org = $1 AND policy = p.name AND version <= p.last
      WINDOW latest_first AS (ORDER BY version DESC ROWS UNBOUNDED PRECEDING) ORDER BY version DESC LIMIT $2) v
    ORDER BY v.policy, v.version`;
}

/** The latest events of policies, oldest first; $2 at most of each. */
function listEvents(policies: string): string {
  return `SELECT v.policy, v.type, v.timestamp, v."user", v.version, v.environment
    FROM (${policies}) p CROSS JOIN LATERAL (
      SELECT policy, sequence, type, timestamp, "user", version, environment
      FROM policy_events WHERE org = $1 AND policy = p.name AND sequence <= p.last
      ORDER BY sequence DESC LIMIT $2) v
    ORDER BY v.policy, v.sequence`;
}

const rules = 'v.policy, v.version, v.rules';
/** Joins the latest version of each policy of a list. `LIMIT` makes the planner look them up, instead of reading all. */
const joinLatestVersion = (name: string): string => `CROSS JOIN LATERAL (
      SELECT latest FROM policies WHERE org = $1 AND name = ${name} LIMIT 1
    ) p CROSS JOIN LATERAL (
      SELECT policy, version, rules FROM policy_versions
      WHERE org = $1 AND policy = ${name} AND version = p.latest LIMIT 1
    ) v`;

const statements = defineStatements('policies', {
  find: `${policy} WHERE p.org = $1 AND p.name = $2`,
  list: `${policy} WHERE p.org = $1 ORDER BY p.name`,
  listVersions: listVersions(onePolicy, '$5'),
  listAllVersions: listVersions(allPolicies, '$3'),
  listEvents: listEvents(onePolicy),
  listAllEvents: listEvents(allPolicies),
  // The first event of a version is the one that added it.
  findByKey: `SELECT v.org, v.policy, v.version, v.created_at, v.request_digest, v.answered_description, v.answered_environments,
      p.created_at AS policy_created_at, p.created_by AS policy_created_by,
      (SELECT min(sequence) FROM policy_events WHERE org = v.org AND policy = v.policy AND version = v.version) AS event
    FROM policy_versions v JOIN policies p ON p.org = v.org AND p.name = v.policy
    WHERE v.org = $1 AND v.idempotency_key = $2`,
  findLatestVersion: 'SELECT latest FROM policies WHERE org = $1 AND name = $2',
  listExisting: 'SELECT name FROM policies WHERE org = $1 AND name = ANY($2::text[])',
  listEnvironments: `SELECT environment FROM environment_policies
    WHERE org = $1 AND policy = $2 ORDER BY environment`,
  listAttached: `SELECT ${rules} FROM environment_policies a ${joinLatestVersion('a.policy')}
    WHERE a.org = $1 AND a.environment = $2 ORDER BY v.policy`,
  listLatest: `SELECT ${rules} FROM unnest($2::text[]) WITH ORDINALITY AS m (name, place)
    ${joinLatestVersion('m.name')} ORDER BY m.place`,

  // What the policy was is recorded only for a request with a key.
  insertVersion: `WITH saved AS (
      INSERT INTO policies AS p (org, name, description, latest, created_at, created_by, last_modified_at)
      VALUES ($1, $2, coalesce($4, ''), $3, $6, $7, $6)
      ON CONFLICT (org, name) DO UPDATE SET description = coalesce($4, p.description), latest = $3, last_modified_at = $6
      RETURNING description)
    INSERT INTO policy_versions (org, policy, version, comment, created_at, created_by, rules, text,
      idempotency_key, request_digest, answered_description, answered_environments)
    SELECT $1, $2, $3, $5, $6, $7, $8, $9, $10, $11, CASE WHEN $10::text IS NOT NULL THEN description END,
      CASE WHEN $10::text IS NOT NULL THEN (${listEnvironmentNames} WHERE org = $1 AND policy = $2) END
    FROM saved`,
  insertEvents: `INSERT INTO policy_events (org, policy, sequence, type, timestamp, "user", environment, version)
    SELECT $1, m.name,
      (SELECT coalesce(max(sequence), 0) + 1 FROM policy_events WHERE org = $1 AND policy = m.name),
      $3, $4, $5, $6, (SELECT latest FROM policies WHERE org = $1 AND name = m.name)
    FROM unnest($2::text[]) AS m (name)`,
});

/** Policies in PostgreSQL, for reading. */
export class PostgresPolicyReader implements PolicyReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async find(org: string, name: string, limits: PolicyHistoryLimits): Promise<PolicyRecord | undefined> {
    const [[row], history] = await Promise.all([
      this.session.query(statements.find, [org, name]),
      this.#findHistory(org, name, limits),
    ]);
    return optional(row, (found) => toPolicy(found, history));
  }

  async list(org: string, limits: PolicyHistoryLimits): Promise<readonly PolicyRecord[]> {
    const [policies, versions, events] = await Promise.all([
      this.session.query(statements.list, [org]),
      this.session.query(statements.listAllVersions, [org, limits.versions, limits.texts]),
      this.session.query(statements.listAllEvents, [org, limits.events]),
    ]);
    const versionsByPolicy = Map.groupBy(versions, (row) => text(row, 'policy'));
    const eventsByPolicy = Map.groupBy(events, (row) => text(row, 'policy'));
    return policies.map((row) => {
      const name = text(row, 'name');
      return toPolicy(row, toHistory(versionsByPolicy.get(name) ?? [], eventsByPolicy.get(name) ?? []));
    });
  }

  async findByKey(org: string, key: string, limits: PolicyHistoryLimits): Promise<KeyedPolicyVersion | undefined> {
    const [row] = await this.session.query(statements.findByKey, [org, key]);
    if (row === undefined) return undefined;
    const last = { version: number(row, 'version'), event: number(row, 'event') };
    return toKeyedPolicyVersion(row, await this.#findHistory(org, text(row, 'policy'), limits, last));
  }

  /** @param last the version and the event after which the history is left out */
  async #findHistory(
    org: string,
    name: string,
    limits: PolicyHistoryLimits,
    last = { version: Number.MAX_SAFE_INTEGER, event: Number.MAX_SAFE_INTEGER },
  ): Promise<PolicyHistory> {
    const [versions, events] = await Promise.all([
      this.session.query(statements.listVersions, [org, limits.versions, name, last.version, limits.texts]),
      this.session.query(statements.listEvents, [org, limits.events, name, last.event]),
    ]);
    return toHistory(versions, events);
  }

  async findLatestVersion(org: string, name: string): Promise<number | undefined> {
    const [row] = await this.session.query(statements.findLatestVersion, [org, name]);
    return optional(row, (found) => number(found, 'latest'));
  }

  async listExisting(org: string, names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    const rows = await this.session.query(statements.listExisting, [org, names]);
    const existing = new Set(rows.map((row) => text(row, 'name')));
    return names.filter((name) => existing.has(name));
  }

  async listEnvironments(org: string, name: string): Promise<readonly string[]> {
    const rows = await this.session.query(statements.listEnvironments, [org, name]);
    return rows.map((row) => text(row, 'environment'));
  }

  async listAttached(org: string, environment: string): Promise<readonly AttachedRules[]> {
    return (await this.session.query(statements.listAttached, [org, environment])).map(toAttachedRules);
  }

  async listLatest(org: string, names: readonly string[]): Promise<readonly AttachedRules[]> {
    if (names.length === 0) return [];
    return (await this.session.query(statements.listLatest, [org, names])).map(toAttachedRules);
  }
}

function toHistory(versions: readonly Row[], events: readonly Row[]): PolicyHistory {
  return {
    versions: versions.map((row) => toPolicyVersion(row, row['text'] === null ? undefined : text(row, 'text'))),
    events: events.map(toPolicyEvent),
  };
}

/** Policies in PostgreSQL, for writing. */
export class PostgresPolicyWriter extends PostgresPolicyReader implements PolicyWriter {
  insertVersion(added: NewPolicyVersion): Promise<void> {
    const { org, name, description = null, version, comment, createdAt, createdBy, requestKey } = added;
    return this.session.run(statements.insertVersion, [
      ...[org, name, version, description, comment, createdAt, createdBy, added.rules, added.text],
      ...[requestKey?.key ?? null, requestKey?.digest ?? null],
    ]);
  }

  async addEvents(org: string, names: readonly string[], event: Omit<PolicyEvent, 'version'>): Promise<void> {
    const { type, timestamp, user, environment = null } = event;
    const values = [org, names, type, timestamp, user, environment];
    if (names.length > 0) await this.session.run(statements.insertEvents, values);
  }
}
