import { unixSeconds } from '../../runtime/clock.ts';
import type { StoredKey } from '../account/account.ts';
import type { ListPart } from '../platform/database/list-part.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import { toKeyEvent, type ChangeAuthor } from '../account/api-key-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

/** Lists valid keys of workflow runs, the latest first, with the number of all. */
export async function listLoginKeys(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, part: { offset, limit } }: { readonly org: string; readonly part: ListPart },
): Promise<{ readonly keys: readonly StoredKey[]; readonly total: number }> {
  const time = unixSeconds(now());
  const keys = await storage.read(({ accounts }) => accounts.listLoginKeys(org, time));
  return { keys: keys.toReversed().slice(offset, offset + limit), total: keys.length };
}

export type RevokeLoginKeyResult = 'revoked' | 'key not found';

/** Revokes a valid key of a workflow run. */
export function revokeLoginKey(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, id, by }: { readonly org: string; readonly id: string } & ChangeAuthor,
  request?: KeyedRequest<RevokeLoginKeyResult>,
): Promise<OnceResult<RevokeLoginKeyResult>> {
  const at = unixSeconds(dependencies.now());
  const revoke = async ({ accounts, auditLog }: WriteTransaction): Promise<RevokeLoginKeyResult> => {
    const key = (await accounts.listLoginKeys(org, at)).find((one) => one.id === id);
    if (key === undefined) return 'key not found';
    await accounts.revokeKey(org, id, at);
    await auditLog.append(toKeyEvent('key_revoked', key, { by, at }));
    return 'revoked';
  };
  return dependencies.storage.transaction(org, carryOutOnce(dependencies, request, revoke));
}
