import { lastAdmin, listMembers, memberNotFound, removeMember, saveMember } from '../../contract/member.ts';
import { accessDenied, getDefaultOrg, setDefaultOrg } from '../../contract/user.ts';
import { actorName } from '../account/access.ts';
import { requireApiKey, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import * as members from './member-use-cases.ts';

export function addMemberRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, listMembers, administer, async ({ parameters: { org } }) => {
    const listed = await dependencies.storage.read(({ accounts }) => accounts.listMembers(org));
    return { status: 200, body: listed.map(({ user, role, createdAt }) => ({ user, role, created_at: createdAt })) };
  });

  addRoute(host, saveMember, administer, ({ caller, parameters: { org, user }, document: { role }, carryOut }) =>
    carryOut(members.saveMember, dependencies, { org, user, role, by: actorName(caller) }, (outcome) => {
      if (outcome === 'last admin') throw new ApiError(lastAdmin, { values: { org } });
      return { status: outcome === 'created' ? 201 : 200, body: 'OK' };
    }),
  );

  addRoute(host, removeMember, administer, ({ caller, parameters: { org, user }, carryOut }) =>
    carryOut(members.removeMember, dependencies, { org, user, by: actorName(caller) }, (outcome) => {
      if (outcome === 'not found') throw new ApiError(memberNotFound, { values: { org, user } });
      if (outcome === 'last admin') throw new ApiError(lastAdmin, { values: { org } });
      return { status: 200, body: 'OK' };
    }),
  );
}

/** Adds operation 16 (set the default organization of the calling user) and the endpoint that reads it. */
export function addUserRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, setDefaultOrg, requireApiKey(dependencies), ({ caller: key, parameters: { org }, carryOut }) =>
    carryOut(members.setDefaultOrganization, dependencies, { key, org }, (result) => {
      if (result === 'denied') throw new ApiError(accessDenied, { values: { org } });
      return { status: 200, body: { default_org_name: org } };
    }),
  );

  addRoute(host, getDefaultOrg, requireApiKey(dependencies), async ({ caller: key }) => {
    const name = await members.findDefaultOrganization(dependencies, { key });
    return { status: 200, body: { default_org_name: name ?? '' } };
  });
}
