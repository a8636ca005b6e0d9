import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { type Static, Type, wholeSeconds } from './schema.ts';

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

export const serviceAccount = Type.Object({ ...serviceAccountFields, for_webhook: Type.Optional(Type.Boolean()) });

export type ServiceAccount = Static<typeof serviceAccount>;

/** The response if there is no service account of that name (interface, Errors). */
export const serviceAccountNotFound = {
  status: 404,
  message: 'Service account not found',
  when: 'The organization has no service account of that name.',
} as const;

export const listServiceAccounts = defineEndpoint('GET /service-accounts/{org}', {
  operation: 'list-service-accounts',
  number: 13,
  title: 'List service accounts',
  success: [ok('All service accounts.', Type.Array(listedServiceAccount))],
});

export const getServiceAccount = defineEndpoint('GET /service-accounts/{org}/{name}', {
  operation: 'get-service-account',
  number: 14,
  title: 'Get a service account',
  success: [ok('The service account.', serviceAccount)],
  errors: [...accessErrors, serviceAccountNotFound],
});

export const deleteServiceAccount = defineEndpoint('DELETE /service-accounts/{org}/{name}', {
  operation: 'delete-service-account',
  number: 15,
  title: 'Delete a service account',
  repetition: { effect: 'idempotent' },
  success: [ok('The service account and its keys are gone.')],
  errors: [...accessErrors, serviceAccountNotFound],
});
