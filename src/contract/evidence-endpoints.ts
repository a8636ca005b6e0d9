import { reportArtifact } from './artifact-report.ts';
import { customKind } from './attestations/custom.ts';
import { genericKind } from './attestations/generic.ts';
import { jiraKind } from './attestations/jira.ts';
import { junitKind } from './attestations/junit.ts';
import { pullRequestKind } from './attestations/pull-request.ts';
import { snykKind } from './attestations/snyk.ts';
import { attestSonar } from './attestations/sonar.ts';
import { systemKind } from './attestations/system.ts';
import type { Endpoint, EndpointOperation, JsonBody, MultipartBody } from './endpoint.ts';
import { beginTrail } from './trail.ts';

/** An endpoint that records evidence: a request that could not be delivered may also be sent later. */
export interface EvidenceEndpoint extends Endpoint {
  readonly operation: EndpointOperation;
  readonly body: JsonBody | MultipartBody;
}

export const evidenceEndpoints: readonly EvidenceEndpoint[] = [
  attestSonar,
  beginTrail,
  reportArtifact,
  genericKind.endpoint,
  junitKind.endpoint,
  pullRequestKind.endpoint,
  snykKind.endpoint,
  systemKind.endpoint,
  jiraKind.endpoint,
  customKind.endpoint,
];
