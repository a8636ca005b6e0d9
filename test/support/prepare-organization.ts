import { reportKinds } from '../../src/contract/environment-report.ts';
import { createNotification, createServiceAccount } from './administration.ts';
import { policyForm } from './environment-samples.ts';
import { everyEndpoint } from './every-endpoint.ts';
import type { TestService } from './service.ts';
import { type Call, call } from './service-call.ts';
import { attestationForm, sampleFlow } from './service-samples.ts';

/** Creates what the requests of `everyEndpoint` need and no operation can create. */
export async function prepareOrganization(
  service: TestService,
  org: string = service.org,
  apiKey: string = service.apiKey,
): Promise<void> {
  await createServiceAccount(service, {}, org);
  for (const { kind } of reportKinds) {
    const json = { name: `of-${kind}`, type: kind };
    await call(service, { method: 'PUT', path: `/environments/${org}`, json, key: apiKey });
  }
  const put = (path: string, sent: Pick<Call, 'json' | 'form'>): Promise<unknown> =>
    call(service, { method: 'PUT', path: `/${path}/${org}`, key: apiKey, ...sent });
  await put('environments', { json: { name: 'all', type: 'logical' } });
  // For what archives.
  await put('environments', { json: { name: 'old', type: 'K8S' } });
  await put('flows', { json: sampleFlow({ name: 'old' }) });
  const content = '_schema: https://compliance.example.com/schemas/policy/environment/v1\n';
  await put('policies', { form: policyForm({ name: 'old', type: 'env' }, { content }) });
  const form = attestationForm({ name: 'unused' });
  await call(service, { method: 'POST', path: `/custom-attestation-types/${org}`, form, key: apiKey });
  await createNotification(service, {}, { org, apiKey });
}

/**
 * Creates everything that the requests of `everyEndpoint` need. Can be called again to restore what a request has deleted.
 */
export async function prepareEverything(service: TestService, org: string, key: string): Promise<void> {
  await prepareOrganization(service, org, key);
  for (const { endpoint, request } of everyEndpoint) {
    if (['PUT', 'POST'].includes(endpoint.method)) await call(service, { ...request(org), key });
  }
}
