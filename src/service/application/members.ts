import { mayOpen } from '../domain/access.ts';
import type { StoredKey } from '../domain/accounts.ts';
import type { WriteTransaction } from '../storage/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from './carry-out-once.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import type { Role } from '../../contract/role.ts';
import { unixSeconds } from '../../runtime/clock.ts';

/** Identifies a user in an organization. */
export interface UserReference {
  readonly org: string;
  readonly user: string;
}

/** Sets the role of a member. A user who is not a member becomes one. */
export function saveMember(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, user, role }: UserReference & { readonly role: Role },
): Promise<'created' | 'updated' | 'organization not found'> {
  const createdAt = unixSeconds(now());
  return storage.transaction(async ({ organizations, accounts }) => {
    if (!(await organizations.exists(org))) return 'organization not found';
    const known = await accounts.findMember(org, user);
    await accounts.saveMember({ org, user, role, createdAt });
    return known === undefined ? 'created' : 'updated';
  });
}

/**
 * Removes a member. If it was the user's last membership, all keys of the user are revoked, so that a later user of the
 * same name does not inherit them. Keys that are limited to the organization are always revoked.
 */
export function removeMember(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, user }: UserReference,
): Promise<'removed' | 'not found'> {
  const removedAt = unixSeconds(now());
  return storage.transaction(async ({ accounts }) => {
    if ((await accounts.deleteMember(org, user)) === 'not found') return 'not found';
    const left = await accounts.listMemberships(user);
    if (left.length > 0) await accounts.revokeLimitedUserKeys(org, user, removedAt);
    else await accounts.revokeUserKeys(user, removedAt);
    return 'removed';
  });
}

/** The result of `setDefaultOrganization`. */
export type SetDefaultOrganizationResult = 'set' | 'denied';

/** Operation 16: sets the default organization of the user who owns the key. */
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
  return dependencies.storage.transaction(carryOutOnce(dependencies, request, set));
}

/** Finds the default organization of the user who owns the key; undefined if there is none, and for service accounts. */
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
