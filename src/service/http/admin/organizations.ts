import * as organizations from '../../application/organizations.ts';
import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName } from '../../../contract/names.ts';
import { Type } from '../../../contract/schema.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { adminErrors } from './admin-errors.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
/** Create an organization. */
export const createOrganization = defineEndpoint({
  title: 'Create organization',
  method: 'POST',
  path: '/organizations',
  parameters: Type.Object({}),
  query: noQuery,
  body: { kind: 'json', schema: Type.Object({ name: orgName }, { additionalProperties: false }) },
  repetition: { effect: 'appends', volatile: [], remedy: 'Check whether it exists before you repeat the request.' },
  success: [
    { status: 201, description: 'The organization was created.', schema: Type.Object({ name: Type.String() }) },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.organizationExists],
  authentication: ['bearer'],
  choices: [],
});

/** Creates organizations. */
export function addOrganizationRoutes(
  host: RouteHost,
  dependencies: RouteDependencies,
  authenticator: Authenticator<'administrator'>,
): void {
  addRoute(host, createOrganization, authenticator, async ({ document: { name: org } }) => {
    const outcome = await organizations.createOrganization(dependencies, { org });
    if (outcome === 'exists') throw new ApiError(adminErrors.organizationExists, { values: { org } });
    return { status: 201, body: { name: org } };
  });
}
