import { accessDenied, setDefaultOrg } from '../../../contract/user.ts';
import { mayOpen } from '../../domain/access.ts';
import type { StoredKey } from '../../domain/accounts.ts';
import type { AccountStore } from '../../storage/account-store.ts';
import { requireApiKey } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { Dependencies } from '../dependencies.ts';

/** Operation 16: set the default organization of the calling user. */
export function addUserRoutes(host: RouteHost, dependencies: Dependencies): void {
  addRoute(host, setDefaultOrg, requireApiKey(dependencies), async ({ caller: key, parameters: { org } }) => {
    if (!(await setDefault(dependencies.store, key, org))) throw new ApiError(accessDenied, { values: { org } });
    return { status: 200, body: { default_org_name: org } };
  });
}

/** @returns whether it is the default now. */
async function setDefault(store: AccountStore, key: StoredKey, org: string): Promise<boolean> {
  if (key.ownerKind !== 'user' || !mayOpen(key, org)) return false;
  // A limited key may belong to a namesake of the user (`migrations/users.ts`), whose default is not its to change. For the
  // key itself this organization is the default anyway, because it opens no other.
  if (key.isLimitedToOrg) return (await store.findRole(org, key.ownerKind, key.owner)) !== undefined;
  return (await store.setDefaultOrganization(org, key.owner)) === 'set';
}
