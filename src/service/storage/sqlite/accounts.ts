import type { DatabaseSync } from 'node:sqlite';
import type { Role } from '../../../contract/role.ts';
import type { OwnerKind } from '../../domain/access.ts';
import type { Member, ServiceAccountRecord, StoredKey } from '../../domain/accounts.ts';
import type { AccountStore } from '../account-store.ts';
import { keyOf, memberOf, roleOf, serviceAccountOf } from './account-rows.ts';
import { answer, optional } from './answers.ts';
import { ReadCache } from './read-cache.ts';
import { text } from './rows.ts';
import { prepare, type Prepared } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';
import { sourceOf, type WrittenSources } from './written-sources.ts';

const texts = {
  hasOrganization: 'SELECT 1 FROM organizations WHERE org = ?',

  saveMember: `INSERT INTO members (org, user, role, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET role = excluded.role`,
  findMember: 'SELECT * FROM members WHERE org = ? AND user = ?',
  listOrganizations: 'SELECT org FROM members WHERE user = ? ORDER BY org',
  removeMember: 'DELETE FROM members WHERE org = ? AND user = ?',
  clearDefault: 'UPDATE members SET is_default = 0 WHERE user = ? AND is_default = 1',
  setDefault: 'UPDATE members SET is_default = 1 WHERE org = ? AND user = ?',
  findDefault: 'SELECT org FROM members WHERE user = ? AND is_default = 1',

  createAccount: `INSERT INTO service_accounts (org, name, display_name, privilege, description, created_by, created_at,
      for_webhook)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  findAccount: 'SELECT * FROM service_accounts WHERE org = ? AND name = ?',
  listAccounts: 'SELECT * FROM service_accounts WHERE org = ? ORDER BY name',
  deleteAccount: 'DELETE FROM service_accounts WHERE org = ? AND name = ?',

  addKey: `INSERT INTO api_keys (org, id, owner_kind, owner, description, secret_hash, created_at, expires_at, revoked_at,
      is_limited_to_org)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  findKey: 'SELECT * FROM api_keys WHERE id = ?',
  hasKeys: 'SELECT 1 FROM api_keys WHERE org = ? LIMIT 1',
  revokeKey: 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE org = ? AND id = ?',
  revokeAccountKeys: `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?)
    WHERE org = ? AND owner_kind = 'service account' AND owner = ?`,
  revokeUserKeys: `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE owner_kind = 'user' AND owner = ?`,
  revokeLimitedKeys: `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?)
    WHERE org = ? AND owner_kind = 'user' AND owner = ? AND is_limited_to_org = 1`,
} as const;

/** How many keys, and how many roles of their owners, are kept in memory: every request asks for both. */
const maximumKept = 10_000;

/** Members, service accounts and keys in SQLite. */
export class SqliteAccounts implements AccountStore {
  readonly #statements: Prepared<typeof texts>;
  readonly #queue: WriteQueue;
  readonly #keys: ReadCache<StoredKey>;
  readonly #roles: ReadCache<Role>;

  constructor(database: DatabaseSync, queue: WriteQueue, written: WrittenSources) {
    this.#statements = prepare(database, texts);
    this.#queue = queue;
    this.#keys = new ReadCache(written, maximumKept);
    this.#roles = new ReadCache(written, maximumKept);
  }

