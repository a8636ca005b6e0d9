import { type Role, roles } from '../../contract/role.ts';
import {
  defineStatements,
  either,
  isAnyOf,
  type ListPart,
  Repository,
  type Statement,
  type Value,
} from '../platform/database/database.ts';
import {
  blob,
  column,
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
import { type OwnerKind, ownerKinds } from './access.ts';
import type { Login, Member, Membership, ServiceAccountRecord, StoredKey } from './account.ts';

/** When a key was used, in Unix seconds. */
export interface KeyUse {
  readonly org: string;
  readonly id: string;
  readonly at: number;
}

/** A key with the time of its last use; undefined if it was never used. */
export interface KeyWithUse extends StoredKey {
  readonly lastUsedAt: number | undefined;
}

/** When nobody can administer an organization any more, in Unix seconds. */
export interface AdministrationEnd {
  readonly org: string;
  readonly at: number;
}

/** A key of a workflow run that was revoked, without what its login proved. */
export type RevokedLoginKey = Pick<StoredKey, 'org' | 'id' | 'ownerKind' | 'owner' | 'description' | 'expiresAt'>;

/** The kinds of owners that have a role of their own. */
export type AccountKind = Exclude<OwnerKind, 'workflow'>;

const memberColumns = 'org, "user", role, created_at';
const accountColumns = 'org, name, display_name, privilege, description, created_by, created_at, for_webhook';
const keyColumns = `k.org, k.id, k.owner_kind, k.owner, k.description, k.secret_hash, k.created_at, k.expires_at, k.revoked_at,
  k.is_limited_to_org, k.login, k.original_expires_at`;

const eachGrant = either("json_each(login, '$.grants') g", "json_array_elements(login::json -> 'grants') g");
const grantedRule = `${either('g.value', 'g')} ->> 'rule'`;

const statements = defineStatements('accounts', {
  findMember: `SELECT ${memberColumns} FROM members WHERE org = $1 AND "user" = $2`,
  listMembers: `SELECT ${memberColumns} FROM members WHERE org = $1 ORDER BY "user"`,
  listMemberships: 'SELECT org, role, is_default FROM members WHERE "user" = $1 ORDER BY org',
  findAccount: `SELECT ${accountColumns} FROM service_accounts WHERE org = $1 AND name = $2`,
  findAccountTimes: `SELECT name, created_at FROM service_accounts WHERE org = $1 AND ${isAnyOf('name', '$2')}`,
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
    AND k.expires_at > $2 AND k.revoked_at IS NULL ORDER BY k.created_at DESC, k.id DESC LIMIT $3 OFFSET $4`,
  countLoginKeys: `SELECT count(*) AS total FROM api_keys
    WHERE org = $1 AND owner_kind = 'workflow' AND expires_at > $2 AND revoked_at IS NULL`,
  countRuleKeys: `SELECT ${grantedRule} AS rule, count(*) AS total FROM api_keys CROSS JOIN ${eachGrant}
    WHERE org = $1 AND owner_kind = 'workflow' AND owner = $2 AND expires_at > $3 AND revoked_at IS NULL GROUP BY 1`,
  listAdministrationEnds: `SELECT m.org, max(k.expires_at) AS at FROM members m
    JOIN api_keys k ON k.owner = m."user" AND k.owner_kind = 'user' AND (k.org = m.org OR k.is_limited_to_org = 0)
    WHERE m.role = 'admin' AND k.revoked_at IS NULL
    GROUP BY m.org HAVING max(k.expires_at) BETWEEN $1 AND $2 ORDER BY at DESC, m.org LIMIT $3`,
  hasKeys: 'SELECT 1 FROM api_keys WHERE org = $1 LIMIT 1',

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
  insertKeyUse: 'INSERT INTO key_uses (org, id, used_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
  updateKeyUse: 'UPDATE key_uses SET used_at = $3 WHERE org = $1 AND id = $2',
  listExpiredKeys: `SELECT id FROM api_keys WHERE org = $1 AND owner_kind = 'workflow' AND expires_at < $2
    ORDER BY expires_at, id LIMIT $3`,
  deleteKeyUses: `DELETE FROM key_uses WHERE org = $1 AND ${isAnyOf('id', '$2')}`,
  deleteKeySessions: `DELETE FROM sessions WHERE org = $1 AND ${isAnyOf('key_id', '$2')}`,
  deleteKeys: `DELETE FROM api_keys WHERE org = $1 AND ${isAnyOf('id', '$2')}`,
  revokeKey: 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3) WHERE org = $1 AND id = $2',
  revokeRuleKeys: `UPDATE api_keys SET revoked_at = $3
    WHERE org = $1 AND owner_kind = 'workflow' AND revoked_at IS NULL
      AND EXISTS (SELECT 1 FROM ${eachGrant} WHERE ${grantedRule} = $2)
    RETURNING org, id, owner_kind, owner, description, expires_at`,
  revokeAccountKeys: `UPDATE api_keys SET revoked_at = $3
    WHERE org = $1 AND owner_kind = 'service account' AND owner = $2 AND revoked_at IS NULL RETURNING id`,
  revokeUserKeys: `UPDATE api_keys SET revoked_at = $2
    WHERE owner_kind = 'user' AND owner = $1 AND revoked_at IS NULL RETURNING id`,
  revokeLimitedKeys: `UPDATE api_keys SET revoked_at = $3
    WHERE org = $1 AND owner_kind = 'user' AND owner = $2 AND is_limited_to_org = 1 AND revoked_at IS NULL
    RETURNING id`,
});

export class AccountReader extends Repository {
  findMember(org: string, user: string): Promise<Member | undefined> {
    return this.queryFirst(statements.findMember, [org, user], toMember);
  }

  /** The members of the organization, sorted by name. */
  listMembers(org: string): Promise<readonly Member[]> {
    return this.queryAll(statements.listMembers, [org], toMember);
  }

  /** The memberships of the user, sorted by organization. */
  listMemberships(user: string): Promise<readonly Membership[]> {
    return this.queryAll(statements.listMemberships, [user], toMembership);
  }

  /** When each of the service accounts with these names was created, by name. */
  async findServiceAccountTimes(org: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.query(statements.findAccountTimes, [org, names]);
    return new Map(rows.map((row) => [text(row, 'name'), number(row, 'created_at')]));
  }

  findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined> {
    return this.queryFirst(statements.findAccount, [org, name], toServiceAccount);
  }

  /** The service accounts of the organization, sorted by name. */
  listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]> {
    return this.queryAll(statements.listAccounts, [org], toServiceAccount);
  }

  /** Key ids are unique across all organizations, because a key is found by its id alone. */
  findKey(id: string): Promise<StoredKey | undefined> {
    return this.queryFirst(statements.findKey, [id], toKey);
  }

  /** The keys of the owner that were issued in the organization and are not revoked, oldest first. */
  listKeys(org: string, kind: OwnerKind, owner: string): Promise<readonly KeyWithUse[]> {
    return this.queryAll(statements.listKeys, [org, kind, owner], toKeyWithUse);
  }

  /** Whether a member with the role admin has a key that opens the organization, is not revoked and has not expired. */
  async hasValidAdminKey(org: string, now: number): Promise<boolean> {
    return (await this.query(statements.hasValidAdminKey, [org, now])).length > 0;
  }

  /** The keys of workflow runs of the organization that are not revoked and have not expired, the latest first. */
  listLoginKeys(org: string, now: number, { offset, limit }: ListPart): Promise<readonly StoredKey[]> {
    return this.queryAll(statements.listLoginKeys, [org, now, limit, offset], toKey);
  }

  countLoginKeys(org: string, now: number): Promise<number> {
    return this.queryNumber(statements.countLoginKeys, [org, now], 'total');
  }

  /** How many of them each rule gave to runs of a repository, alone or with other rules. */
  async countRuleKeys(org: string, repository: string, now: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.query(statements.countRuleKeys, [org, repository, now]);
    return new Map(rows.map((row) => [text(row, 'rule'), number(row, 'total')]));
  }

  /** The organizations whose admins' last valid key expires within a period, or expired within it: the latest first. */
  listAdministrationEnds(
    { from, until }: { readonly from: number; readonly until: number },
    limit: number,
  ): Promise<readonly AdministrationEnd[]> {
    return this.queryAll(statements.listAdministrationEnds, [from, until, limit], toAdministrationEnd);
  }

  /** Whether the organization has any key, revoked ones included. */
  async hasKeys(org: string): Promise<boolean> {
    return (await this.query(statements.hasKeys, [org])).length > 0;
  }

  /** The role of the owner of a key in the organization; undefined if there is no such owner. */
  async findRole(org: string, kind: AccountKind, owner: string): Promise<Role | undefined> {
    const isUser = kind === 'user';
    const [row] = await this.query(isUser ? statements.findMember : statements.findAccount, [org, owner]);
    return optional(row, (found) => toRole(found, isUser ? 'role' : 'privilege'));
  }
}

export class AccountWriter extends AccountReader {
  /** Inserts the member, or replaces the role of an existing one. The organization must exist. */
  saveMember({ org, user, role, createdAt }: Member): Promise<void> {
    return this.run(statements.saveMember, [org, user, role, createdAt]);
  }

  async deleteMember(org: string, user: string): Promise<'deleted' | 'not found'> {
    return (await this.change(statements.deleteMember, [org, user])) === 0 ? 'not found' : 'deleted';
  }

  /** Makes the organization the user's only default. The user must be a member of it. */
  async setDefaultOrganization(org: string, user: string): Promise<void> {
    await this.run(statements.clearDefault, [user]);
    await this.run(statements.setDefault, [org, user]);
  }

  /** The organization must exist. */
  async insertServiceAccount(account: ServiceAccountRecord): Promise<'inserted' | 'exists'> {
    const { org, name, displayName, privilege, description, createdBy, createdAt, forWebhook } = account;
    const values = [org, name, displayName, privilege, description, createdBy, createdAt, Number(forWebhook)];
    return (await this.change(statements.insertAccount, values)) === 0 ? 'exists' : 'inserted';
  }

  updateServiceAccount(
    account: Pick<ServiceAccountRecord, 'org' | 'name' | 'description' | 'privilege'>,
  ): Promise<void> {
    const { org, name, description, privilege } = account;
    return this.run(statements.updateAccount, [org, name, description, privilege]);
  }

  async deleteServiceAccount(org: string, name: string): Promise<'deleted' | 'not found'> {
    return (await this.change(statements.deleteAccount, [org, name])) === 0 ? 'not found' : 'deleted';
  }

  async insertKey(key: StoredKey): Promise<'inserted' | 'exists'> {
    const { org, id, ownerKind, owner, description, secretHash, createdAt, expiresAt, revokedAt = null } = key;
    const limited = Number(key.isLimitedToOrg);
    const { rules = [], ...proved } = key.login ?? {};
    const login =
      key.login === undefined ? null : JSON.stringify({ grants: rules.map((rule) => ({ rule })), ...proved });
    const values = [
      ...[org, id, ownerKind, owner, description, secretHash, createdAt, expiresAt, revokedAt],
      ...[limited, login, key.originalExpiresAt ?? null],
    ];
    return (await this.change(statements.insertKey, values)) === 0 ? 'exists' : 'inserted';
  }

  /** Makes a key expire earlier, and keeps its first expiry time (`originalExpiresAt`). */
  shortenKeyLife(org: string, id: string, expiresAt: number): Promise<void> {
    return this.run(statements.shortenKeyLife, [org, id, expiresAt]);
  }

  /**
   * Records when keys of one organization, which must exist, were last used.
   *
   * @returns the ids of the keys that had not been used before
   */
  async recordKeyUses(uses: readonly KeyUse[]): Promise<readonly string[]> {
    const first = uses.map(async ({ org, id, at }) => {
      if ((await this.change(statements.insertKeyUse, [org, id, at])) > 0) return [id];
      await this.run(statements.updateKeyUse, [org, id, at]);
      return [];
    });
    return (await Promise.all(first)).flat();
  }

  /** Deletes keys of workflow runs of the organization that expired before a time, no more than the limit. */
  async deleteExpiredLoginKeys(org: string, before: number, limit: number): Promise<void> {
    const ids = await this.#queryIds(statements.listExpiredKeys, [org, before, limit]);
    const { deleteKeyUses, deleteKeySessions, deleteKeys } = statements;
    await Promise.all(
      [deleteKeyUses, deleteKeySessions, deleteKeys].map((statement) => this.run(statement, [org, ids])),
    );
  }

  /** Keeps the time of an earlier revocation, as all methods that revoke do. */
  async revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'> {
    return (await this.change(statements.revokeKey, [org, id, revokedAt])) === 0 ? 'not found' : 'revoked';
  }

  /**
   * Revokes the keys that a login rule gave, alone or with others: also expired ones, which could become valid again if
   * the clock is set back.
   */
  revokeRuleKeys(org: string, rule: string, revokedAt: number): Promise<readonly RevokedLoginKey[]> {
    return this.queryAll(statements.revokeRuleKeys, [org, rule, revokedAt], toRevokedLoginKey);
  }

  /** Returns the ids of the keys that were not revoked before, as the next two methods do. */
  revokeServiceAccountKeys(org: string, name: string, revokedAt: number): Promise<readonly string[]> {
    return this.#queryIds(statements.revokeAccountKeys, [org, name, revokedAt]);
  }

  /** Revokes the keys of the user in every organization. */
  revokeUserKeys(user: string, revokedAt: number): Promise<readonly string[]> {
    return this.#queryIds(statements.revokeUserKeys, [user, revokedAt]);
  }

  /** Revokes the keys of the user that are limited to this organization. */
  revokeLimitedUserKeys(org: string, user: string, revokedAt: number): Promise<readonly string[]> {
    return this.#queryIds(statements.revokeLimitedKeys, [org, user, revokedAt]);
  }

  async #queryIds(statement: Statement, values: readonly Value[]): Promise<readonly string[]> {
    return (await this.query(statement, values)).map((row) => text(row, 'id'));
  }
}

const toRole = oneOf(roles);

const toMember = toRecord<Member>({ org: text, user: text, role: toRole, createdAt: number });

const toMembership = toRecord<Membership>({ org: text, role: toRole, isDefault: flag });

const toServiceAccount = toRecord<ServiceAccountRecord>({
  ...{ org: text, name: text, displayName: text, privilege: toRole, description: text },
  ...{ createdBy: text, createdAt: number, forWebhook: flag },
});

const loginKeyFields = {
  ...{ org: text, id: text, ownerKind: oneOf(ownerKinds), owner: text, description: text, expiresAt: number },
};

const keyFields = {
  ...{ ...loginKeyFields, isLimitedToOrg: flag, secretHash: blob, createdAt: number },
  ...{ originalExpiresAt: optionalNumber, login: toLogin, revokedAt: optionalNumber },
};

const toRevokedLoginKey = toRecord<RevokedLoginKey>(loginKeyFields);

const toKey = toRecord<StoredKey>(keyFields);

const toKeyWithUse = toRecord<KeyWithUse>({ ...keyFields, lastUsedAt: column('used_at', optionalNumber) });

const toAdministrationEnd = toRecord<AdministrationEnd>({ org: text, at: number });

/** Earlier versions stored the name of each rule together with what it granted. */
function toLogin(row: Row): Login | undefined {
  return optional(optionalText(row, 'login'), (stored) => {
    // Written by this service.
    const { grants, proven } = JSON.parse(stored) as Pick<Login, 'proven'> & {
      readonly grants: readonly { readonly rule: string }[];
    };
    return { rules: grants.map(({ rule }) => rule), proven };
  });
}
