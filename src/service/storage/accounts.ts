import type { OwnerKind } from '../domain/access.ts';
import type { Member, Membership, ServiceAccountRecord, StoredKey } from '../domain/accounts.ts';
import type { Role } from '../../contract/role.ts';

/** When a key was used, in Unix seconds. */
export interface KeyUse {
  readonly org: string;
  readonly id: string;
  readonly at: number;
}

/** A key with the time of its last use; undefined if it was never used. */
export interface KeyWithUse {
  readonly key: StoredKey;
  readonly lastUsedAt: number | undefined;
}

/** When nobody can administer an organization any more, in Unix seconds. */
export interface AdministrationEnd {
  readonly org: string;
  readonly at: number;
}

/** The kinds of owners that have a role of their own. */
export type AccountKind = Exclude<OwnerKind, 'workflow'>;

/** Reads members, service accounts and their keys. */
export interface AccountReader {
  findMember(org: string, user: string): Promise<Member | undefined>;
  /** The members of the organization, sorted by name. */
  listMembers(org: string): Promise<readonly Member[]>;
  /** The memberships of the user, sorted by organization. */
  listMemberships(user: string): Promise<readonly Membership[]>;
  findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined>;
  /** The service accounts of the organization, sorted by name. */
  listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]>;
  /** Key ids are unique across all organizations, because a key is found by its id alone. */
  findKey(id: string): Promise<StoredKey | undefined>;
  /** The keys of the owner that were issued in the organization and are not revoked, oldest first. */
  listKeys(org: string, kind: OwnerKind, owner: string): Promise<readonly KeyWithUse[]>;
  /** The keys of workflow runs of the organization that are not revoked and have not expired. */
  listLoginKeys(org: string, now: number): Promise<readonly StoredKey[]>;
  /** How many of them a rule gave to runs of a repository, alone or with other rules. */
  countLoginKeys(
    org: string,
    givenBy: { readonly repository: string; readonly rule: string },
    now: number,
  ): Promise<number>;
  /** Whether a member with the role admin has a key that opens the organization, is not revoked and has not expired. */
  hasValidAdminKey(org: string, now: number): Promise<boolean>;
  /**
   * The organizations whose admins' last valid key expires within a period, or expired within it: the latest first.
   *
   * @param limit how many are listed at most
   */
  listAdministrationEnds(
    period: { readonly from: number; readonly until: number },
    limit: number,
  ): Promise<readonly AdministrationEnd[]>;
  /** Whether the organization has any key, revoked ones included. */
  hasKeys(org: string): Promise<boolean>;
  /** The role of the owner of a key in the organization; undefined if there is no such owner. */
  findRole(org: string, kind: AccountKind, owner: string): Promise<Role | undefined>;
}

/** Reads and writes members, service accounts and their keys. */
export interface AccountWriter extends AccountReader {
  /** Inserts the member, or replaces the role of an existing one. The organization must exist. */
  saveMember(member: Member): Promise<void>;
  deleteMember(org: string, user: string): Promise<'deleted' | 'not found'>;
  /** Makes the organization the user's only default. The user must be a member of it. */
  setDefaultOrganization(org: string, user: string): Promise<void>;

  /** The organization must exist. */
  insertServiceAccount(account: ServiceAccountRecord): Promise<'inserted' | 'exists'>;
  /** Replaces the description and the privilege of an existing service account. */
  updateServiceAccount(
    account: Pick<ServiceAccountRecord, 'org' | 'name' | 'description' | 'privilege'>,
  ): Promise<void>;
  deleteServiceAccount(org: string, name: string): Promise<'deleted' | 'not found'>;

  insertKey(key: StoredKey): Promise<'inserted' | 'exists'>;
  /** Makes a key expire earlier, and keeps its first expiry time (`originalExpiresAt`). */
  shortenKeyLife(org: string, id: string, expiresAt: number): Promise<void>;
  /**
   * Records when keys of one organization, which must exist, were last used.
   *
   * @returns the ids of the keys that had not been used before
   */
  recordKeyUses(uses: readonly KeyUse[]): Promise<readonly string[]>;
  /** Deletes keys of workflow runs of the organization that expired before a time, no more than the limit. */
  deleteExpiredLoginKeys(org: string, before: number, limit: number): Promise<void>;
  /** Keeps the time of an earlier revocation, as all methods that revoke do. */
  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'>;
  /** Returns the ids of the keys that were not revoked before, as the next two methods do. */
  revokeServiceAccountKeys(org: string, name: string, revokedAt: number): Promise<readonly string[]>;
  /** Revokes the keys of the user in every organization. */
  revokeUserKeys(user: string, revokedAt: number): Promise<readonly string[]>;
  /** Revokes the keys of the user that are limited to this organization. */
  revokeLimitedUserKeys(org: string, user: string, revokedAt: number): Promise<readonly string[]>;
}
