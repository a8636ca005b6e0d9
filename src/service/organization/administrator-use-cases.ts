import { type Now, unixSeconds } from '../../runtime/clock.ts';
import { allOrganizations, type Storage, type WriteTransaction } from '../platform/database/storage.ts';

/** Rolls back a change that would leave an organization without an admin. */
class LastAdminError extends Error {
  override readonly name = 'LastAdminError';
}

/** The result of a change that was not made, because it would lock the organization out. */
export type LastAdminResult = 'last admin';

/**
 * Makes a change of members or keys, unless afterwards no admin of the organization would have a valid key: then nobody
 * could administer it. The key may have been issued in another organization. If there is no such admin before the
 * change, it is always made.
 */
export async function keepAdministered<Result>(
  { storage, now }: { readonly storage: Storage; readonly now: Now },
  org: string,
  change: (transaction: WriteTransaction) => Promise<Result>,
): Promise<Result | LastAdminResult> {
  const at = unixSeconds(now());
  try {
    return await storage.transaction(allOrganizations, async (transaction) => {
      const before = await transaction.accounts.hasValidAdminKey(org, at);
      const result = await change(transaction);
      if (before && !(await transaction.accounts.hasValidAdminKey(org, at))) throw new LastAdminError();
      return result;
    });
  } catch (error) {
    if (error instanceof LastAdminError) return 'last admin';
    throw error;
  }
}
