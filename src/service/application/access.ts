import { mayOpen } from '../domain/access.ts';
import type { Membership, StoredKey } from '../domain/accounts.ts';
import type { AccountReader } from '../storage/accounts.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import type { Role } from '../../contract/role.ts';

/** A stored key with the role of its owner. */
export interface KeyHolder {
  readonly key: StoredKey;
  /** The role of the owner in the requested organization; undefined if the key gives no access to it. */
  readonly role: Role | undefined;
}

/** Finds a key by its id. The caller must still verify the secret. */
export function findKeyHolder(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { id, org }: { readonly id: string; readonly org: string | undefined },
): Promise<KeyHolder | undefined> {
  return storage.read(({ accounts }) => loadKeyHolder(accounts, { id, org }));
}

/** Like `findKeyHolder`, within a transaction. */
export async function loadKeyHolder(
  accounts: Pick<AccountReader, 'findKey' | 'findRole'>,
  { id, org }: { readonly id: string; readonly org: string | undefined },
): Promise<KeyHolder | undefined> {
  const key = await accounts.findKey(id);
  if (key === undefined) return undefined;
  if (org === undefined || !mayOpen(key, org)) return { key, role: undefined };
  return { key, role: await accounts.findRole(org, key.ownerKind, key.owner) };
}

/** Lists the organizations that a key gives access to: the default organization first, then the others by name. */
export function listOpenOrganizations(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { key }: { readonly key: StoredKey },
): Promise<readonly Membership[]> {
  const { org, ownerKind, owner, isLimitedToOrg } = key;
  return storage.read(async ({ accounts }) => {
    if (ownerKind === 'user' && !isLimitedToOrg) {
      const memberships = await accounts.listMemberships(owner);
      return [...memberships.filter((one) => one.isDefault), ...memberships.filter((one) => !one.isDefault)];
    }
    const role = await accounts.findRole(org, ownerKind, owner);
    return role === undefined ? [] : [{ org, role, isDefault: false }];
  });
}
