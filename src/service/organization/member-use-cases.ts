import type { Role } from '../../contract/role.ts';
import { mayOpen } from '../account/access.ts';
import type { StoredKey } from '../account/account.ts';
import { type ChangeAuthor, toRevocations } from '../account/api-key-use-cases.ts';
import { allOrganizations, type WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { defineAdministeredWrite } from './administrator-use-cases.ts';

export interface UserReference {
  readonly org: string;
  readonly user: string;
}

/** Sets the role of a member. A user who is not a member becomes one. */
export const saveMember = defineAdministeredWrite(
  async (
    { accounts, auditLog },
    { org, user, role, by }: UserReference & ChangeAuthor & { readonly role: Role },
    at,
  ): Promise<'created' | 'updated'> => {
    const known = await accounts.findMember(org, user);
    await accounts.saveMember({ org, user, role, createdAt: at });
    const event = { org, type: 'member_saved', at, actor: by, subject: `member ${user}` } as const;
    await auditLog.append({ ...event, details: { role, previous_role: known?.role ?? '' } });
    return known === undefined ? 'created' : 'updated';
  },
);

/**
 * Removes a member. If it was the user's last membership, all keys of the user are revoked, so that a later user of the
 * same name does not inherit them. Keys that are limited to the organization are always revoked.
 */
export const removeMember = defineAdministeredWrite(
  async (
    { accounts, auditLog },
    { org, user, by }: UserReference & ChangeAuthor,
    at,
  ): Promise<'removed' | 'not found'> => {
    if ((await accounts.deleteMember(org, user)) === 'not found') return 'not found';
    const left = await accounts.listMemberships(user);
    const revoked =
      left.length > 0 ? await accounts.revokeLimitedUserKeys(org, user, at) : await accounts.revokeUserKeys(user, at);
    const details = { revoked_keys: left.length > 0 ? 'those limited to the organization' : 'all' };
    const event = { org, type: 'member_removed', at, actor: by, subject: `member ${user}` } as const;
    await auditLog.append({ ...event, details });
    // Keys that another organization issued are in the audit log of this one: the others must not learn of this
    // organization.
    const owner = { org, ownerKind: 'user', owner: user } as const;
    const cause = `member ${user} was removed`;
    for (const each of toRevocations(revoked, { ...owner, by, at, cause })) await auditLog.append(each);
    return 'removed';
  },
);

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
    // A limited key may belong to a different person with the same name (`sqlite/migrations.ts`), so it must not change
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
