import * as serviceAccounts from '../../application/service-accounts.ts';
import {
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  serviceAccountNotFound,
  type ServiceAccount,
} from '../../../contract/service-account.ts';
import type { ServiceAccountRecord } from '../../domain/accounts.ts';
import { requireRole } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** Adds operations 13 to 15: list, get and delete service accounts. */
export function addServiceAccountRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(
    host,
    listServiceAccounts,
    requireRole(dependencies, 'read service accounts'),
    async ({ parameters: { org } }) => {
      const accounts = await serviceAccounts.listServiceAccounts(dependencies, { org });
      return { status: 200, body: accounts.map(toListedResponse) };
    },
  );

  addRoute(host, getServiceAccount, requireRole(dependencies, 'read service accounts'), async ({ parameters }) => {
    const account = await serviceAccounts.findServiceAccount(dependencies, parameters);
    if (account === undefined) throw new ApiError(serviceAccountNotFound);
    return { status: 200, body: toServiceAccountResponse(account) };
  });

  addRoute(
    host,
    deleteServiceAccount,
    requireRole(dependencies, 'administer'),
    ({ parameters: { org, name }, carryOut }) =>
      carryOut(
        (result: serviceAccounts.DeleteServiceAccountResult) => {
          if (result === 'not found') throw new ApiError(serviceAccountNotFound);
          return { status: 200, body: 'OK' };
        },
        (request) => serviceAccounts.deleteServiceAccount(dependencies, { org, name }, request),
      ),
  );
}

/**
 * Converts a service account to a list entry: without `for_webhook`, and with its time in whole seconds (interface,
 * Service account).
 */
function toListedResponse(account: ServiceAccountRecord): ServiceAccount {
  return {
    name: account.name,
    display_name: account.displayName,
    privilege: account.privilege,
    description: account.description,
    creating_user_id: account.createdBy,
    created_at: Math.floor(account.createdAt),
  };
}

/** Converts a service account to the response of operation 14. */
export function toServiceAccountResponse(account: ServiceAccountRecord): ServiceAccount {
  return { ...toListedResponse(account), for_webhook: account.forWebhook };
}
