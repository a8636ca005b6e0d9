import type { RulePermission } from '../../contract/login-rule.ts';
import type { Proven } from '../../contract/proven.ts';
import type { ReplayedEvidence } from '../../contract/replayed-evidence.ts';
import { type Role, roles } from '../../contract/role.ts';
import type { Recorder } from '../requirement/recorder.ts';
import { type CountsFor, countsForAudience, uniteCountsFor } from './audience.ts';

/** Roles and permissions (public documentation of such a service, Roles). */

/**
 * A permission that a request needs: to read records; to record artifacts, attestations and trails; to define what they
 * are judged by: flows, templates, policies and their attachment; to report environments; to read service accounts; or to
 * administer the organization: its members, service accounts, keys and notifications.
 */
export type Permission = 'read' | RulePermission | 'report' | 'read service accounts' | 'administer';

/**
 * Who a key belongs to: a user, a service account of the key's organization, or the workflow runs of a repository that
 * logged in.
 */
export const ownerKinds = ['user', 'service account', 'workflow'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

/**
 * What a key permits: a role, in everything, or only in some flows and environments. If either list is given, a missing
 * one is empty.
 */
export interface Grant {
  readonly role: Role;
  readonly flows?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  /** The login rule that gives it; undefined for users and service accounts. */
  readonly rule?: string | undefined;
  /** Which of these permissions of the role it gives; undefined for both. */
  readonly permissions?: readonly RulePermission[] | undefined;
  /** What records count for that are sent with it. */
  readonly countsFor?: CountsFor;
  /** The id of its rule or service account among recorders; undefined for users. */
  readonly recorder?: string | undefined;
  /** Whether what it records counts for commits other than that of the run, too. */
  readonly coversAnyCommit?: boolean;
  /** Whether it is limited to evidence of an earlier run whose code nobody may have reviewed. */
  readonly isUnreviewed?: boolean;
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
  define: ['admin', 'member'],
  report: ['admin', 'member', 'snapshotter'],
  'read service accounts': ['admin', 'member', 'snapshotter'],
  administer: ['admin'],
};

/** Whether any grant gives the permission, in whatever flows and environments. */
export function hasPermission(grants: readonly Grant[], permission: Permission): boolean {
  return grants.some((grant) => gives(grant, permission));
}

function gives({ role, permissions }: Grant, permission: Permission): boolean {
  if (!holders[permission].includes(role)) return false;
  return (permission !== 'record' && permission !== 'define') || (permissions?.includes(permission) ?? true);
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
  return caller.org === org && caller.grants.some((grant) => permits(grant, permission, target));
}

/** What a record counts for that the caller sends to a flow: what any grant gives that permits it. */
export function toCountsFor(
  { grants }: Pick<Caller, 'grants'>,
  flow: string,
  permission: RulePermission = 'record',
): CountsFor {
  const used = grants.filter((grant) => permits(grant, permission, { flows: [flow] }));
  return uniteCountsFor(used.map(({ countsFor }) => countsFor));
}

/** The recorders of what the caller sends to a flow: the rules that alone permit it, or the service account. */
function toRecorders({ grants, proven }: Caller, flow: string, permission: RulePermission): readonly Recorder[] {
  const used = grants.filter((grant) => permits(grant, permission, { flows: [flow] }));
  return used.flatMap(({ recorder: id, coversAnyCommit = false }): readonly Recorder[] => {
    if (id === undefined) return [];
    if (proven === undefined) return [{ id }];
    const { repository_id: repository, sha, head_commit: head = '' } = proven;
    return [{ id, repository, ...(coversAnyCommit ? {} : { commit: sha ?? head }) }];
  });
}

/** Who sends a record to a flow, and what it counts for. */
export interface Attribution {
  /** The owner of the key (`actorName`). */
  readonly reportedBy: string;
  readonly countsFor: CountsFor;
  readonly recorders: readonly Recorder[];
}

export function toAttribution(caller: Caller, flow: string, permission: RulePermission = 'record'): Attribution {
  return {
    reportedBy: actorName(caller),
    countsFor: toCountsFor(caller, flow, permission),
    recorders: toRecorders(caller, flow, permission),
  };
}

/** A grant for the run of a pull request, whose author may be anybody: it never permits to define anything. */
export function withoutDefinitions(grant: Grant): Grant {
  return { ...grant, permissions: (grant.permissions ?? ['record']).filter((permission) => permission !== 'define') };
}

/**
 * The grant for evidence of an earlier run, whoever delivers it: the key proves nothing about that run. If nobody has
 * reviewed its code, the evidence counts for its trail and flow, as that of a pull request.
 */
export function limitToEarlierRun(grant: Grant, replayed: ReplayedEvidence): Grant {
  const limited = { ...grant, recorder: undefined };
  return replayed === 'reviewed' ? limited : { ...withoutDefinitions(limited), countsFor: [], isUnreviewed: true };
}

function permits(grant: Grant, permission: Permission, target: AccessTarget): boolean {
  return gives(grant, permission) && covers(grant, target) && (permission !== 'report' || mayReport(grant, target));
}

/** A report decides the verdict of an environment, so the grant must name the environment or count for it. */
function mayReport({ environments: named = [], countsFor }: Grant, { environments = [] }: AccessTarget): boolean {
  return environments.every(
    (environment) => named.includes(environment) || countsForAudience(countsFor, { environment }),
  );
}

/**
 * Why the grants do not permit a request, without naming anything that it is about; undefined if there are none, because
 * then even the organization may be unknown to the owner of the key.
 */
export function explainRefusal(grants: readonly Grant[], permission: Permission): string | undefined {
  if (grants.length === 0) return undefined;
  if (hasPermission(grants, permission)) return explainLimits(grants, permission);
  const limited = grants.filter(({ role }) => holders[permission].includes(role));
  if (limited.some(({ isUnreviewed = false }) => isUnreviewed)) {
    return (
      'is an API key that delivers what another run kept; that run may not have had the code of the branch of the ' +
      'replay, so it may not change what evidence is judged by'
    );
  }
  if (limited.length > 0) {
    return (
      `is an API key of ${describeRules(limited)}, which lacks the permission ${permission}; an admin can add it to the ` +
      '`permissions` of the rule, but the key of a pull request never has `define`; or use a workflow run that a rule with ' +
      'this permission admits'
    );
  }
  const held = [...new Set(grants.map(({ role }) => role))];
  return `is an API key with the role ${held.join(' and ')}; this needs the role ${holders[permission].join(' or ')}`;
}

function explainLimits(grants: readonly Grant[], permission: Permission): string {
  const uncounted = grants.filter(({ countsFor }) => countsFor !== undefined);
  if (permission !== 'report' || uncounted.length === 0) {
    return 'is an API key that permits this only for some flows and environments';
  }
  return (
    `is an API key of ${describeRules(uncounted)}, which permits this only for the environments that it names; an admin ` +
    'can name this one in `environments` or `counts_for_environments` of the rule'
  );
}

function describeRules(grants: readonly Grant[]): string {
  return `the login rule ${grants.flatMap(({ rule }) => rule ?? []).join(' and ')}`;
}

function covers(grant: Grant, { flows = [], environments = [] }: AccessTarget): boolean {
  if (grant.flows === undefined && grant.environments === undefined) return true;
  if (flows.length + environments.length === 0) return false;
  return includesAll(grant.flows, flows) && includesAll(grant.environments, environments);
}

function includesAll(allowed: readonly string[] = [], named: readonly string[]): boolean {
  return named.every((name) => allowed.includes(name));
}
