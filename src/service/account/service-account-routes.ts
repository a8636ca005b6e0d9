import {
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  type ServiceAccount,
  serviceAccountNotFound,
} from '../../contract/service-account.ts';
import {
  createServiceAccount,
  serviceAccountExists,
  updateServiceAccount,
} from '../../contract/service-account-administration.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, requireChange } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { actorName } from './access.ts';
import type { ServiceAccountRecord } from './account.ts';
import * as serviceAccounts from './service-account-use-cases.ts';

export function addServiceAccountRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { storage } = dependencies;
  const read = requireRole(dependencies, 'read service accounts');
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, listServiceAccounts, read, async ({ parameters: { org } }) => {
    const listed = await storage.read(({ accounts }) => accounts.listServiceAccounts(org));
    return { status: 200, body: listed.map(toListedResponse) };
  });

  addRoute(host, getServiceAccount, read, async ({ parameters: { org, name } }) => {
    const account = await storage.read(({ accounts }) => accounts.findServiceAccount(org, name));
    if (account === undefined) throw new ApiError(serviceAccountNotFound);
    return { status: 200, body: toServiceAccountResponse(account) };
  });

  addRoute(host, createServiceAccount, administer, ({ caller, parameters: { org }, document, carryOut }) => {
    const { name, privilege, display_name: displayName = name, description = '', for_webhook = false } = document;
    const createdBy = actorName(caller);
    const record = { org, name, privilege, displayName, description, forWebhook: for_webhook, createdBy };
    return carryOut(serviceAccounts.createServiceAccount, dependencies, record, (created) => {
      if (created === 'exists') throw new ApiError(serviceAccountExists, { values: { org, name } });
      return { status: 201, body: toServiceAccountResponse(created) };
    });
  });

  addRoute(host, updateServiceAccount, administer, ({ caller, parameters: { org, name }, document, carryOut }) => {
    requireChange(document);
    const change = { org, name, ...document, by: actorName(caller) };
    return carryOut(serviceAccounts.updateServiceAccount, dependencies, change, (account) => {
      if (account === undefined) throw new ApiError(serviceAccountNotFound);
      return { status: 200, body: toServiceAccountResponse(account) };
    });
  });

  addRoute(host, deleteServiceAccount, administer, ({ caller, parameters: { org, name }, carryOut }) =>
    carryOut(serviceAccounts.deleteServiceAccount, dependencies, { org, name, by: actorName(caller) }, (result) => {
      if (result === 'not found') throw new ApiError(serviceAccountNotFound);
      return { status: 200, body: 'OK' };
    }),
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

function toServiceAccountResponse(account: ServiceAccountRecord): ServiceAccount {
  return { ...toListedResponse(account), for_webhook: account.forWebhook };
}
