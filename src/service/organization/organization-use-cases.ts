import { unixSeconds } from '../../runtime/clock.ts';
import { addAdminKey, chooseAdminUser } from '../account/admin-key-use-cases.ts';
import { newApiKey } from '../account/api-key.ts';
import type { CreatedKey } from '../account/api-key-use-cases.ts';
import { allOrganizations } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { UserReference } from './member-use-cases.ts';

export type CreateOrganizationResult = (CreatedKey & UserReference) | { readonly outcome: 'exists' };

/**
 * Creates an organization with its first admin and a key for this user, which opens every organization that the user is
 * a member of.
 *
 * @param command `user`: the first admin, who may be a member of other organizations; chosen if undefined
 */
export function createOrganization(
  { storage, now, randomBytes }: Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'>,
  { org, user: wanted }: { readonly org: string; readonly user?: string | undefined },
): Promise<CreateOrganizationResult> {
  const createdAt = unixSeconds(now());
  const key = newApiKey(randomBytes);
  const description = 'The first key of the organization';
  return storage.transaction(allOrganizations, async ({ organizations, accounts, auditLog }) => {
    if ((await organizations.insert(org, createdAt)) === 'exists') return { outcome: 'exists' };
    const user = wanted ?? (await chooseAdminUser(accounts, org));
    const created = await addAdminKey({ accounts, auditLog }, { org, user, description, key, createdAt });
    return { outcome: 'created', org, user, ...created };
  });
}
