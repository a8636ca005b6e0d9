import * as keys from '../../application/keys.ts';
import type { CreatedKey } from '../../application/keys.ts';
import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { maximumTimestamp } from '../../../contract/limits.ts';
import { orgName, userName } from '../../../contract/names.ts';
import { Type, type Static } from '../../../contract/schema.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { adminErrors } from './admin-errors.ts';
import { role } from './members.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

const keyId = Type.String({ pattern: '^[a-zA-Z0-9]{4,64}$', description: 'The public part of an API key.' });

/** Optional properties of a new API key. */
export const keyDetails = {
  description: Type.Optional(Type.String({ maxLength: 1000, description: 'What the key is for.' })),
  expires_at: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maximumTimestamp,
      description: 'Expiry time in Unix seconds. Without it the key never expires.',
    }),
  ),
} as const;

/** A new API key. This response is the only one that shows it. */
export const createdKey = Type.Object({
  id: Type.String(),
  key: Type.String({ description: 'Shown only once; the service keeps only a hash of it.' }),
  owner: Type.String(),
  role: Type.String({ description: "The owner's role in the organization that the key was created in." }),
  organizations: Type.Array(Type.String(), {
    description:
      'The organizations that accept the key: all organizations of the user, or the one of the service account.',
  }),
  description: Type.String(),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  expires_at: Type.Union([Type.Number(), Type.Null()], { description: 'Unix seconds.' }),
});

/**
 * Create a personal API key for a user of an organization. A user whose name is new to the service becomes a member; a
 * user of another organization must be added as a member first, so that two people with the same name are not confused.
 * Only this response shows the key.
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
  repetition: { effect: 'appends', volatile: [], remedy: 'Check whether it exists before you repeat the request.' },
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

/** Revoke an API key. */
export const revokeKey = defineEndpoint({
  title: 'Revoke API key',
  method: 'DELETE',
  path: '/organizations/{org}/keys/{key_id}',
  parameters: Type.Object({ org: orgName, key_id: keyId }),
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'idempotent' },
  success: [{ status: 200, description: 'The key was revoked.', schema: Type.String() }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.keyNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Creates and revokes API keys. */
export function addApiKeyRoutes(
  host: RouteHost,
  dependencies: RouteDependencies,
  authenticator: Authenticator<'administrator'>,
): void {
  addRoute(host, createKey, authenticator, async ({ parameters: { org }, document }) => {
    const { owner: user, role, description, expires_at: expiresAt } = document;
    const created = await keys.createUserKey(dependencies, { org, user, role, description, expiresAt });
    switch (created.outcome) {
      case 'created':
        return { status: 201, body: toCreatedKeyResponse(created) };
      case 'another role':
        throw new ApiError(adminErrors.otherRole, { values: { user, org, role: created.role } });
      case 'user of another organization':
        throw new ApiError(adminErrors.userElsewhere, { values: { user, org } });
      case 'organization not found':
        throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
    }
  });

  addRoute(host, revokeKey, authenticator, async ({ parameters: { org, key_id: id } }) => {
    const outcome = await keys.revokeKey(dependencies, { org, id });
    if (outcome === 'not found') throw new ApiError(adminErrors.keyNotFound, { values: { org, key_id: id } });
    return { status: 200, body: 'OK' };
  });
}

/** The response to creating a key: the only time that the key is shown. */
export function toCreatedKeyResponse({ key, stored, role, organizations }: CreatedKey): Static<typeof createdKey> {
  const { id, owner, description, createdAt, expiresAt = null } = stored;
  const shown = { id, key, owner, role, organizations: [...organizations], description };
  return { ...shown, created_at: createdAt, expires_at: expiresAt };
}
