/** Who may do what (the public documentation of such a service, Roles). */

/** The roles of members and service accounts, from the widest to the narrowest. */
export const roles = ['admin', 'member', 'snapshotter', 'reader'] as const;

/** The role of a member or service account. */
export type Role = (typeof roles)[number];

/**
 * What a request wants to do: look at what is recorded, record flows, artifacts, attestations and policies, report
 * environments, look at the service accounts, or remove them.
 */
export type Permission = 'read' | 'record' | 'report' | 'read service accounts' | 'administer';

/** Who a key belongs to: a user, or a service account of the key's organization. */
export type OwnerKind = 'user' | 'service account';

/** Who sends a request: the owner of a key, in the one organization that the key belongs to. */
export interface Caller {
  readonly org: string;
  /** The name of the user or service account that owns the key. */
  readonly owner: string;
  readonly role: Role;
}

const holders: Readonly<Record<Permission, readonly Role[]>> = {
  read: roles,
  record: ['admin', 'member'],
  report: ['admin', 'member', 'snapshotter'],
  'read service accounts': ['admin', 'member', 'snapshotter'],
  administer: ['admin'],
};

/** Whether the word names a role. */
export function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word);
}

/**
 * Whether the caller may do this in the organization. Another organization is never allowed, and whether it exists makes
 * no difference to the answer.
 */
export function mayAccess(caller: Caller, org: string, permission: Permission): boolean {
  return caller.org === org && holders[permission].includes(caller.role);
}
