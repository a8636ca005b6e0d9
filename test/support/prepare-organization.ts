import { reportKinds } from '../../src/contract/environment-report.ts';
import { createNotification, createServiceAccount } from './administration.ts';
import { everyEndpoint } from './every-endpoint.ts';
import { call } from './service-call.ts';
import type { TestService } from './service.ts';

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
