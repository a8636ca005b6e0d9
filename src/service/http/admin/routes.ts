import { unixSeconds } from '../../../runtime/clock.ts';
import { administrator } from '../authentication/authentication.ts';
import { ApiError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { Dependencies } from '../dependencies.ts';
import { createKey, createOrganization, removeMember, revokeKey, saveMember } from './endpoints.ts';
import { adminErrors } from './errors.ts';
import { issueKey } from './keys.ts';
import { addNotificationAdministration } from './notification-routes.ts';
import { addServiceAccountAdministration } from './service-account-routes.ts';

/** Opens the separate way in to whoever holds the administration key. */
export function addAdministrationRoutes(host: RouteHost, dependencies: Dependencies, adminKey: string): void {
  const { store, now, failures } = dependencies;
  const guard = administrator(adminKey, failures);

  addRoute(host, createOrganization, guard, async ({ document: { name } }) => {
    const outcome = await store.createOrganization(name, unixSeconds(now()));
    if (outcome === 'exists') throw new ApiError(adminErrors.organizationExists, { values: { org: name } });
    return { status: 201, body: { name } };
  });

  addRoute(host, createKey, guard, async ({ parameters: { org }, document: { owner: user, role, ...details } }) => {
    const member = await store.findMember(org, user);
    if (member !== undefined && member.role !== role) {
      throw new ApiError(adminErrors.otherRole, { values: { user, org, role: member.role } });
    }
    if (member === undefined) {
      const isKnown = (await store.listOrganizations(user)).length > 0;
      if (isKnown && (await store.hasOrganization(org))) {
        throw new ApiError(adminErrors.userElsewhere, { values: { user, org } });
      }
      await store.saveMember({ org, user, role, createdAt: unixSeconds(now()) });
    }
    const key = await issueKey(dependencies, { org, ownerKind: 'user', owner: user, role, ...details });
    if (key === undefined) throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
    return { status: 201, body: key };
  });

  addRoute(host, revokeKey, guard, async ({ parameters: { org, key_id: id } }) => {
    const outcome = await store.revokeKey(org, id, unixSeconds(now()));
    if (outcome === 'not found') throw new ApiError(adminErrors.keyNotFound, { values: { org, key_id: id } });
    return { status: 200, body: 'OK' };
  });

  addRoute(host, saveMember, guard, async ({ parameters: { org, user }, document: { role } }) => {
    const outcome = await store.saveMember({ org, user, role, createdAt: unixSeconds(now()) });
    if (outcome === 'organization not found') {
      throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
    }
    return { status: outcome === 'created' ? 201 : 200, body: 'OK' };
  });

  addRoute(host, removeMember, guard, async ({ parameters: { org, user } }) => {
    const outcome = await store.removeMember(org, user, unixSeconds(now()));
    if (outcome === 'not found') throw new ApiError(adminErrors.memberNotFound, { values: { org, user } });
    return { status: 200, body: 'OK' };
  });

  addServiceAccountAdministration(host, dependencies, guard);
  addNotificationAdministration(host, dependencies, guard);
}
