import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName, serviceAccountName } from '../../../contract/names.ts';
import { Type } from '../../../contract/schema.ts';
import { serviceAccount, serviceAccountNotFound } from '../../../contract/service-account.ts';
import { toServiceAccountResponse } from '../api/service-accounts.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import type { Dependencies } from '../dependencies.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { adminErrors } from './admin-errors.ts';
import { createdKey, issueKey, keyDetails } from './api-keys.ts';
import { role } from './members.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
/** Create a service account. It can do nothing before it has a key. */
export const createServiceAccount = defineEndpoint({
  title: 'Create service account',
  method: 'POST',
  path: '/organizations/{org}/service-accounts',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        name: serviceAccountName,
        privilege: role,
        display_name: Type.Optional(Type.String({ maxLength: 1000, description: 'Default: the name.' })),
        description: Type.Optional(Type.String({ maxLength: 1000 })),
        for_webhook: Type.Optional(Type.Boolean({ description: 'Default: false.' })),
      },
      { additionalProperties: false },
    ),
  },
  repetition: { effect: 'appends', remedy: 'Look whether it is there before you repeat the request.' },
  success: [{ status: 201, description: 'The service account was created.', schema: serviceAccount }],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    adminErrors.organizationNotFound,
    adminErrors.serviceAccountExists,
  ],
  authentication: ['bearer'],
  choices: [],
});

/** Create an API key of a service account. The answer is the only time the key is shown. */
export const createServiceAccountKey = defineEndpoint({
  title: 'Create API key of a service account',
  method: 'POST',
  path: '/organizations/{org}/service-accounts/{name}/keys',
  parameters: Type.Object({ org: orgName, name: serviceAccountName }),
  query: noQuery,
  body: { kind: 'json', schema: Type.Object(keyDetails, { additionalProperties: false }) },
  repetition: { effect: 'appends', remedy: 'Look whether it is there before you repeat the request.' },
  success: [{ status: 201, description: 'The key was created.', schema: createdKey }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, serviceAccountNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Creating service accounts and their keys. */
export function addAdminServiceAccountRoutes(
  host: RouteHost,
  dependencies: Dependencies,
  authenticator: Authenticator<'administrator'>,
): void {
  const { store, now } = dependencies;

  addRoute(host, createServiceAccount, authenticator, async ({ caller, parameters: { org }, document }) => {
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

  addRoute(host, createServiceAccountKey, authenticator, async ({ parameters: { org, name }, document }) => {
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
