import { created, defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { role } from './member.ts';
import { serviceAccountName } from './names.ts';
import { Type } from './schema.ts';
import { serviceAccount, serviceAccountNotFound } from './service-account.ts';

const description = Type.String({ maxLength: 1000 });

export const serviceAccountExists = {
  status: 409,
  message: "Service account '{name}' already exists in organization '{org}'",
  when: 'The organization has a service account with that name.',
} as const;

/** Create a service account. It needs a key before it can do anything. */
export const createServiceAccount = defineEndpoint('POST /service-accounts/{org}', {
  origin: 'observed',
  title: 'Create service account',
  body: jsonDocument({
    name: serviceAccountName,
    privilege: role,
    description: Type.Optional(description),
    display_name: Type.Optional(Type.String({ maxLength: 1000, description: 'Default: the name.' })),
    for_webhook: Type.Optional(Type.Boolean({ description: 'Default: false.' })),
  }),
  repetition: {
    effect: 'appends',
    volatile: [],
    remedy: 'Look whether the service account exists before you send the request again.',
  },
  success: [created('The service account was created.', serviceAccount)],
  errors: [...accessErrors, serviceAccountExists],
});

export const updateServiceAccount = defineEndpoint('PATCH /service-accounts/{org}/{name}', {
  origin: 'observed',
  title: 'Update service account',
  body: jsonDocument({ description: Type.Optional(description), privilege: Type.Optional(role) }),
  repetition: { effect: 'idempotent' },
  success: [ok('The service account as it is now.', serviceAccount)],
  errors: [...accessErrors, serviceAccountNotFound],
});
