import { accessDenied, setDefaultOrg } from '../../contract/user.ts';
import { keyUser } from './authorization.ts';
import { Refusal } from './refusal.ts';
import { addRoute, type RouteHost } from './route.ts';
import type { Services } from './services.ts';

/** Operation 16: set the default organization of the calling user. */
export function addUserRoutes(host: RouteHost, services: Services): void {
  addRoute(host, setDefaultOrg, keyUser(services), async ({ caller: { user }, parameters: { org } }) => {
    const outcome = await services.store.setDefaultOrganization(org, user);
    if (outcome === 'not a member') throw new Refusal(accessDenied, { values: { org } });
    return { status: 200, body: { default_org_name: org } };
  });
}
