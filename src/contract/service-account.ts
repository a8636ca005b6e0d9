import { Type, wholeSeconds, type Static } from './schema.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { commonErrors } from './errors.ts';
import { orgName, serviceAccountName } from './names.ts';

const serviceAccountFields = {
  name: Type.String(),
  display_name: Type.Optional(Type.String()),
  privilege: Type.Optional(Type.String({ description: '`admin`, `member`, `snapshotter` or `reader`.' })),
  description: Type.Optional(Type.String()),
  creating_user_id: Type.Optional(Type.String()),
  created_at: Type.Optional(wholeSeconds()),
};

/** A service account in a list (interface, Service account). */
export const listedServiceAccount = Type.Object(serviceAccountFields);

/** A single service account. */
export const serviceAccount = Type.Object({ ...serviceAccountFields, for_webhook: Type.Optional(Type.Boolean()) });

/** A single service account. */
export type ServiceAccount = Static<typeof serviceAccount>;

/** The response if there is no service account of that name (interface, Errors). */
export const serviceAccountNotFound = {
  status: 404,
  message: 'Service account not found',
  when: 'The organization has no service account of that name.',
} as const;

const accountParameters = Type.Object({ org: orgName, name: serviceAccountName });
const accessErrors = [commonErrors.unauthenticated, commonErrors.forbidden] as const;

/** Operation 13: list the service accounts. */
export const listServiceAccounts = defineEndpoint({
  operation: 'list-service-accounts',
  number: 13,
  title: 'List service accounts',
  method: 'GET',
  path: '/service-accounts/{org}',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'All service accounts.', schema: Type.Array(listedServiceAccount) }],
  errors: [commonErrors.validation, ...accessErrors],
  authentication: ['bearer'],
});

/** Operation 14: get a service account. */
export const getServiceAccount = defineEndpoint({
  operation: 'get-service-account',
  number: 14,
  title: 'Get a service account',
  method: 'GET',
  path: '/service-accounts/{org}/{name}',
  parameters: accountParameters,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The service account.', schema: serviceAccount }],
  errors: [commonErrors.validation, ...accessErrors, serviceAccountNotFound],
  authentication: ['bearer'],
});

/** Operation 15: delete a service account. */
export const deleteServiceAccount = defineEndpoint({
  operation: 'delete-service-account',
  number: 15,
  title: 'Delete a service account',
  method: 'DELETE',
  path: '/service-accounts/{org}/{name}',
  parameters: accountParameters,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'idempotent', alreadyDone: serviceAccountNotFound },
  success: [{ status: 200, description: 'The service account and its keys are gone.', schema: Type.String() }],
  errors: [commonErrors.validation, ...accessErrors, serviceAccountNotFound, commonErrors.conflict],
  authentication: ['bearer'],
});
