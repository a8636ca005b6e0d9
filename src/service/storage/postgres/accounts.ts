import type { Value } from '../database.ts';
import type { Role } from '../../../contract/role.ts';
import type { OwnerKind } from '../../domain/access.ts';
import type { Member, Membership, ServiceAccountRecord, StoredKey } from '../../domain/accounts.ts';
import type { AccountKind, AccountReader, AccountWriter, AdministrationEnd, KeyUse, KeyWithUse } from '../accounts.ts';
import { number, optional, optionalNumber, text } from '../rows.ts';
import { toAdministrationEnd, toKey, toMember, toMembership, toRole, toServiceAccount } from '../rows/accounts.ts';
import type { Session } from './session.ts';
import { defineStatements, type PostgresStatement } from './statements.ts';

const memberColumns = 'org, "user", role, created_at';
const accountColumns = 'org, name, display_name, privilege, description, created_by, created_at, for_webhook';
const keyColumns = `k.org, k.id, k.owner_kind, k.owner, k.description, k.secret_hash, k.created_at, k.expires_at, k.revoked_at,
  k.is_limited_to_org, k.login, k.original_expires_at`;

const reading = defineStatements('accounts', {
  findMember: `SELECT ${memberColumns} FROM members WHERE org = $1 AND "user" = $2`,
  listMembers: `SELECT ${memberColumns} FROM members WHERE org = $1 ORDER BY "user"`,
  listMemberships: 'SELECT org, role, is_default FROM members WHERE "user" = $1 ORDER BY org',
  findAccount: `SELECT ${accountColumns} FROM service_accounts WHERE org = $1 AND name = $2`,
  listAccounts: `SELECT ${accountColumns} FROM service_accounts WHERE org = $1 ORDER BY name`,
  findKey: `SELECT ${keyColumns} FROM api_keys k WHERE k.id = $1`,
  listKeys: `SELECT ${keyColumns}, u.used_at FROM api_keys k LEFT JOIN key_uses u ON u.org = k.org AND u.id = k.id
    WHERE k.org = $1 AND k.owner_kind = $2 AND k.owner = $3 AND k.revoked_at IS NULL ORDER BY k.created_at, k.id`,
  // Without a limit, which would make a scan of all members look cheap.
  hasValidAdminKey: `SELECT 1 FROM members m WHERE m.org = $1 AND m.role = 'admin' AND EXISTS (
    SELECT 1 FROM api_keys k
      WHERE k.owner = m."user" AND k.owner_kind = 'user' AND (k.org = m.org OR k.is_limited_to_org = 0)
        AND k.revoked_at IS NULL AND k.expires_at > $2)`,
  listLoginKeys: `SELECT ${keyColumns} FROM api_keys k WHERE k.org = $1 AND k.owner_kind = 'workflow'
    AND k.expires_at > $2 AND k.revoked_at IS NULL ORDER BY k.created_at, k.id`,
  countLoginKeys: `SELECT count(*) AS total FROM api_keys
    WHERE org = $1 AND owner_kind = 'workflow' AND owner = $2 AND expires_at > $3 AND revoked_at IS NULL
      AND EXISTS (SELECT 1 FROM json_array_elements(login::json -> 'grants') g WHERE g ->> 'rule' = $4)`,
  listAdministrationEnds: `SELECT m.org, max(k.expires_at) AS at FROM members m
    JOIN api_keys k ON k.owner = m."user" AND k.owner_kind = 'user' AND (k.org = m.org OR k.is_limited_to_org = 0)
    WHERE m.role = 'admin' AND k.revoked_at IS NULL
    GROUP BY m.org HAVING max(k.expires_at) BETWEEN $1 AND $2 ORDER BY at DESC, m.org LIMIT $3`,
  hasKeys: 'SELECT 1 FROM api_keys WHERE org = $1 LIMIT 1',
});

