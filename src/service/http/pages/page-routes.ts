import type { RouteHost } from '../route.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { addAdministrationPage } from './administration-routes.ts';
import { addAssets } from './assets.ts';
import { addEnvironmentPages } from './environment-routes.ts';
import { addFlowPages } from './flow-routes.ts';
import { addOrganizationPages } from './organization-routes.ts';
import { createPageHost } from './page-host.ts';
import { addPolicyPages } from './policy-routes.ts';
import { addSessionPages } from './session-pages.ts';
import { addTrailPages } from './trail-routes.ts';

/**
 * Adds the HTML pages. They need no scripts, and each is shown to those who may read the same data from the API.
 * Browsers sign in with a key and get a session. Other clients send the key with each request, as a bearer token or as
 * the user name of HTTP Basic.
 */
export function addPages({ app }: RouteHost, dependencies: RouteDependencies): void {
  const host = createPageHost(app, dependencies);
  addAssets(app);
  addSessionPages(host);
  addOrganizationPages(host);
  addFlowPages(host);
  addTrailPages(host);
  addEnvironmentPages(host);
  addPolicyPages(host);
  addAdministrationPage(host);
}
