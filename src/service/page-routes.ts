import { addArtifactPage } from './artifact/artifact-page.ts';
import { addAttestationPage } from './attestation/attestation-page.ts';
import { addAuditLogPage } from './audit/audit-log-page.ts';
import { addEnvironmentPages } from './environment/environment-page.ts';
import { addFlowPages } from './flow/flow-page.ts';
import { addAdministrationPage } from './organization/administration-page.ts';
import { addOrganizationPages } from './organization/organization-page-routes.ts';
import { addAssets } from './platform/pages/assets.ts';
import { addNotFoundPage, createPageHost } from './platform/pages/page-host.ts';
import type { RouteHost } from './platform/server/route.ts';
import type { RouteDependencies } from './platform/server/route-dependencies.ts';
import { addPolicyPages } from './policy/policy-page.ts';
import { addSessionPages } from './session/session-page-routes.ts';
import { addSnapshotPages } from './snapshot/snapshot-page.ts';
import { addTrailPage } from './trail/trail-page.ts';

/**
 * Adds the HTML pages. They need no scripts, and each is shown to those who may read the same data from the API.
 * Browsers sign in with a key and get a session. Other clients send the key with each request, as a bearer token or as
 * the user name of HTTP Basic.
 */
export function addPages({ app, admission }: RouteHost, dependencies: RouteDependencies): void {
  const host = createPageHost({ app, admission }, dependencies);
  addAssets(app);
  addSessionPages(host);
  addOrganizationPages(host);
  addFlowPages(host);
  addTrailPage(host);
  addArtifactPage(host);
  addAttestationPage(host);
  addEnvironmentPages(host);
  addSnapshotPages(host);
  addPolicyPages(host);
  addAdministrationPage(host);
  addAuditLogPage(host);
  addNotFoundPage(host);
}
