import type { OwnerKind } from '../domain/access.ts';
import type { Member, Membership, ServiceAccountRecord, StoredKey } from '../domain/accounts.ts';
import type { Role } from '../../contract/role.ts';

/** Members, service accounts and their keys as they are read. */
export interface AccountReader {
  findMember(org: string, user: string): Promise<Member | undefined>;
  /** The organizations that the user is a member of, by name. */
  listMemberships(user: string): Promise<readonly Membership[]>;
  findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined>;
  /** All of the organization's, by name. */
  listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]>;
  /** Keys of all organizations share one space of ids, because a key is found by its id alone. */
  findKey(id: string): Promise<StoredKey | undefined>;
  /** Whether the organization has any key, revoked ones included. */
  hasKeys(org: string): Promise<boolean>;
  /** The role of the owner of a key in the organization; undefined if there is no such owner. */
  findRole(org: string, kind: OwnerKind, owner: string): Promise<Role | undefined>;
}

/** Members, service accounts and their keys as they are written. */
export interface AccountWriter extends AccountReader {
  /** Inserts the member, or replaces the role of the one who is there. The organization exists. */
  saveMember(member: Member): Promise<void>;
  deleteMember(org: string, user: string): Promise<'deleted' | 'not found'>;
  /** Makes one of the user's organizations the default one, and no other. The user is a member of it. */
  setDefaultOrganization(org: string, user: string): Promise<void>;

  /** The organization exists. */
  insertServiceAccount(account: ServiceAccountRecord): Promise<'inserted' | 'exists'>;
  deleteServiceAccount(org: string, name: string): Promise<'deleted' | 'not found'>;

  insertKey(key: StoredKey): Promise<'inserted' | 'exists'>;
  /** A key that was revoked before stays revoked since then; this holds for all methods that revoke. */
  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'>;
  revokeServiceAccountKeys(org: string, name: string, revokedAt: number): Promise<void>;
  /** Revokes the keys of the user in every organization. */
  revokeUserKeys(user: string, revokedAt: number): Promise<void>;
  /** Revokes the keys of the user that open this organization only. */
  revokeLimitedUserKeys(org: string, user: string, revokedAt: number): Promise<void>;
}
