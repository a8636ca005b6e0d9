import type { Proven } from '../../contract/proven.ts';
import { roles, type Role } from '../../contract/role.ts';

/** Roles and permissions (public documentation of such a service, Roles). */

/**
 * A permission that a request needs: to read records; to record flows, artifacts, attestations and policies; to report
 * environments; to read service accounts; or to administer the organization: its members, service accounts, keys and
 * notifications.
 */
export type Permission = 'read' | 'record' | 'report' | 'read service accounts' | 'administer';

/**
 * Who a key belongs to: a user, a service account of the key's organization, or the workflow runs of a repository that
 * logged in.
 */
export type OwnerKind = 'user' | 'service account' | 'workflow';

/**
 * What a key permits: a role, in everything, or only in some flows and environments. If either list is given, a missing
 * one is empty.
 */
export interface Grant {
  readonly role: Role;
  readonly flows?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
}

/** The flows and environments that a request is about. Without any, it is about the whole organization. */
export interface AccessTarget {
  readonly flows?: readonly string[];
  readonly environments?: readonly string[];
}

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
  /** The name of the user or service account that owns the key, or of the repository (`owner/name`). */
  readonly owner: string;
  /** Everything that any of them permits is permitted. */
  readonly grants: readonly Grant[];
  /** Whether the key opens this organization only. */
  readonly isLimitedToOrg: boolean;
  /** What the run of the key proved when it logged in; undefined for keys of users and service accounts. */
  readonly proven?: Proven | undefined;
}

/**
 * The caller's name in records (`reported_by`, `created_by`): the user's name, `service-account:<name>`, or
 * `workflow:<owner>/<repository>`. No name contains a colon, so they cannot be confused.
 */
export function actorName({ ownerKind, owner }: Pick<Caller, 'ownerKind' | 'owner'>): string {
  switch (ownerKind) {
    case 'user':
      return owner;
    case 'service account':
      return `service-account:${owner}`;
    case 'workflow':
      return `workflow:${owner}`;
  }
}

const holders: Readonly<Record<Permission, readonly Role[]>> = {
  read: roles,
  record: ['admin', 'member'],
  report: ['admin', 'member', 'snapshotter'],
  'read service accounts': ['admin', 'member', 'snapshotter'],
  administer: ['admin'],
};

/** Whether any grant gives the permission, in whatever flows and environments. */
export function hasPermission(grants: readonly Grant[], permission: Permission): boolean {
  return grants.some(({ role }) => holders[permission].includes(role));
}

/**
 * Whether the caller has the permission in the organization, for everything that the request is about. Always false for
 * another organization, whether it exists or not. A grant for some flows or environments does not permit a request
 * about the whole organization.
 */
export function mayAccess(
  caller: Pick<Caller, 'org' | 'grants'>,
  org: string,
  permission: Permission,
  target: AccessTarget = {},
): boolean {
  return (
    caller.org === org &&
    caller.grants.some((grant) => holders[permission].includes(grant.role) && covers(grant, target))
  );
}

/**
 * Why the grants do not permit a request, without naming anything that it is about; undefined if there are none, because
 * then even the organization may be unknown to the owner of the key.
 */
export function explainRefusal(grants: readonly Grant[], permission: Permission): string | undefined {
  if (grants.length === 0) return undefined;
  if (hasPermission(grants, permission)) return 'is an API key that permits this only for some flows and environments';
  const held = [...new Set(grants.map(({ role }) => role))];
  return `is an API key with the role ${held.join(' and ')}; this needs the role ${holders[permission].join(' or ')}`;
}

function covers(grant: Grant, { flows = [], environments = [] }: AccessTarget): boolean {
  if (grant.flows === undefined && grant.environments === undefined) return true;
  if (flows.length + environments.length === 0) return false;
  return includesAll(grant.flows, flows) && includesAll(grant.environments, environments);
}

function includesAll(allowed: readonly string[] = [], named: readonly string[]): boolean {
  return named.every((name) => allowed.includes(name));
}
