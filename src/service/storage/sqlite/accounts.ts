import type { OwnerKind } from '../../domain/access.ts';
import type { Member, Membership, ServiceAccountRecord, StoredKey } from '../../domain/accounts.ts';
import type { AccountKind, AccountReader, AccountWriter, AdministrationEnd, KeyUse, KeyWithUse } from '../accounts.ts';
import { number, optional, optionalNumber, text, type Row } from '../rows.ts';
import { toAdministrationEnd, toKey, toMember, toMembership, toRole, toServiceAccount } from '../rows/accounts.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';
import type { Role } from '../../../contract/role.ts';

const reading = {
  findMember: 'SELECT * FROM members WHERE org = ? AND user = ?',
  listMembers: 'SELECT * FROM members WHERE org = ? ORDER BY user',
  listMemberships: 'SELECT org, role, is_default FROM members WHERE user = ? ORDER BY org',
  findAccount: 'SELECT * FROM service_accounts WHERE org = ? AND name = ?',
  listAccounts: 'SELECT * FROM service_accounts WHERE org = ? ORDER BY name',
  findKey: 'SELECT * FROM api_keys WHERE id = ?',
  listKeys: `SELECT k.*, u.used_at FROM api_keys k LEFT JOIN key_uses u ON u.org = k.org AND u.id = k.id
    WHERE k.org = ? AND k.owner_kind = ? AND k.owner = ? AND k.revoked_at IS NULL ORDER BY k.created_at, k.id`,
  listLoginKeys: `SELECT * FROM api_keys
    WHERE org = ? AND owner_kind = 'workflow' AND expires_at > ? AND revoked_at IS NULL ORDER BY created_at, id`,
  countLoginKeys: `SELECT count(*) AS total FROM api_keys
    WHERE org = ? AND owner_kind = 'workflow' AND owner = ? AND expires_at > ? AND revoked_at IS NULL
      AND EXISTS (SELECT 1 FROM json_each(login, '$.grants') WHERE value ->> 'rule' = ?)`,
  hasValidAdminKey: `SELECT 1 FROM members m
    JOIN api_keys k ON k.owner = m.user AND k.owner_kind = 'user' AND (k.org = m.org OR k.is_limited_to_org = 0)
    WHERE m.org = ? AND m.role = 'admin' AND k.revoked_at IS NULL AND k.expires_at > ?
    LIMIT 1`,
  // `+ 0` after limits: SQLite recompiles a statement for every value that is bound directly to a limit.
  listAdministrationEnds: `SELECT m.org, max(k.expires_at) AS at FROM members m
    JOIN api_keys k ON k.owner = m.user AND k.owner_kind = 'user' AND (k.org = m.org OR k.is_limited_to_org = 0)
    WHERE m.role = 'admin' AND k.revoked_at IS NULL
    GROUP BY m.org HAVING max(k.expires_at) BETWEEN ? AND ? ORDER BY at DESC, m.org LIMIT ? + 0`,
  hasKeys: 'SELECT 1 FROM api_keys WHERE org = ? LIMIT 1',
} as const;

