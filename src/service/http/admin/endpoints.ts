import { Type } from '../../../contract/schema.ts';
import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName } from '../../../contract/names.ts';
import { roles } from '../../../contract/role.ts';
import { adminErrors } from './errors.ts';

/**
 * The separate way in: what the interface has no way to create. Kept apart from the sixteen operations under `/admin/v1`,
 * opened by one key that the service is started with, and closed where it is started without.
 */

const keyId = Type.String({ pattern: '^[a-zA-Z0-9]{4,64}$', description: 'The public part of an API key.' });

/** The name of a user. */
export const userName = Type.String({ pattern: '^[a-zA-Z0-9\\-]{1,64}$', description: 'The name of the user.' });

/** A role, as it is asked for. */
export const role = Type.Union(roles.map((name) => Type.Literal(name)));

/** What a key may be given beside its owner. */
export const keyDetails = {
  description: Type.Optional(Type.String({ maxLength: 1000, description: 'What the key is for.' })),
  // Up to the year 9999, which leaves room for milliseconds to be noticed as a mistake.
  expires_at: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 253_402_300_799,
      description: 'Unix seconds; from then on the key opens nothing. Without it the key does not expire.',
    }),
  ),
} as const;

/** A key as it is answered, the only time that it is shown. */
export const createdKey = Type.Object({
  id: Type.String(),
  key: Type.String({ description: 'Shown once; only a hash of it is kept.' }),
  owner: Type.String(),
  role: Type.String({ description: 'Of the owner in the organization that the key was issued in.' }),
  organizations: Type.Array(Type.String(), {
    description: 'What the key opens now: all organizations of the user, or the one of the service account.',
  }),
  description: Type.String(),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  expires_at: Type.Union([Type.Number(), Type.Null()], { description: 'Unix seconds.' }),
});

/** Create an organization. */
export const createOrganization = defineEndpoint({
  title: 'Create organization',
  method: 'POST',
  path: '/organizations',
  parameters: Type.Object({}),
  query: noQuery,
  body: { kind: 'json', schema: Type.Object({ name: orgName }, { additionalProperties: false }) },
  repetition: { effect: 'appends', remedy: 'Look whether it is there before you repeat the request.' },
  success: [
    { status: 201, description: 'The organization was created.', schema: Type.Object({ name: Type.String() }) },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.organizationExists],
  authentication: ['bearer'],
  choices: [],
});

/**
 * Create a personal API key for a user of an organization. A user whose name is new to the service becomes a member; a user
 * of another organization has to be made one first, so that two people of the same name are not taken for one by accident.
 * The answer is the only time the key is shown.
 */
export const createKey = defineEndpoint({
  title: 'Create API key',
  method: 'POST',
  path: '/organizations/{org}/keys',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: {
    kind: 'json',
    schema: Type.Object({ owner: userName, role, ...keyDetails }, { additionalProperties: false }),
  },
  repetition: { effect: 'appends', remedy: 'Look whether it is there before you repeat the request.' },
  success: [{ status: 201, description: 'The key was created.', schema: createdKey }],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    adminErrors.organizationNotFound,
    adminErrors.otherRole,
    adminErrors.userElsewhere,
  ],
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
  repetition: { effect: 'idempotent' },
  success: [{ status: 200, description: 'The key is revoked.', schema: Type.String() }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.keyNotFound],
  authentication: ['bearer'],
  choices: [],
});

const memberPath = Type.Object({ org: orgName, user: userName });

/** Make a user a member of an organization, or change the role of a member. */
export const saveMember = defineEndpoint({
  title: 'Create or update member',
  method: 'PUT',
  path: '/organizations/{org}/members/{user}',
  parameters: memberPath,
  query: noQuery,
  body: { kind: 'json', schema: Type.Object({ role }, { additionalProperties: false }) },
  repetition: { effect: 'idempotent' },
  success: [
    { status: 201, description: 'The user is a member now.', schema: Type.String() },
    { status: 200, description: 'The member has the role now.', schema: Type.String() },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.organizationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** End a membership. The user's keys open the organization no longer; with the last membership they are revoked. */
export const removeMember = defineEndpoint({
  title: 'Remove member',
  method: 'DELETE',
  path: '/organizations/{org}/members/{user}',
  parameters: memberPath,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'idempotent' },
  success: [{ status: 200, description: 'The user is no member any more.', schema: Type.String() }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.memberNotFound],
  authentication: ['bearer'],
  choices: [],
});
