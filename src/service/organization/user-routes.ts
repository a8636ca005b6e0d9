import { accessDenied, getDefaultOrg, setDefaultOrg } from '../../contract/user.ts';
import * as members from './member-use-cases.ts';
import { requireApiKey } from '../platform/server/authentication/authentication.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds operation 16 (set the default organization of the calling user) and the endpoint that reads it. */
export function addUserRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, setDefaultOrg, requireApiKey(dependencies), ({ caller: key, parameters: { org }, carryOut }) =>
    carryOut(
      (result: members.SetDefaultOrganizationResult) => {
        if (result === 'denied') throw new ApiError(accessDenied, { values: { org } });
        return { status: 200, body: { default_org_name: org } };
      },
      (request) => members.setDefaultOrganization(dependencies, { key, org }, request),
    ),
  );

  addRoute(host, getDefaultOrg, requireApiKey(dependencies), async ({ caller: key }) => {
    const name = await members.findDefaultOrganization(dependencies, { key });
    return { status: 200, body: { default_org_name: name ?? '' } };
  });
}
