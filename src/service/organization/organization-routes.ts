import { createdApiKey } from '../../contract/api-key.ts';
import { created, defineEndpoint, jsonDocument } from '../../contract/endpoint.ts';
import { commonErrors } from '../../contract/errors.ts';
import { orgName, userName } from '../../contract/names.ts';
import { Type } from '../../contract/schema.ts';
import { toCreatedResponse } from '../account/api-key-routes.ts';
import { findNameCollision } from '../platform/page-paths.ts';
import { requireAdminKey } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import * as organizations from './organization-use-cases.ts';

/** The response if there is an organization of that name. */
export const organizationExists = {
  status: 409,
  message: "Organization '{org}' already exists",
  when: 'There is an organization with that name.',
} as const;

/** Create an organization with its first admin. Only this response shows the admin's key. */
export const createOrganization = defineEndpoint('POST /organizations', {
  title: 'Create organization',
  body: jsonDocument({
    name: orgName,
    admin: Type.Optional(
      Type.String({
        ...userName,
        description:
          'The first admin, who may be a member of other organizations. Default: a new user, `admin` if possible.',
      }),
    ),
  }),
  repetition: { effect: 'appends', volatile: [], remedy: 'Check whether it exists before you repeat the request.' },
  success: [
    created(
      'The organization was created.',
      Type.Object({ name: Type.String(), admin: Type.String(), api_key: createdApiKey }),
    ),
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, organizationExists],
});

/**
 * Adds the admin API, which creates organizations. It requires the administration key that the service was started with.
 * Everything else is up to the admins of an organization.
 */
export function addOrganizationRoutes(host: RouteHost, dependencies: RouteDependencies, adminKey: string): void {
  const authenticator = requireAdminKey(adminKey, dependencies.failures);
  addRoute(host, createOrganization, authenticator, async ({ document: { name: org, admin: user } }) => {
    const collision = findNameCollision(org);
    if (collision !== undefined) throw validationError(['name', collision]);
    const created = await organizations.createOrganization(dependencies, { org, user });
    if (created.outcome === 'exists') throw new ApiError(organizationExists, { values: { org } });
    return { status: 201, body: { name: org, admin: created.user, api_key: toCreatedResponse(created, false) } };
  });
}
