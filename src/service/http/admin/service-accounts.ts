import * as keys from '../../application/keys.ts';
import * as serviceAccounts from '../../application/service-accounts.ts';
import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName, serviceAccountName } from '../../../contract/names.ts';
import { Type } from '../../../contract/schema.ts';
import { serviceAccount, serviceAccountNotFound } from '../../../contract/service-account.ts';
import { toServiceAccountResponse } from '../api/service-accounts.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { adminErrors } from './admin-errors.ts';
import { createdKey, keyDetails, toCreatedKeyResponse } from './api-keys.ts';
import { role } from './members.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
/** Create a service account. It needs a key before it can do anything. */
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
  repetition: { effect: 'appends', volatile: [], remedy: 'Check whether it exists before you repeat the request.' },
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

/** Create an API key for a service account. Only this response shows the key. */
export const createServiceAccountKey = defineEndpoint({
  title: 'Create API key of a service account',
  method: 'POST',
  path: '/organizations/{org}/service-accounts/{name}/keys',
  parameters: Type.Object({ org: orgName, name: serviceAccountName }),
  query: noQuery,
  body: { kind: 'json', schema: Type.Object(keyDetails, { additionalProperties: false }) },
  repetition: { effect: 'appends', volatile: [], remedy: 'Check whether it exists before you repeat the request.' },
  success: [{ status: 201, description: 'The key was created.', schema: createdKey }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, serviceAccountNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Creates service accounts and their keys. */
export function addAdminServiceAccountRoutes(
  host: RouteHost,
  dependencies: RouteDependencies,
  authenticator: Authenticator<'administrator'>,
): void {
  addRoute(host, createServiceAccount, authenticator, async ({ caller, parameters: { org }, document }) => {
    const { name, privilege, display_name: displayName = name, description = '', for_webhook = false } = document;
    const record = { org, name, privilege, displayName, description, forWebhook: for_webhook, createdBy: caller };
    const created = await serviceAccounts.createServiceAccount(dependencies, record);
    switch (created.outcome) {
      case 'created':
        return { status: 201, body: toServiceAccountResponse(created.account) };
      case 'exists':
        throw new ApiError(adminErrors.serviceAccountExists, { values: { org, name } });
      case 'organization not found':
        throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
    }
  });

  addRoute(host, createServiceAccountKey, authenticator, async ({ parameters: { org, name }, document }) => {
    const { description, expires_at: expiresAt } = document;
    const created = await keys.createServiceAccountKey(dependencies, { org, name, description, expiresAt });
    if (created.outcome === 'service account not found') throw new ApiError(serviceAccountNotFound);
    return { status: 201, body: toCreatedKeyResponse(created) };
  });
}
