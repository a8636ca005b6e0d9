import type { Role } from '../../contract/role.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { mayOpen } from '../account/access.ts';
import type { StoredKey } from '../account/account.ts';
import { type ChangeAuthor, toRevocations } from '../account/api-key-use-cases.ts';
import { allOrganizations, type WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { keepAdministered, type LastAdminResult } from './administrator-use-cases.ts';

export interface UserReference {
  readonly org: string;
  readonly user: string;
}

type SaveMemberResult = 'created' | 'updated' | LastAdminResult;

/** Sets the role of a member. A user who is not a member becomes one. */
export function saveMember(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, user, role, by }: UserReference & ChangeAuthor & { readonly role: Role },
  request?: KeyedRequest<SaveMemberResult>,
): Promise<OnceResult<SaveMemberResult>> {
  const createdAt = unixSeconds(dependencies.now());
  const save = async ({ accounts, auditLog }: WriteTransaction): Promise<SaveMemberResult> => {
    const known = await accounts.findMember(org, user);
    await accounts.saveMember({ org, user, role, createdAt });
    const event = { org, type: 'member_saved', at: createdAt, actor: by, subject: `member ${user}` } as const;
    await auditLog.append({ ...event, details: { role, previous_role: known?.role ?? '' } });
    return known === undefined ? 'created' : 'updated';
  };
  return keepAdministered(dependencies, org, carryOutOnce(dependencies, request, save));
}

export type RemoveMemberResult = 'removed' | 'not found' | LastAdminResult;

/**
 * Removes a member. If it was the user's last membership, all keys of the user are revoked, so that a later user of the
 * same name does not inherit them. Keys that are limited to the organization are always revoked.
 */
export function removeMember(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, user, by }: UserReference & ChangeAuthor,
  request?: KeyedRequest<RemoveMemberResult>,
): Promise<OnceResult<RemoveMemberResult>> {
  const removedAt = unixSeconds(dependencies.now());
  const remove = async ({ accounts, auditLog }: WriteTransaction): Promise<RemoveMemberResult> => {
    if ((await accounts.deleteMember(org, user)) === 'not found') return 'not found';
    const left = await accounts.listMemberships(user);
    const revoked =
      left.length > 0
        ? await accounts.revokeLimitedUserKeys(org, user, removedAt)
        : await accounts.revokeUserKeys(user, removedAt);
    const details = { revoked_keys: left.length > 0 ? 'those limited to the organization' : 'all' };
    const event = { org, type: 'member_removed', at: removedAt, actor: by, subject: `member ${user}` } as const;
    await auditLog.append({ ...event, details });
    // Keys that another organization issued are in the audit log of this one: the others must not learn of this
    // organization.
    const owner = { org, ownerKind: 'user', owner: user } as const;
    const cause = `member ${user} was removed`;
    for (const each of toRevocations(revoked, { ...owner, by, at: removedAt, cause })) await auditLog.append(each);
    return 'removed';
  };
  return keepAdministered(dependencies, org, carryOutOnce(dependencies, request, remove));
}

type SetDefaultOrganizationResult = 'set' | 'denied';

export function setDefaultOrganization(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { key, org }: { readonly key: StoredKey; readonly org: string },
  request?: KeyedRequest<SetDefaultOrganizationResult>,
): Promise<OnceResult<SetDefaultOrganizationResult>> {
  const { ownerKind, owner } = key;
  const set = async ({ accounts }: WriteTransaction): Promise<SetDefaultOrganizationResult> => {
    if (ownerKind !== 'user' || !mayOpen(key, org)) return 'denied';
    if ((await accounts.findMember(org, owner)) === undefined) return 'denied';
    // A limited key may belong to a different person with the same name (`migrations/users.ts`), so it must not change
    // the user's default. For the key itself, this organization is the default anyway, because it gives access to no
    // other.
    if (!key.isLimitedToOrg) await accounts.setDefaultOrganization(org, owner);
    return 'set';
  };
  return dependencies.storage.transaction(allOrganizations, carryOutOnce(dependencies, request, set));
}

/** The default organization of the user who owns the key; undefined if there is none, and for service accounts. */
export function findDefaultOrganization(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { key }: { readonly key: StoredKey },
): Promise<string | undefined> {
  const { org, ownerKind, owner, isLimitedToOrg } = key;
  return storage.read(async ({ accounts }) => {
    if (ownerKind !== 'user') return undefined;
    const memberships = await accounts.listMemberships(owner);
    const found = memberships.find((membership) => (isLimitedToOrg ? membership.org === org : membership.isDefault));
    return found?.org;
  });
}
