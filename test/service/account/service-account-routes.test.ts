import { beforeEach, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { administer, createKey, createServiceAccount, createServiceAccountKey } from '../../support/administration.ts';
import { shareTestService, startTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attestationForm, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

describe('service accounts', () => {
  let service: TestService;
  const openOrganization = shareTestService({ sources: { now: () => 1_767_323_045_250 } });
  beforeEach(async () => {
    service = await openOrganization();
  });

  const listed = {
    name: 'ci',
    display_name: 'The CI',
    privilege: 'admin',
    description: 'Builds',
    creating_user_id: 'admin',
    created_at: 1_767_323_045,
  };
  const created = { privilege: 'admin', display_name: 'The CI', description: 'Builds', for_webhook: true };
  const list = (key?: string): Promise<Called> =>
    call(service, { path: `/service-accounts/${service.org}`, ...keyed(key) });
  const get = (name: string): Promise<Called> => call(service, { path: `/service-accounts/${service.org}/${name}` });
  const remove = (name: string): Promise<Called> =>
    call(service, { method: 'DELETE', path: `/service-accounts/${service.org}/${name}` });
  const keyed = (key: string | undefined): { key?: string } => (key === undefined ? {} : { key });

  it('are listed by name, without for_webhook', async () => {
    expect(await list()).toMatchObject({ status: 200, body: [] });
    await createServiceAccount(service, created);
    await createServiceAccount(service, { name: 'a-first' });
    const { status, body } = await list();
    expect([status, body]).toEqual([
      200,
      [{ ...listed, name: 'a-first', display_name: 'a-first', privilege: 'member', description: '' }, listed],
    ]);
  });

  it('are returned individually, with for_webhook', async () => {
    await createServiceAccount(service, created);
    await createServiceAccount(service, { name: 'a-first' });
    expect((await get('ci')).body).toEqual({ ...listed, for_webhook: true });
    expect((await get('a-first')).body).toMatchObject({ for_webhook: false });
  });

  it('are reported as not found if they do not exist', async () => {
    const notFound = { status: 404, body: { message: 'Service account not found' } };
    expect(await get('ci')).toMatchObject(notFound);
    expect(await remove('ci')).toMatchObject(notFound);
    await createServiceAccount(service);
    expect(await get('CI')).toMatchObject(notFound);
  });

  it.each(['a_b', 'a%20b', 'x'.repeat(65), '%2e%2e%2fx', 'a.b'])('cannot be called %s', async (name) => {
    for (const called of [await get(name), await remove(name)]) {
      expect(called).toMatchObject({
        status: 400,
        body: { message: 'Input payload validation failed', errors: { 'path.name': expect.any(String) } },
      });
    }
  });

  it('are recorded as the authors', async () => {
    await createServiceAccount(service);
    const key = await createServiceAccountKey(service);
    await saveFlow(service);
    const path = `/attestations/${service.org}/web/trail/main/sonar`;
    await call(service, { method: 'POST', path, form: attestationForm(sampleAttestation('OK')), key });
    const { body } = await call(service, { path: `/attestations/${service.org}/web`, key });
    expect(body).toMatchObject({ data: [{ reported_by: 'service-account:ci' }] });
  });

  it('lose their keys when they are deleted, also for an account of the same name', async () => {
    await createServiceAccount(service);
    const key = await createServiceAccountKey(service);
    expect((await list(key)).status).toBe(200);
    await remove('ci');
    expect((await list(key)).status).toBe(401);
    await createServiceAccount(service);
    expect((await list(key)).status).toBe(401);
    expect((await list(await createServiceAccountKey(service))).status).toBe(200);
  });

  it('are deleted without the keys of their namesakes in other organizations, of users and of other accounts', async () => {
    await service.createOrganization('other');
    await createServiceAccount(service);
    await createServiceAccount(service, {}, 'other');
    await createServiceAccount(service, { name: 'cd' });
    const created = await administer(service, { path: '/service-accounts/other/ci/api-keys', json: {} });
    const keys = [await createServiceAccountKey(service, 'cd'), await createKey(service, { owner: 'ci' })];
    const theirs = async (): Promise<readonly number[]> => [
      (await call(service, { path: '/service-accounts/other', key: String(valueAt(created.body, 'key')) })).status,
      ...(await Promise.all(keys.map(async (key) => (await list(key)).status))),
    ];
    expect([await theirs(), (await remove('ci')).status, await theirs()]).toEqual([
      [200, 200, 200],
      200,
      [200, 200, 200],
    ]);
    expect((await list()).body).toMatchObject([{ name: 'cd' }]);
  });

  it('are deleted once with concurrent requests', async () => {
    await createServiceAccount(service);
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await remove('ci')).status));
    expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404]);
  });
});

describe('a key that expires', () => {
  it('gives no access after that, and the response says why', async () => {
    let now = 1_767_323_045_000;
    const service = await startTestService({ sources: { now: () => now } });
    await createServiceAccount(service);
    const key = await createServiceAccountKey(service, 'ci', { expires_at: 1_767_323_055 });
    const list = (): Promise<Called> => call(service, { path: `/service-accounts/${service.org}`, key });
    now += 9_999;
    const last = await list();
    expect([last.status, last.headers.get('api-key-expires-at')]).toEqual([200, '@1767323055']);
    now += 1;
    expect(await list()).toMatchObject({
      status: 401,
      body: {
        errors: {
          authorization:
            'is an API key that expired on 2026-01-02T03:04:15Z; use a new one: an admin of acme can create it, and if no ' +
            'admin has a valid key, the operator of the service can, with: npm run service -- create-key --org acme',
        },
      },
    });
    // The key of the test itself has a year to go.
    expect((await call(service, { path: `/flows/${service.org}` })).headers.get('api-key-expires-at')).toBeNull();
    now += 336 * 86_400_000;
    expect((await call(service, { path: `/flows/${service.org}` })).headers.get('api-key-expires-at')).toBe(
      '@1798859045',
    );
    await service.stop();
  });
});