const writing = defineStatements('accounts', {
  saveMember: `INSERT INTO members (org, "user", role, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (org, "user") DO UPDATE SET role = excluded.role`,
  deleteMember: 'DELETE FROM members WHERE org = $1 AND "user" = $2',
  clearDefault: 'UPDATE members SET is_default = 0 WHERE "user" = $1 AND is_default = 1',
  setDefault: 'UPDATE members SET is_default = 1 WHERE org = $1 AND "user" = $2',

  insertAccount: `INSERT INTO service_accounts (org, name, display_name, privilege, description, created_by, created_at,
      for_webhook)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
  updateAccount: 'UPDATE service_accounts SET description = $3, privilege = $4 WHERE org = $1 AND name = $2',
  deleteAccount: 'DELETE FROM service_accounts WHERE org = $1 AND name = $2',

  insertKey: `INSERT INTO api_keys (org, id, owner_kind, owner, description, secret_hash, created_at, expires_at, revoked_at,
      is_limited_to_org, login, original_expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
  shortenKeyLife: `UPDATE api_keys
    SET original_expires_at = coalesce(original_expires_at, expires_at), expires_at = $3 WHERE org = $1 AND id = $2`,
  // A key can be in the list repeatedly; the last use counts.
  recordKeyUses: `INSERT INTO key_uses (org, id, used_at)
    SELECT DISTINCT ON (org, id) org, id, used_at
      FROM unnest($1::text[], $2::text[], $3::double precision[]) WITH ORDINALITY AS uses (org, id, used_at, place)
      ORDER BY org, id, place DESC
    ON CONFLICT (org, id) DO UPDATE SET used_at = excluded.used_at RETURNING id, xmax = 0 AS is_first`,
  // A list of few values is looked up by the index, while a join might read all keys of the organization.
  deleteExpiredKeys: `WITH expired AS (
      SELECT id FROM api_keys WHERE org = $1 AND owner_kind = 'workflow' AND expires_at < $2
        ORDER BY expires_at, id LIMIT $3
    ), uses AS (
      DELETE FROM key_uses WHERE org = $1 AND id = ANY (ARRAY(SELECT id FROM expired))
    ), ended AS (
      DELETE FROM sessions WHERE org = $1 AND key_id = ANY (ARRAY(SELECT id FROM expired))
    ) DELETE FROM api_keys WHERE org = $1 AND id = ANY (ARRAY(SELECT id FROM expired)) RETURNING id`,
  revokeKey: 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3) WHERE org = $1 AND id = $2',
  revokeAccountKeys: `UPDATE api_keys SET revoked_at = $3
    WHERE org = $1 AND owner_kind = 'service account' AND owner = $2 AND revoked_at IS NULL RETURNING id`,
  revokeUserKeys: `UPDATE api_keys SET revoked_at = $2
    WHERE owner_kind = 'user' AND owner = $1 AND revoked_at IS NULL RETURNING id`,
  revokeLimitedKeys: `UPDATE api_keys SET revoked_at = $3
    WHERE org = $1 AND owner_kind = 'user' AND owner = $2 AND is_limited_to_org = 1 AND revoked_at IS NULL
    RETURNING id`,
});

/** Members, service accounts and keys in PostgreSQL, for reading. */
export class PostgresAccountReader implements AccountReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async findMember(org: string, user: string): Promise<Member | undefined> {
    const [row] = await this.session.query(reading.findMember, [org, user]);
    return optional(row, toMember);
  }

  async listMembers(org: string): Promise<readonly Member[]> {
    return (await this.session.query(reading.listMembers, [org])).map(toMember);
  }

  async listMemberships(user: string): Promise<readonly Membership[]> {
    return (await this.session.query(reading.listMemberships, [user])).map(toMembership);
  }

  async findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined> {
    const [row] = await this.session.query(reading.findAccount, [org, name]);
    return optional(row, toServiceAccount);
  }

  async listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]> {
    return (await this.session.query(reading.listAccounts, [org])).map(toServiceAccount);
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    const [row] = await this.session.query(reading.findKey, [id]);
    return optional(row, toKey);
  }

  async listKeys(org: string, kind: OwnerKind, owner: string): Promise<readonly KeyWithUse[]> {
    const rows = await this.session.query(reading.listKeys, [org, kind, owner]);
    return rows.map((row) => ({ key: toKey(row), lastUsedAt: optionalNumber(row, 'used_at') }));
  }

  async hasValidAdminKey(org: string, now: number): Promise<boolean> {
    return (await this.session.query(reading.hasValidAdminKey, [org, now])).length > 0;
  }

  async listLoginKeys(org: string, now: number): Promise<readonly StoredKey[]> {
    return (await this.session.query(reading.listLoginKeys, [org, now])).map(toKey);
  }

  async countLoginKeys(
    org: string,
    { repository, rule }: { readonly repository: string; readonly rule: string },
    now: number,
  ): Promise<number> {
    const [row = {}] = await this.session.query(reading.countLoginKeys, [org, repository, now, rule]);
    return number(row, 'total');
  }

  async listAdministrationEnds(
    { from, until }: { readonly from: number; readonly until: number },
    limit: number,
  ): Promise<readonly AdministrationEnd[]> {
    const rows = await this.session.query(reading.listAdministrationEnds, [from, until, limit]);
    return rows.map(toAdministrationEnd);
  }

  async hasKeys(org: string): Promise<boolean> {
    return (await this.session.query(reading.hasKeys, [org])).length > 0;
  }

  async findRole(org: string, kind: AccountKind, owner: string): Promise<Role | undefined> {
    const isUser = kind === 'user';
    const [row] = await this.session.query(isUser ? reading.findMember : reading.findAccount, [org, owner]);
    return optional(row, (found) => toRole(found, isUser ? 'role' : 'privilege'));
  }
}

