import { mayOpen } from '../domain/access.ts';
import type { Membership, StoredKey } from '../domain/accounts.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import type { Role } from '../../contract/role.ts';

/** A stored key, and what its owner may do. */
export interface KeyHolder {
  readonly key: StoredKey;
  /** The role of its owner in the organization that was asked about; undefined if the key does not open it. */
  readonly role: Role | undefined;
}

/** Finds a key by its id; whoever sends it still has to prove its secret. */
export function findKeyHolder(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { id, org }: { readonly id: string; readonly org: string | undefined },
): Promise<KeyHolder | undefined> {
  return storage.read(async ({ accounts }) => {
    const key = await accounts.findKey(id);
    if (key === undefined) return undefined;
    if (org === undefined || !mayOpen(key, org)) return { key, role: undefined };
    return { key, role: await accounts.findRole(org, key.ownerKind, key.owner) };
  });
}

/** The organizations that a key opens: the default one first, the others by name. */
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
