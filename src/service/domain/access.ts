/** Who may do what (the public documentation of such a service, Roles). */

/** The roles of a key, from the widest to the narrowest. */
export const roles = ['admin', 'member', 'snapshotter', 'reader'] as const;

/** The role of a key. */
export type Role = (typeof roles)[number];

/** What a request wants to do: look at what is recorded, or record flows, artifacts and attestations. */
export type Permission = 'read' | 'record';

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
