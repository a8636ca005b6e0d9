import type { FastifyInstance } from 'fastify';
import { addApiKeyRoutes } from './account/api-key-routes.ts';
import { addServiceAccountRoutes } from './account/service-account-routes.ts';
import { addArtifactAssertionRoutes } from './artifact/artifact-assertion-routes.ts';
import { addArtifactListRoutes, addArtifactRoutes } from './artifact/artifact-routes.ts';
import { addAttestationListRoutes } from './attestation/attestation-list-routes.ts';
import { addAttestationLookupRoutes } from './attestation/attestation-lookup-routes.ts';
import { addAttachmentRemovalRoute, addAttestationRoutes, addOverrideRoute } from './attestation/attestation-routes.ts';
import { addStatementRoute } from './attestation/statement-routes.ts';
import { addAuditLogRoute } from './audit/audit-log-routes.ts';
import { addAuditPackageRoutes } from './audit-package/audit-package-routes.ts';
import { addCustomTypeRoutes } from './custom-type/custom-type-routes.ts';
import { addAllowListRoutes } from './environment/allow-list-routes.ts';
import {
  addEnvironmentReadingRoutes,
  addEnvironmentReportRoutes,
  addEnvironmentRoutes,
} from './environment/environment-routes.ts';
import { addFlowRoutes } from './flow/flow-routes.ts';
import { addGithubGateRoutes } from './github/gate-routes.ts';
import { addGithubWebhookRoute } from './github/webhook-routes.ts';
import { addLogRoutes } from './log/log-routes.ts';
import { addLoginRoutes } from './login/login-routes.ts';
import { addArchiveRoutes } from './naming/archive-routes.ts';
import { addRenameRoutes } from './naming/rename-routes.ts';
import { addNotificationRoutes } from './notification/notification-routes.ts';
import { addMemberRoutes, addUserRoutes } from './organization/member-routes.ts';
import { addOrganizationRoutes } from './organization/organization-routes.ts';
import { addPages } from './page-routes.ts';
import type { Admission } from './platform/server/bodies/admission.ts';
import { keysAcceptedHeaders } from './platform/server/json-response.ts';
import { KeyedRequests } from './platform/server/keyed-requests.ts';
import { addOpenApiRoute } from './platform/server/openapi/openapi-route.ts';
import type { RouteDependencies } from './platform/server/route-dependencies.ts';
import { addPolicyListRoute, addPolicyRoutes } from './policy/policy-routes.ts';
import { addSnapshotRoutes } from './snapshot/snapshot-routes.ts';
import { addTagRoute } from './tag/tag-routes.ts';
import { addTrailRoutes } from './trail/trail-routes.ts';

/** The prefix of the interface (interface, Versioning). */
export const apiPrefix = '/api/v2';
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
  addStatementRoute(api, dependencies);
  addEnvironmentRoutes(api, dependencies);
  addEnvironmentReportRoutes(api, dependencies);
  addEnvironmentReadingRoutes(api, dependencies);
  addAllowListRoutes(api, dependencies);
  addTagRoute(api, dependencies);
  addArchiveRoutes(api, dependencies);
  addCustomTypeRoutes(api, dependencies);
  addOverrideRoute(api, dependencies);
  addAttachmentRemovalRoute(api, dependencies);
  addRenameRoutes(api, dependencies);
  addPolicyRoutes(api, dependencies);
  addPolicyListRoute(api, dependencies);
  addSnapshotRoutes(api, dependencies);
  addNotificationRoutes(api, dependencies);
  addServiceAccountRoutes(api, dependencies);
  addApiKeyRoutes(api, dependencies);
  addLoginRoutes(api, dependencies);
  addGithubGateRoutes(api, dependencies);
  addAuditLogRoute(api, dependencies);
  addAuditPackageRoutes(api, dependencies);
  addMemberRoutes(api, dependencies);
  addUserRoutes(api, dependencies);
  if (adminKey !== undefined)
    addOrganizationRoutes({ ...api, prefix: adminPrefix, keyedRequests: undefined }, dependencies, adminKey);
  addGithubWebhookRoute(api, dependencies);
  addLogRoutes(api, dependencies);
  addPages(api, dependencies);
  addOpenApiRoute(app, `${apiPrefix}/openapi.json`, links);
}

/** Adds the header to errors, too, so that a client learns from any response that it can repeat its request. */
function announceKeys(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.url.startsWith(`${apiPrefix}/`)) reply.headers(keysAcceptedHeaders);
    done();
  });
}
