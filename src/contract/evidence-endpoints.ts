import { reportArtifact } from './artifact-report.ts';
import { attestationKinds } from './attestations/kinds.ts';
import type { Endpoint, EndpointOperation, JsonBody, MultipartBody } from './endpoint.ts';
import { beginTrail } from './trail.ts';

/** An endpoint that records evidence: a request that could not be delivered may also be sent later. */
export interface EvidenceEndpoint extends Endpoint {
  readonly operation: EndpointOperation;
  readonly body: JsonBody | MultipartBody;
}

export const evidenceEndpoints: readonly EvidenceEndpoint[] = [
  beginTrail,
  reportArtifact,
  ...attestationKinds.map(({ endpoint }) => endpoint),
];
