import { Type } from '../../../contract/schema.ts';
import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName, serviceAccountName } from '../../../contract/names.ts';
import { serviceAccount, serviceAccountNotFound } from '../../../contract/service-account.ts';
import { createdKey, keyDetails, role } from './endpoints.ts';
import { adminErrors } from './errors.ts';

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
