import { call, mappingOf, type Call, type Called } from './service-call.ts';
import type { TestService } from './service.ts';

/** Sends a request to the admin API. */
export function administer(service: TestService, sent: Call): Promise<Called> {
  return call(service, { at: service.adminUrl, key: service.adminKey, method: 'POST', ...sent });
}

/** Creates a service account of the test's organization. */
export function createServiceAccount(
  service: TestService,
  document: Readonly<Record<string, unknown>> = {},
  org = service.org,
): Promise<Called> {
  const json = { name: 'ci', privilege: 'member', ...document };
  return administer(service, { path: `/organizations/${org}/service-accounts`, json });
}

/** Creates a key of a service account of the test's organization, and returns it. */
export async function createServiceAccountKey(
  service: TestService,
  name = 'ci',
  document: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const path = `/organizations/${service.org}/service-accounts/${name}/keys`;
  return String(mappingOf(await administer(service, { path, json: document }))['key']);
}

/** Makes a user a member of an organization. */
export function saveMember(service: TestService, user: string, role: string, org = service.org): Promise<Called> {
  return administer(service, { method: 'PUT', path: `/organizations/${org}/members/${user}`, json: { role } });
}

/** Creates a personal key of a member, and returns it. */
export async function createKey(
  service: TestService,
  document: Readonly<Record<string, unknown>>,
  org = service.org,
): Promise<string> {
  const json = { owner: 'ann', role: 'member', ...document };
  const called = await administer(service, { path: `/organizations/${org}/keys`, json });
  return String(mappingOf(called)['key']);
}

/** Creates a notification, by default about `prod`, and the environments `prod` and `stage`. */
export async function createNotification(
  service: TestService,
  document: Readonly<Record<string, unknown>> = {},
  { org, apiKey }: Pick<TestService, 'org' | 'apiKey'> = service,
): Promise<Called> {
  for (const name of ['prod', 'stage']) {
    await call(service, { method: 'PUT', path: `/environments/${org}`, json: { name, type: 'K8S' }, key: apiKey });
  }
  const json = {
    name: 'To the team',
    environments: ['prod'],
    triggers: ['ON_NON_COMPLIANT_ENV'],
    targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/services/secret', payload_version: '1.0' }],
    ...document,
  };
  return administer(service, { path: `/organizations/${org}/notifications`, json });
}
