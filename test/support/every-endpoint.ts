import { reportArtifact } from '../../src/contract/artifact-report.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { attestSonar } from '../../src/contract/attestation.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { createFlow } from '../../src/contract/flow.ts';
import type { Call } from './service-call.ts';
import { attestationForm, fingerprintOf, sampleArtifact, sampleAttestation, sampleFlow } from './service-samples.ts';

/** A request of an endpoint that would succeed for an administrator of the organization. */
export interface Sample {
  readonly endpoint: Endpoint;
  /** Whether it only reads. */
  readonly reads: boolean;
  readonly request: (org: string) => Call;
}

/** Every endpoint of the service that a key of an organization opens, with a request that would succeed. */
export const everyEndpoint: readonly Sample[] = [
  {
    endpoint: createFlow,
    reads: false,
    request: (org) => ({ method: 'PUT', path: `/flows/${org}`, json: sampleFlow() }),
  },
  {
    endpoint: attestSonar,
    reads: false,
    request: (org) => ({
      method: 'POST',
      path: `/attestations/${org}/web/trail/main/sonar`,
      form: attestationForm(sampleAttestation('OK'), { content: 'a file' }),
    }),
  },
  {
    endpoint: reportArtifact,
    reads: false,
    request: (org) => ({ method: 'POST', path: `/artifacts/${org}/web`, json: sampleArtifact() }),
  },
  {
    endpoint: getArtifact,
    reads: true,
    request: (org) => ({ path: `/artifacts/${org}/web/fingerprint/${fingerprintOf('abcdef')}` }),
  },
];
