import { parseApiKey } from '../../src/service/account/api-key.ts';
import type { TestService } from './service.ts';
import { type Call, call, type Called, mappingOf } from './service-call.ts';

/** Sends a request as an admin of the organization that is the second segment of the path. */
export function administer(service: TestService, sent: Call): Promise<Called> {
  const [, , org = ''] = sent.path.split('/');
  return call(service, { key: service.keyOf(org), method: 'POST', ...sent });
}

/** Creates a service account of the test's organization. */
export function createServiceAccount(
  service: TestService,
  document: Readonly<Record<string, unknown>> = {},
  org = service.org,
): Promise<Called> {
  const json = { name: 'ci', privilege: 'member', ...document };
  return administer(service, { path: `/service-accounts/${org}`, json });
}

/** Creates a key of a service account of the test's organization, and returns it. */
export async function createServiceAccountKey(
  service: TestService,
  name = 'ci',
  document: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const path = `/service-accounts/${service.org}/${name}/api-keys`;
  return String(mappingOf(await administer(service, { path, json: document }))['key']);
}

/** Makes a user a member of an organization. */
export function saveMember(service: TestService, user: string, role: string, org = service.org): Promise<Called> {
  return administer(service, { method: 'PUT', path: `/organizations/${org}/members/${user}`, json: { role } });
}

export function removeMember(service: TestService, user: string, org = service.org): Promise<Called> {
  return administer(service, { method: 'DELETE', path: `/organizations/${org}/members/${user}` });
}

/** Creates a personal key, which opens one organization, and returns it. The owner becomes a member. */
export async function createKey(
  service: TestService,
  { owner = 'ann', role = 'member' }: { readonly owner?: string; readonly role?: string },
  org = service.org,
): Promise<string> {
  await saveMember(service, owner, role, org);
  const path = `/organizations/${org}/members/${owner}/api-keys`;
  return String(mappingOf(await administer(service, { path, json: {} }))['key']);
}

/** The id of a key, its public part. Other texts are returned as they are. */
export function keyIdOf(key: string): string {
  return parseApiKey(key)?.id ?? key;
}

/** Creates a personal key that opens all organizations of the owner, as the first admin of an organization has one. */
export async function createUnlimitedKey(...wanted: Parameters<typeof createKey>): Promise<string> {
  const [service] = wanted;
  const key = await createKey(...wanted);
  // Nothing has cached the key, because it was not used.
  await service.storage.query('UPDATE api_keys SET is_limited_to_org = 0 WHERE id = $1', [keyIdOf(key)]);
  return key;
}

/** Revokes a personal key of a member. */
export function revokeKey(service: TestService, owner: string, key: string, org = service.org): Promise<Called> {
  const path = `/organizations/${org}/members/${owner}/api-keys/${keyIdOf(key)}`;
  return administer(service, { method: 'DELETE', path });
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
  return administer(service, { path: `/organizations/${org}/environments_notifications`, json });
}
