import { Type } from 'typebox';
import { defineEndpoint, noQuery } from '../../contract/endpoint.ts';
import { commonErrors } from '../../contract/errors.ts';
import { orgName } from '../../contract/names.ts';
import { roles } from '../domain/access.ts';

/**
 * The separate way in: what the interface has no way to create. Kept apart from the sixteen operations under `/admin/v1`,
 * opened by one key that the service is started with, and closed where it is started without.
 */

const organizationExists = {
  status: 409,
  message: "Organization '{org}' exists already",
  when: 'An organization of that name was created before.',
} as const;

const organizationNotFound = {
  status: 404,
  message: "Organization '{org}' does not exist",
  when: 'There is no organization of that name.',
} as const;

const keyNotFound = {
  status: 404,
  message: "Organization '{org}' has no API key '{key_id}'",
  when: 'The organization has no key of that id.',
} as const;

/** The errors that only the administration gives. */
export const administrationErrors = { organizationExists, organizationNotFound, keyNotFound } as const;

const keyId = Type.String({ pattern: '^[a-zA-Z0-9]{4,64}$', description: 'The public part of an API key.' });

/** Create an organization. */
export const createOrganization = defineEndpoint({
  title: 'Create organization',
  method: 'POST',
  path: '/organizations',
  parameters: Type.Object({}),
  query: noQuery,
  body: { kind: 'json', schema: Type.Object({ name: orgName }, { additionalProperties: false }) },
  success: [
    { status: 201, description: 'The organization was created.', schema: Type.Object({ name: Type.String() }) },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, organizationExists],
  authentication: ['bearer'],
  choices: [],
});

/** Create an API key for a user or service account of an organization. The answer is the only time the key is shown. */
export const createKey = defineEndpoint({
  title: 'Create API key',
  method: 'POST',
  path: '/organizations/{org}/keys',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        owner: Type.String({ pattern: '^[a-zA-Z0-9\\-]{1,64}$', description: 'The user or service account.' }),
        role: Type.Union(roles.map((role) => Type.Literal(role))),
      },
      { additionalProperties: false },
    ),
  },
  success: [
    {
      status: 201,
      description: 'The key was created.',
      schema: Type.Object({
        id: Type.String(),
        key: Type.String({ description: 'Shown once; only a hash of it is kept.' }),
        owner: Type.String(),
        role: Type.String(),
        created_at: Type.Number({ description: 'Unix seconds.' }),
      }),
    },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, organizationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Revoke an API key. It opens nothing from then on. */
export const revokeKey = defineEndpoint({
  title: 'Revoke API key',
  method: 'DELETE',
  path: '/organizations/{org}/keys/{key_id}',
  parameters: Type.Object({ org: orgName, key_id: keyId }),
  query: noQuery,
  body: { kind: 'none' },
  success: [{ status: 200, description: 'The key is revoked.', schema: Type.String() }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, keyNotFound],
  authentication: ['bearer'],
  choices: [],
});
