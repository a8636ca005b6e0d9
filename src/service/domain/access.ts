import { roles, type Role } from '../../contract/role.ts';

/** Roles and permissions (public documentation of such a service, Roles). */

/**
 * A permission that a request needs: to read records; to record flows, artifacts, attestations and policies; to report
 * environments; to read service accounts; or to administer the organization: its members, service accounts, keys and
 * notifications.
 */
export type Permission = 'read' | 'record' | 'report' | 'read service accounts' | 'administer';

/** Who a key belongs to: a user, or a service account of the key's organization. */
export type OwnerKind = 'user' | 'service account';

/** The organizations that a key gives access to. */
export interface KeyScope {
  /** The organization that the key was issued in. */
  readonly org: string;
  readonly ownerKind: OwnerKind;
  /** Whether a user's key is limited to the organization that it was issued in. A service account's key always is. */
  readonly isLimitedToOrg: boolean;
}

/**
 * Whether the key gives access to the organization, provided that its owner has a role there. A personal key gives
 * access to every organization that its user is a member of; a service account's key only to the account's own.
 */
export function mayOpen({ org: issuedIn, ownerKind, isLimitedToOrg }: KeyScope, org: string): boolean {
  return org === issuedIn || (ownerKind === 'user' && !isLimitedToOrg);
}

/** The sender of a request: the owner of a key, in the organization that the request is about. */
export interface Caller {
  readonly org: string;
  readonly ownerKind: OwnerKind;
  /** The name of the user or service account that owns the key. */
  readonly owner: string;
  readonly role: Role;
  /** Whether the key opens this organization only. */
  readonly isLimitedToOrg: boolean;
}

/**
 * The caller's name in records (`reported_by`, `created_by`): the user's name, or `service-account:<name>`. No name
 * contains a colon, so the two cannot be confused.
 */
export function actorName({ ownerKind, owner }: Pick<Caller, 'ownerKind' | 'owner'>): string {
  return ownerKind === 'user' ? owner : `service-account:${owner}`;
}

const holders: Readonly<Record<Permission, readonly Role[]>> = {
  read: roles,
  record: ['admin', 'member'],
  report: ['admin', 'member', 'snapshotter'],
  'read service accounts': ['admin', 'member', 'snapshotter'],
  administer: ['admin'],
};

/**
 * Whether the caller has the permission in the organization. Always false for another organization, whether it exists
 * or not.
 */
export function mayAccess(caller: Omit<Caller, 'isLimitedToOrg'>, org: string, permission: Permission): boolean {
  return caller.org === org && holders[permission].includes(caller.role);
}
