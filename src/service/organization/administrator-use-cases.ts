import { unixSeconds } from '../../runtime/clock.ts';
import { allOrganizations, type WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

/** Rolls back a change that would leave an organization without an admin. */
class LastAdminError extends Error {
  override readonly name = 'LastAdminError';
}

/** The result of a change that was not made, because it would lock the organization out. */
export type LastAdminResult = 'last admin';

/**
 * Defines a use case that changes members or keys, as `defineWrite` does. The change is not made if afterwards no admin of
 * the organization would have a valid key: then nobody could administer it. The key may have been issued in another
 * organization. If there is no such admin before the change, it is always made.
 */
export function defineAdministeredWrite<Command extends { readonly org: string }, Result>(
  work: (transaction: WriteTransaction, command: Command, at: number) => Promise<Result>,
) {
  return async (
    { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
    command: Command,
    request?: KeyedRequest<Result | LastAdminResult>,
  ): Promise<OnceResult<Result | LastAdminResult>> => {
    const at = unixSeconds(now());
    const change = carryOutOnce<Result | LastAdminResult, []>({ now }, request, (transaction) =>
      work(transaction, command, at),
    );
    try {
      return await storage.transaction(allOrganizations, async (transaction) => {
        const before = await transaction.accounts.hasValidAdminKey(command.org, at);
        const result = await change(transaction);
        if (before && !(await transaction.accounts.hasValidAdminKey(command.org, at))) throw new LastAdminError();
        return result;
      });
    } catch (error) {
      if (error instanceof LastAdminError) return 'last admin';
      throw error;
    }
  };
}