/** Members, service accounts and keys in PostgreSQL, for writing. */
export class PostgresAccountWriter extends PostgresAccountReader implements AccountWriter {
  saveMember({ org, user, role, createdAt }: Member): Promise<void> {
    return this.session.run(writing.saveMember, [org, user, role, createdAt]);
  }

  async deleteMember(org: string, user: string): Promise<'deleted' | 'not found'> {
    return (await this.session.change(writing.deleteMember, [org, user])) === 0 ? 'not found' : 'deleted';
  }

  async setDefaultOrganization(org: string, user: string): Promise<void> {
    await this.session.run(writing.clearDefault, [user]);
    await this.session.run(writing.setDefault, [org, user]);
  }

  async insertServiceAccount(account: ServiceAccountRecord): Promise<'inserted' | 'exists'> {
    const { org, name, displayName, privilege, description, createdBy, createdAt, forWebhook } = account;
    const values = [org, name, displayName, privilege, description, createdBy, createdAt, Number(forWebhook)];
    return (await this.session.change(writing.insertAccount, values)) === 0 ? 'exists' : 'inserted';
  }

  updateServiceAccount(
    account: Pick<ServiceAccountRecord, 'org' | 'name' | 'description' | 'privilege'>,
  ): Promise<void> {
    const { org, name, description, privilege } = account;
    return this.session.run(writing.updateAccount, [org, name, description, privilege]);
  }

  async deleteServiceAccount(org: string, name: string): Promise<'deleted' | 'not found'> {
    return (await this.session.change(writing.deleteAccount, [org, name])) === 0 ? 'not found' : 'deleted';
  }

  async insertKey(key: StoredKey): Promise<'inserted' | 'exists'> {
    const { org, id, ownerKind, owner, description, secretHash, createdAt, expiresAt, revokedAt = null } = key;
    const limited = Number(key.isLimitedToOrg);
    const login = key.login === undefined ? null : JSON.stringify(key.login);
    const values = [
      ...[org, id, ownerKind, owner, description, secretHash, createdAt, expiresAt, revokedAt],
      ...[limited, login, key.originalExpiresAt ?? null],
    ];
    return (await this.session.change(writing.insertKey, values)) === 0 ? 'exists' : 'inserted';
  }

  shortenKeyLife(org: string, id: string, expiresAt: number): Promise<void> {
    return this.session.run(writing.shortenKeyLife, [org, id, expiresAt]);
  }

  async recordKeyUses(uses: readonly KeyUse[]): Promise<readonly string[]> {
    const rows = await this.session.query(writing.recordKeyUses, [
      uses.map(({ org }) => org),
      uses.map(({ id }) => id),
      uses.map(({ at }) => at),
    ]);
    return rows.filter((row) => row['is_first'] === true).map((row) => text(row, 'id'));
  }

  async deleteExpiredLoginKeys(org: string, before: number, limit: number): Promise<void> {
    await this.#writeKeys(writing.deleteExpiredKeys, [org, before, limit]);
  }

  async revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'> {
    return (await this.session.change(writing.revokeKey, [org, id, revokedAt])) === 0 ? 'not found' : 'revoked';
  }

  revokeServiceAccountKeys(org: string, name: string, revokedAt: number): Promise<readonly string[]> {
    return this.#writeKeys(writing.revokeAccountKeys, [org, name, revokedAt]);
  }

  revokeUserKeys(user: string, revokedAt: number): Promise<readonly string[]> {
    return this.#writeKeys(writing.revokeUserKeys, [user, revokedAt]);
  }

  revokeLimitedUserKeys(org: string, user: string, revokedAt: number): Promise<readonly string[]> {
    return this.#writeKeys(writing.revokeLimitedKeys, [org, user, revokedAt]);
  }

  /** @param statement returns the ids of the keys that it changes, as this method does */
  async #writeKeys(statement: PostgresStatement, values: readonly Value[]): Promise<readonly string[]> {
    return (await this.session.query(statement, values)).map((row) => text(row, 'id'));
  }
}
