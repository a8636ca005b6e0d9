import { serviceAccountNotFound } from '../../../contract/service-account.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { toServiceAccountResponse } from '../api/service-accounts.ts';
import type { Dependencies } from '../dependencies.ts';
import { adminErrors } from './errors.ts';
import { issueKey } from './keys.ts';
import { createServiceAccount, createServiceAccountKey } from './service-account-endpoints.ts';

/** Creating service accounts and their keys. */
export function addServiceAccountAdministration(
  host: RouteHost,
  dependencies: Dependencies,
  guard: Authenticator<'administrator'>,
): void {
  const { store, now } = dependencies;

  addRoute(host, createServiceAccount, guard, async ({ caller, parameters: { org }, document }) => {
    const { name, privilege, display_name: displayName = name, description = '', for_webhook = false } = document;
    const record = { org, name, privilege, displayName, description, forWebhook: for_webhook };
    const account = { ...record, createdBy: caller, createdAt: unixSeconds(now()) };
    const outcome = await store.createServiceAccount(account);
    if (outcome === 'organization not found') {
      throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
    }
    if (outcome === 'exists') throw new ApiError(adminErrors.serviceAccountExists, { values: { org, name } });
    return { status: 201, body: toServiceAccountResponse(account) };
  });

  addRoute(host, createServiceAccountKey, guard, async ({ parameters: { org, name }, document }) => {
    const account = await store.findServiceAccount(org, name);
    const key =
      account === undefined
        ? undefined
        : await issueKey(dependencies, {
            org,
            ownerKind: 'service account',
            owner: name,
            role: account.privilege,
            ...document,
          });
    if (key === undefined) throw new ApiError(serviceAccountNotFound);
    return { status: 201, body: key };
  });
}
