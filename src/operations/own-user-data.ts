import { gatheredAtKey } from '../contract/attestations/attestation-fields.ts';
import { idempotencyDataKey } from '../contract/idempotency.ts';
import { readUserData } from '../evidence/user-data.ts';
import { UserError } from '../runtime/failure.ts';
import type { Mapping } from '../runtime/untrusted-data.ts';
import type { OperationContext } from './operation.ts';

/**
 * Reads the input `user-data`; an empty object if it is not given.
 *
 * @param reserved the keys that the action itself sets, besides those that a replay compares with the item
 * @throws UserError also if it has one of the reserved keys
 */
export async function readOwnUserData(
  given: string | undefined,
  reserved: readonly string[],
  { workspace }: Pick<OperationContext, 'workspace'>,
): Promise<Mapping> {
  const data = given === undefined ? {} : await readUserData(given, workspace);
  const taken = [...reserved, gatheredAtKey, idempotencyDataKey].filter((key) => Object.hasOwn(data, key));
  if (taken.length === 0) return data;
  throw new UserError({
    input: 'user-data',
    what: `\`user-data\` has the key ${taken.join(' and the key ')}, which the action itself sets`,
    remedy: 'Use another name for the key.',
  });
}
