import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../../support/service.ts';
import { type Call, call, type Called, mappingOf } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';
import { createTestStorage } from '../../support/test-storage.ts';

describe('the admin API', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  const create = (json: unknown, sent: Partial<Call> = {}): Promise<Called> =>
    call(service, {
      at: service.adminUrl,
      key: service.adminKey,
      method: 'POST',
      path: '/organizations',
      json,
      ...sent,
    });

  it('creates an organization once, with its first admin and a key', async () => {
    const created = await create({ name: 'new', admin: 'ann' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        ...{ name: 'new', admin: 'ann' },
        api_key: {
          ...{ id: expect.any(String), key: expect.any(String), description: 'The first key of the organization' },
          ...{ created_at: expect.any(Number), expires_at: expect.any(Number) },
        },
      },
    ]);
    const { key } = mappingOf({ ...created, body: mappingOf(created)['api_key'] });
    const members = await call(service, { path: '/organizations/new/members', key: String(key) });
    expect(members.body).toMatchObject([{ user: 'ann', role: 'admin' }]);
    expect(await create({ name: 'new' })).toMatchObject({
      status: 409,
      body: { message: "Organization 'new' already exists" },
    });
    // The same user may administer another organization, with either key.
    await create({ name: 'second', admin: 'ann' });
    expect((await call(service, { path: '/organizations/second/members', key: String(key) })).status).toBe(200);
  });

  it('chooses a new user as the admin if none is named', async () => {
    expect((await create({ name: 'third' })).body).toMatchObject({ admin: 'admin-2' });
  });

  it.each([{ name: 'a b' }, { name: 'a', extra: 1 }, { name: 'a', admin: 'a b' }, {}])('rejects %j', async (json) => {
    expect((await create(json)).status).toBe(400);
  });

  it.each(['admin', 'api', 'log', 'ready'])('rejects %s, which an address of the service begins with', async (name) => {
    const rule = 'is reserved, because addresses of the service begin with it; choose another name';
    expect(await create({ name })).toMatchObject({ status: 400, body: { errors: { name: rule } } });
  });

  it('opens an organization with such a name that exists', async () => {
    const storage = await createTestStorage();
    await (await startTestService({ storage, options: { first: undefined } })).stop();
    await storage.query("INSERT INTO organizations (org, created_at) VALUES ('log', 1)");
    const existing = await startTestService({ storage, org: 'log' });
    expect((await saveFlow(existing)).status).toBe(201);
    await existing.stop();
    await storage.remove();
  });

  it('accepts no key of an organization and nothing that resembles its own key', async () => {
    const { adminKey, apiKey } = service;
    for (const key of [apiKey, '', `${adminKey}x`, adminKey.slice(1), adminKey.toUpperCase(), null]) {
      expect((await create({ name: 'other' }, { key })).status).toBe(401);
    }
  });

  it('does nothing else', async () => {
    for (const path of [
      '/organizations/acme/keys',
      '/organizations/acme/members/ann',
      '/organizations/acme/notifications',
    ]) {
      expect((await create({}, { path })).status).toBe(404);
    }
  });

  it('is not served without an administration key', async () => {
    const closed = await startTestService({ options: { adminKey: undefined } });
    const sent = { at: closed.adminUrl, method: 'POST', path: '/organizations', json: {}, key: closed.adminKey };
    expect((await call(closed, sent)).status).toBe(404);
    expect((await saveFlow(closed)).status).toBe(201);
    await closed.stop();
  });
});
