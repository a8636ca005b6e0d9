import type { FastifyInstance } from 'fastify';
import { addOrganizationRoutes } from './admin/organizations.ts';
import { addApiKeyRoutes } from './api/api-keys.ts';
import { addArtifactAssertionRoutes } from './api/artifact-assertions.ts';
import { addArtifactListRoutes } from './api/artifact-lists.ts';
import { addArtifactRoutes } from './api/artifacts.ts';
import { addAttestationListRoutes } from './api/attestation-list.ts';
import { addAttestationLookupRoutes } from './api/attestation-lookup.ts';
import { addAttestationRoutes } from './api/attestations.ts';
import { addAuditLogRoute } from './api/audit-log.ts';
import { addEnvironmentReadingRoutes } from './api/environment-reading.ts';
import { addEnvironmentReportRoutes } from './api/environment-reports.ts';
import { addEnvironmentRoutes } from './api/environments.ts';
import { addFlowRoutes } from './api/flows.ts';
import { addLoginKeyRoutes } from './api/login-keys.ts';
import { addLoginRoutes } from './api/login.ts';
import { addMemberRoutes } from './api/members.ts';
import { addNotificationAdministrationRoutes } from './api/notification-administration.ts';
import { addNotificationRoutes } from './api/notifications.ts';
import { addPolicyListRoute, addPolicyRoutes } from './api/policies.ts';
import { addServiceAccountAdministrationRoutes, addServiceAccountRoutes } from './api/service-accounts.ts';
import { addSnapshotDetailsRoute } from './api/snapshot-details.ts';
import { addSnapshotRoutes } from './api/snapshots.ts';
import { addTrailRoutes } from './api/trails.ts';
import { addUserRoutes } from './api/users.ts';
import type { Admission } from './bodies/admission.ts';
import { KeyedRequests } from './idempotency.ts';
import { keysAcceptedHeaders, sendJson } from './json-response.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { addPages } from './pages/page-routes.ts';
import type { RouteDependencies } from './route-dependencies.ts';

/** The prefix of the interface (interface, Versioning). */
export const apiPrefix = '/api/v2';
/** The prefix of the admin API. */
export const adminPrefix = '/admin/v1';

export interface RoutesOptions {
  readonly app: FastifyInstance;
  readonly admission: Admission;
  /** The key of the admin API, which is not served without one. */
  readonly adminKey: string | undefined;
}

/** Adds every endpoint of the interface and of the admin API, every page, and the OpenAPI document. */
export function addRoutes({ app, admission, adminKey }: RoutesOptions, dependencies: RouteDependencies): void {
  const { attachments, links } = dependencies;
  const api = {
    app,
    prefix: apiPrefix,
    receiveFile: attachments.receive.bind(attachments),
    admission,
    keyedRequests: new KeyedRequests(),
  };
  announceKeys(app);
  addFlowRoutes(api, dependencies);
  addTrailRoutes(api, dependencies);
  addAttestationRoutes(api, dependencies);
  addArtifactRoutes(api, dependencies);
  addArtifactListRoutes(api, dependencies);
  addArtifactAssertionRoutes(api, dependencies);
  addAttestationListRoutes(api, dependencies);
  addAttestationLookupRoutes(api, dependencies);
  addEnvironmentRoutes(api, dependencies);
  addEnvironmentReportRoutes(api, dependencies);
  addEnvironmentReadingRoutes(api, dependencies);
  addPolicyRoutes(api, dependencies);
  addPolicyListRoute(api, dependencies);
  addSnapshotRoutes(api, dependencies);
  addSnapshotDetailsRoute(api, dependencies);
  addNotificationRoutes(api, dependencies);
  addServiceAccountRoutes(api, dependencies);
  addServiceAccountAdministrationRoutes(api, dependencies);
  addApiKeyRoutes(api, dependencies);
  addLoginRoutes(api, dependencies);
  addLoginKeyRoutes(api, dependencies);
  addAuditLogRoute(api, dependencies);
  addMemberRoutes(api, dependencies);
  addNotificationAdministrationRoutes(api, dependencies);
  addUserRoutes(api, dependencies);
  if (adminKey !== undefined)
    addOrganizationRoutes({ ...api, prefix: adminPrefix, keyedRequests: undefined }, dependencies, adminKey);
  addPages(api, dependencies);
  app.get(`${apiPrefix}/openapi.json`, (_request, reply) => sendJson(reply, 200, createOpenApiDocument(links.base())));
}

/** Adds the header to errors, too, so that a client learns from any response that it can repeat its request. */
function announceKeys(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.url.startsWith(`${apiPrefix}/`)) reply.headers(keysAcceptedHeaders);
    done();
  });
}
