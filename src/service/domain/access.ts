import { roles, type Role } from '../../contract/role.ts';

/** Who may do what (the public documentation of such a service, Roles). */

/**
 * What a request wants to do: look at what is recorded, record flows, artifacts, attestations and policies, report
 * environments, look at the service accounts, or remove them.
 */
export type Permission = 'read' | 'record' | 'report' | 'read service accounts' | 'administer';

/** Who a key belongs to: a user, or a service account of the key's organization. */
export type OwnerKind = 'user' | 'service account';

/** Which organizations a key opens. */
export interface KeyScope {
  /** The organization that the key was issued in. */
  readonly org: string;
  readonly ownerKind: OwnerKind;
  /**
   * Whether the key opens only the organization that it was issued in. A key of a service account never opens another one,
   * whatever this says.
   */
  readonly isLimitedToOrg: boolean;
}

/**
 * Whether the key can open the organization, provided that its owner has a role there. A personal key opens every
 * organization that its user is a member of, a key of a service account only the account's.
 */
export function mayOpen({ org: issuedIn, ownerKind, isLimitedToOrg }: KeyScope, org: string): boolean {
  return org === issuedIn || (ownerKind === 'user' && !isLimitedToOrg);
}

/** Who sends a request: the owner of a key, in the organization that the request is about. */
export interface Caller {
  readonly org: string;
  readonly ownerKind: OwnerKind;
  /** The name of the user or service account that owns the key. */
  readonly owner: string;
  readonly role: Role;
}

/**
 * The caller as records name it (`reported_by`, `created_by`): a user by the name, a service account as
 * `service-account:<name>`. No name holds a colon, so the two cannot be mistaken for each other.
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
 * Whether the caller may do this in the organization. Another organization is never allowed, and whether it exists makes
 * no difference to the answer.
 */
export function mayAccess(caller: Caller, org: string, permission: Permission): boolean {
  return caller.org === org && holders[permission].includes(caller.role);
}
