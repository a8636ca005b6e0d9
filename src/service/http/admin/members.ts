import * as members from '../../application/members.ts';
import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName, userName } from '../../../contract/names.ts';
import { Type } from '../../../contract/schema.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { adminErrors } from './admin-errors.ts';
import { roles } from '../../../contract/role.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** The role of a user or a service account. */
export const role = Type.Union(roles.map((name) => Type.Literal(name)));

const memberPath = Type.Object({ org: orgName, user: userName });

/** Add a user to an organization, or change the role of a member. */
export const saveMember = defineEndpoint({
  title: 'Create or update member',
  method: 'PUT',
  path: '/organizations/{org}/members/{user}',
  parameters: memberPath,
  query: noQuery,
  body: { kind: 'json', schema: Type.Object({ role }, { additionalProperties: false }) },
  repetition: { effect: 'idempotent' },
  success: [
    { status: 201, description: 'The user was added as a member.', schema: Type.String() },
    { status: 200, description: 'The role of the member was changed.', schema: Type.String() },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.organizationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Remove a member. The user's keys lose access to the organization; without any membership they are revoked. */
export const removeMember = defineEndpoint({
  title: 'Remove member',
  method: 'DELETE',
  path: '/organizations/{org}/members/{user}',
  parameters: memberPath,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'idempotent' },
  success: [{ status: 200, description: 'The user was removed.', schema: Type.String() }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.memberNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Adds users to organizations, changes their roles, and removes them. */
export function addMemberRoutes(
  host: RouteHost,
  dependencies: RouteDependencies,
  authenticator: Authenticator<'administrator'>,
): void {
  addRoute(host, saveMember, authenticator, async ({ parameters: { org, user }, document: { role } }) => {
    const outcome = await members.saveMember(dependencies, { org, user, role });
    if (outcome === 'organization not found') {
      throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
    }
    return { status: outcome === 'created' ? 201 : 200, body: 'OK' };
  });

  addRoute(host, removeMember, authenticator, async ({ parameters: { org, user } }) => {
    const outcome = await members.removeMember(dependencies, { org, user });
    if (outcome === 'not found') throw new ApiError(adminErrors.memberNotFound, { values: { org, user } });
    return { status: 200, body: 'OK' };
  });
}