  saveMember({ org, user, role, createdAt }: Member): Promise<'created' | 'updated' | 'organization not found'> {
    return this.#queue.write(() => {
      if (!this.#hasOrganization(org)) return 'organization not found';
      const known = this.#statements.findMember.get(org, user) !== undefined;
      this.#statements.saveMember.run(org, user, role, createdAt);
      return known ? 'updated' : 'created';
    });
  }

  findMember(org: string, user: string): Promise<Member | undefined> {
    return answer(() => optional(this.#statements.findMember.get(org, user), memberOf));
  }

  listOrganizations(user: string): Promise<readonly string[]> {
    return answer(() => this.#statements.listOrganizations.all(user).map((row) => text(row, 'org')));
  }

  removeMember(org: string, user: string, removedAt: number): Promise<'removed' | 'not found'> {
    return this.#queue.write(() => {
      if (this.#statements.removeMember.run(org, user).changes === 0) return 'not found';
      const isLeft = this.#statements.listOrganizations.get(user) !== undefined;
      if (isLeft) this.#statements.revokeLimitedKeys.run(removedAt, org, user);
      else this.#statements.revokeUserKeys.run(removedAt, user);
      return 'removed';
    });
  }

  setDefaultOrganization(org: string, user: string): Promise<'set' | 'not a member'> {
    return this.#queue.write(() => {
      if (this.#statements.findMember.get(org, user) === undefined) return 'not a member';
      this.#statements.clearDefault.run(user);
      this.#statements.setDefault.run(org, user);
      return 'set';
    });
  }

  defaultOrganization(user: string): Promise<string | undefined> {
    return answer(() => optional(this.#statements.findDefault.get(user), (row) => String(row['org'])));
  }

  createServiceAccount(account: ServiceAccountRecord): Promise<'created' | 'exists' | 'organization not found'> {
    const { org, name, displayName, privilege, description, createdBy, createdAt, forWebhook } = account;
    return this.#queue.write(() => {
      if (!this.#hasOrganization(org)) return 'organization not found';
      const values = [org, name, displayName, privilege, description, createdBy, createdAt, Number(forWebhook)];
      return this.#statements.createAccount.run(...values).changes === 0 ? 'exists' : 'created';
    });
  }

  findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined> {
    return answer(() => optional(this.#statements.findAccount.get(org, name), serviceAccountOf));
  }

  listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]> {
    return answer(() => this.#statements.listAccounts.all(org).map(serviceAccountOf));
  }

  deleteServiceAccount(org: string, name: string, deletedAt: number): Promise<'deleted' | 'not found'> {
    return this.#queue.write(() => {
      if (this.#statements.deleteAccount.run(org, name).changes === 0) return 'not found';
      this.#statements.revokeAccountKeys.run(deletedAt, org, name);
      return 'deleted';
    });
  }

  addKey(key: StoredKey): Promise<'added' | 'exists' | 'owner not found'> {
    return this.#queue.write(() => {
      const { org, id, ownerKind, owner, description, secretHash, createdAt } = key;
      if (this.#findRole(org, ownerKind, owner) === undefined) return 'owner not found';
      const { expiresAt = null, revokedAt = null } = key;
      const limited = Number(key.isLimitedToOrg);
      const values = [org, id, ownerKind, owner, description, secretHash, createdAt, expiresAt, revokedAt, limited];
      return this.#statements.addKey.run(...values).changes === 0 ? 'exists' : 'added';
    });
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return answer(() => {
      const known = this.#keys.get(id);
      if (known !== undefined) return known;
      const key = optional(this.#statements.findKey.get(id), keyOf);
      if (key !== undefined) this.#keys.set(id, key, [sourceOf('api_keys', id)], 1);
      return key;
    });
  }

  hasKeys(org: string): Promise<boolean> {
    return answer(() => this.#statements.hasKeys.get(org) !== undefined);
  }

  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'> {
    return this.#queue.write(() => {
      const { changes } = this.#statements.revokeKey.run(revokedAt, org, id);
      return changes === 0 ? 'not found' : 'revoked';
    });
  }

  findRole(org: string, kind: OwnerKind, owner: string): Promise<Role | undefined> {
    return answer(() => {
      const source = sourceOf(kind === 'user' ? 'members' : 'service_accounts', org, owner);
      const known = this.#roles.get(source);
      if (known !== undefined) return known;
      const role = this.#findRole(org, kind, owner);
      if (role !== undefined) this.#roles.set(source, role, [source], 1);
      return role;
    });
  }

  #findRole(org: string, kind: OwnerKind, owner: string): Role | undefined {
    const { findMember, findAccount } = this.#statements;
    return kind === 'user'
      ? optional(findMember.get(org, owner), (row) => roleOf(row, 'role'))
      : optional(findAccount.get(org, owner), (row) => roleOf(row, 'privilege'));
  }

  #hasOrganization(org: string): boolean {
    return this.#statements.hasOrganization.get(org) !== undefined;
  }
}