const writing = {
  saveMember: `INSERT INTO members (org, user, role, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET role = excluded.role`,
  deleteMember: 'DELETE FROM members WHERE org = ? AND user = ?',
  clearDefault: 'UPDATE members SET is_default = 0 WHERE user = ? AND is_default = 1',
  setDefault: 'UPDATE members SET is_default = 1 WHERE org = ? AND user = ?',

  insertAccount: `INSERT INTO service_accounts (org, name, display_name, privilege, description, created_by, created_at,
      for_webhook)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  updateAccount: 'UPDATE service_accounts SET description = ?, privilege = ? WHERE org = ? AND name = ?',
  deleteAccount: 'DELETE FROM service_accounts WHERE org = ? AND name = ?',

  insertKey: `INSERT INTO api_keys (org, id, owner_kind, owner, description, secret_hash, created_at, expires_at, revoked_at,
      is_limited_to_org, login, original_expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  shortenKeyLife: `UPDATE api_keys
    SET original_expires_at = coalesce(original_expires_at, expires_at), expires_at = ? WHERE org = ? AND id = ?`,
  insertKeyUse: 'INSERT INTO key_uses (org, id, used_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  updateKeyUse: 'UPDATE key_uses SET used_at = ?3 WHERE org = ?1 AND id = ?2',
  deleteExpiredUses: `DELETE FROM key_uses WHERE org = ?1 AND id IN (
    SELECT id FROM api_keys WHERE org = ?1 AND owner_kind = 'workflow' AND expires_at < ?2 ORDER BY expires_at, id
      LIMIT ?3 + 0)`,
  deleteExpiredSessions: `DELETE FROM sessions WHERE org = ?1 AND key_id IN (
    SELECT id FROM api_keys WHERE org = ?1 AND owner_kind = 'workflow' AND expires_at < ?2 ORDER BY expires_at, id
      LIMIT ?3 + 0)`,
  deleteExpiredKeys: `DELETE FROM api_keys WHERE org = ?1 AND id IN (
    SELECT id FROM api_keys WHERE org = ?1 AND owner_kind = 'workflow' AND expires_at < ?2 ORDER BY expires_at, id
      LIMIT ?3 + 0)`,
  revokeKey: 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE org = ? AND id = ?',
  revokeAccountKeys: `UPDATE api_keys SET revoked_at = ?
    WHERE org = ? AND owner_kind = 'service account' AND owner = ? AND revoked_at IS NULL RETURNING id`,
  revokeUserKeys: `UPDATE api_keys SET revoked_at = ?
    WHERE owner_kind = 'user' AND owner = ? AND revoked_at IS NULL RETURNING id`,
  revokeLimitedKeys: `UPDATE api_keys SET revoked_at = ?
    WHERE org = ? AND owner_kind = 'user' AND owner = ? AND is_limited_to_org = 1 AND revoked_at IS NULL RETURNING id`,
} as const;

const toId = (row: Row): string => text(row, 'id');

/** Members, service accounts and keys in SQLite, for reading. */
export class SqliteAccountReader implements AccountReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  findMember(org: string, user: string): Promise<Member | undefined> {
    return this.session.execute(() => optional(this.#statements.findMember.get(org, user), toMember));
  }

  listMembers(org: string): Promise<readonly Member[]> {
    return this.session.execute(() => this.#statements.listMembers.all(org).map(toMember));
  }

  listMemberships(user: string): Promise<readonly Membership[]> {
    return this.session.execute(() => this.#statements.listMemberships.all(user).map(toMembership));
  }

  findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined> {
    return this.session.execute(() => optional(this.#statements.findAccount.get(org, name), toServiceAccount));
  }

  listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]> {
    return this.session.execute(() => this.#statements.listAccounts.all(org).map(toServiceAccount));
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return this.session.execute(() => optional(this.#statements.findKey.get(id), toKey));
  }

  listKeys(org: string, kind: OwnerKind, owner: string): Promise<readonly KeyWithUse[]> {
    return this.session.execute(() =>
      this.#statements.listKeys
        .all(org, kind, owner)
        .map((row) => ({ key: toKey(row), lastUsedAt: optionalNumber(row, 'used_at') })),
    );
  }

  listLoginKeys(org: string, now: number): Promise<readonly StoredKey[]> {
    return this.session.execute(() => this.#statements.listLoginKeys.all(org, now).map(toKey));
  }

  countLoginKeys(
    org: string,
    { repository, rule }: { readonly repository: string; readonly rule: string },
    now: number,
  ): Promise<number> {
    const { countLoginKeys } = this.#statements;
    return this.session.execute(
      () => optional(countLoginKeys.get(org, repository, now, rule), (row) => number(row, 'total')) ?? 0,
    );
  }

  hasValidAdminKey(org: string, now: number): Promise<boolean> {
    return this.session.execute(() => this.#statements.hasValidAdminKey.get(org, now) !== undefined);
  }

  listAdministrationEnds(
    { from, until }: { readonly from: number; readonly until: number },
    limit: number,
  ): Promise<readonly AdministrationEnd[]> {
    return this.session.execute(() =>
      this.#statements.listAdministrationEnds.all(from, until, limit).map(toAdministrationEnd),
    );
  }

  hasKeys(org: string): Promise<boolean> {
    return this.session.execute(() => this.#statements.hasKeys.get(org) !== undefined);
  }

  findRole(org: string, kind: AccountKind, owner: string): Promise<Role | undefined> {
    const { findMember, findAccount } = this.#statements;
    return this.session.execute(() =>
      kind === 'user'
        ? optional(findMember.get(org, owner), (row) => toRole(row, 'role'))
        : optional(findAccount.get(org, owner), (row) => toRole(row, 'privilege')),
    );
  }
}

/** Members, service accounts and keys in SQLite, for writing. */
export class SqliteAccountWriter extends SqliteAccountReader implements AccountWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  saveMember({ org, user, role, createdAt }: Member): Promise<void> {
    return this.session.execute(() => {
      this.#statements.saveMember.run(org, user, role, createdAt);
    });
  }

  deleteMember(org: string, user: string): Promise<'deleted' | 'not found'> {
    return this.session.execute(() =>
      this.#statements.deleteMember.run(org, user).changes === 0 ? 'not found' : 'deleted',
    );
  }

  setDefaultOrganization(org: string, user: string): Promise<void> {
    return this.session.execute(() => {
      this.#statements.clearDefault.run(user);
      this.#statements.setDefault.run(org, user);
    });
  }

  insertServiceAccount(account: ServiceAccountRecord): Promise<'inserted' | 'exists'> {
    const { org, name, displayName, privilege, description, createdBy, createdAt, forWebhook } = account;
    const values = [org, name, displayName, privilege, description, createdBy, createdAt, Number(forWebhook)];
    return this.session.execute(() =>
      this.#statements.insertAccount.run(...values).changes === 0 ? 'exists' : 'inserted',
    );
  }

  updateServiceAccount(
    account: Pick<ServiceAccountRecord, 'org' | 'name' | 'description' | 'privilege'>,
  ): Promise<void> {
    const { org, name, description, privilege } = account;
    return this.session.execute(() => {
      this.#statements.updateAccount.run(description, privilege, org, name);
    });
  }

  deleteServiceAccount(org: string, name: string): Promise<'deleted' | 'not found'> {
    return this.session.execute(() =>
      this.#statements.deleteAccount.run(org, name).changes === 0 ? 'not found' : 'deleted',
    );
  }

  insertKey(key: StoredKey): Promise<'inserted' | 'exists'> {
    const { org, id, ownerKind, owner, description, secretHash, createdAt, expiresAt, revokedAt = null } = key;
    const limited = Number(key.isLimitedToOrg);
    const login = key.login === undefined ? null : JSON.stringify(key.login);
    const values = [
      org,
      id,
      ownerKind,
      owner,
      description,
      secretHash,
      createdAt,
      expiresAt,
      revokedAt,
      limited,
      login,
      key.originalExpiresAt ?? null,
    ];
    return this.session.execute(() =>
      this.#statements.insertKey.run(...values).changes === 0 ? 'exists' : 'inserted',
    );
  }

  shortenKeyLife(org: string, id: string, expiresAt: number): Promise<void> {
    return this.session.execute(() => {
      this.#statements.shortenKeyLife.run(expiresAt, org, id);
    });
  }

  recordKeyUses(uses: readonly KeyUse[]): Promise<readonly string[]> {
    const { insertKeyUse, updateKeyUse } = this.#statements;
    return this.session.execute(() =>
      uses.flatMap(({ org, id, at }) => {
        if (insertKeyUse.run(org, id, at).changes > 0) return [id];
        updateKeyUse.run(org, id, at);
        return [];
      }),
    );
  }

  deleteExpiredLoginKeys(org: string, before: number, limit: number): Promise<void> {
    return this.session.execute(() => {
      this.#statements.deleteExpiredUses.run(org, before, limit);
      this.#statements.deleteExpiredSessions.run(org, before, limit);
      this.#statements.deleteExpiredKeys.run(org, before, limit);
    });
  }

  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'> {
    return this.session.execute(() =>
      this.#statements.revokeKey.run(revokedAt, org, id).changes === 0 ? 'not found' : 'revoked',
    );
  }

  revokeServiceAccountKeys(org: string, name: string, revokedAt: number): Promise<readonly string[]> {
    return this.session.execute(() => this.#statements.revokeAccountKeys.all(revokedAt, org, name).map(toId));
  }

  revokeUserKeys(user: string, revokedAt: number): Promise<readonly string[]> {
    return this.session.execute(() => this.#statements.revokeUserKeys.all(revokedAt, user).map(toId));
  }

  revokeLimitedUserKeys(org: string, user: string, revokedAt: number): Promise<readonly string[]> {
    return this.session.execute(() => this.#statements.revokeLimitedKeys.all(revokedAt, org, user).map(toId));
  }
}
