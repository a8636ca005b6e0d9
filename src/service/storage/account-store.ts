import type { Role } from '../../contract/role.ts';
import type { OwnerKind } from '../domain/access.ts';
import type { Member, ServiceAccountRecord, StoredKey } from '../domain/accounts.ts';

/** Where members, service accounts and their keys are kept; the rules of `Store` hold. */
export interface AccountStore {
  /** Sets the role of a member, who becomes one where the user was none. */
  saveMember(member: Member): Promise<'created' | 'updated' | 'organization not found'>;
  findMember(org: string, user: string): Promise<Member | undefined>;
  /** The organizations that the user is a member of, by name. */
  listOrganizations(user: string): Promise<readonly string[]>;
  /**
   * Ends a membership. With the user's last one all keys of the user are revoked, so that a later user of the same name does
   * not inherit them. Those limited to the organization are revoked in any case.
   */
  removeMember(org: string, user: string, removedAt: number): Promise<'removed' | 'not found'>;
  /** Replaces the default organization of the user. */
  setDefaultOrganization(org: string, user: string): Promise<'set' | 'not a member'>;
  /** The default organization of the user; undefined where none was set, or the user is no longer a member of it. */
  defaultOrganization(user: string): Promise<string | undefined>;

  createServiceAccount(account: ServiceAccountRecord): Promise<'created' | 'exists' | 'organization not found'>;
  findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined>;
  /** All of the organization's, by name. */
  listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]>;
  /** Its keys are revoked with it, so that an account of the same name does not inherit them. */
  deleteServiceAccount(org: string, name: string, deletedAt: number): Promise<'deleted' | 'not found'>;

  /** Keys of every organization share one space of ids, because a key is found by its id alone. */
  addKey(key: StoredKey): Promise<'added' | 'exists' | 'owner not found'>;
  findKey(id: string): Promise<StoredKey | undefined>;
  /** Whether the organization has any key, revoked ones included. */
  hasKeys(org: string): Promise<boolean>;
  /** A key that was revoked before stays revoked since then. */
  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'>;
  /** What the owner of a key may do in the organization; undefined where there is no such owner any more. */
  findRole(org: string, kind: OwnerKind, owner: string): Promise<Role | undefined>;
}
