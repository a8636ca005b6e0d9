import type { EnvironmentPayload, K8sReport } from '../../src/contract/environment.ts';
import type { TestService } from './service.ts';
import { call, type Called } from './service-call.ts';
import { fingerprintOf } from './service-samples.ts';

/** A pod of a report, with the fingerprints of its images by name. */
export function pod(
  podName: string,
  images: Readonly<Record<string, string>>,
  change: Partial<K8sReport['artifacts'][number]> = {},
): K8sReport['artifacts'][number] {
  const digests = Object.fromEntries(Object.entries(images).map(([name, digits]) => [name, fingerprintOf(digits)]));
  return { podName, namespace: 'shop', creationTimestamp: 1_700_000_000, digests, ...change };
}

/** A policy that requires provenance. */
export const provenancePolicy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
`;

/** The multipart request of a policy. */
export function policyForm(
  payload: unknown,
  file?: { readonly part?: string; readonly content: string | Uint8Array<ArrayBuffer> },
): FormData {
  const form = new FormData();
  form.set('payload', typeof payload === 'string' ? payload : JSON.stringify(payload));
  if (file !== undefined) form.set(file.part ?? 'policy_file.0', new Blob([file.content]), 'policy.yaml');
  return form;
}

/** Creates or updates an environment, by default of type K8S. */
export function saveEnvironment(
  service: TestService,
  name: string,
  change: Partial<EnvironmentPayload> = {},
  key = service.apiKey,
): Promise<Called> {
  const json = { name, type: 'K8S', description: '', ...change };
  return call(service, { method: 'PUT', path: `/environments/${service.org}`, json, key });
}

/** Reports what runs in an environment. */
export function reportPods(
  service: TestService,
  environment: string,
  ...pods: K8sReport['artifacts']
): Promise<Called> {
  const path = `/environments/${service.org}/${environment}/report/K8S`;
  return call(service, { method: 'PUT', path, json: { artifacts: pods } });
}

/** Uploads a policy. */
export function savePolicy(
  service: TestService,
  name: string,
  content = provenancePolicy,
  payload = {},
): Promise<Called> {
  const form = policyForm(
    { name, description: 'What we hold to', comment: 'new', type: 'env', ...payload },
    { content },
  );
  return call(service, { method: 'PUT', path: `/policies/${service.org}`, form });
}

/** Attaches or detaches policies. */
export function changePolicies(
  service: TestService,
  method: 'POST' | 'DELETE',
  environment: string,
  policies: readonly string[],
  key = service.apiKey,
): Promise<Called> {
  const path = `/environments/${service.org}/${environment}/policies`;
  return call(service, { method, path, json: { policy_names: policies }, key });
}

export function snapshotsOf(service: TestService, environment: string, query = ''): Promise<Called> {
  return call(service, { path: `/snapshots/${service.org}/${environment}${query}` });
}

/** The verdicts of an environment's snapshots, the oldest first. */
export async function listVerdicts(
  service: TestService,
  environment: string,
): Promise<readonly (boolean | 'not judged' | 'contradictory')[]> {
  const { body } = await snapshotsOf(service, environment, '?reverse=true&per_page=100');
  return (body as { compliant: boolean; judged: boolean }[]).map(({ compliant, judged }) => {
    if (judged) return compliant;
    // Whatever was not judged is not compliant.
    return compliant ? 'contradictory' : 'not judged';
  });
}
