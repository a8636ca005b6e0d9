import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '../../../src/contract/role.ts';
import {
  createKey,
  createServiceAccount,
  createServiceAccountKey,
  createUnlimitedKey,
  removeMember,
  saveMember,
} from '../../support/administration.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { sampleFlow } from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';

async function defaultsOf({ storage }: TestService): Promise<readonly string[]> {
  const rows = await storage.query('SELECT "user", org FROM members WHERE is_default = 1 ORDER BY "user"');
  return rows.map(({ user, org }) => `${String(user)}: ${String(org)}`);
}

/** Makes the personal keys what the migration made of those that were issued before. */
async function limitKeys(storage: TestStorage): Promise<void> {
  await storage.query("UPDATE api_keys SET is_limited_to_org = 1 WHERE owner_kind = 'user'");
}

describe('the default organization of a user', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
    await service.createOrganization('other');
  });
  afterEach(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  const set = (org: string, key: string): Promise<Called> =>
    call(service, { method: 'PUT', path: `/user/${org}`, key });
  const defaults = (): Promise<readonly string[]> => defaultsOf(service);
  const denied = (org: string): unknown => ({ status: 403, body: { message: `Access denied to /api/v2/user/${org}` } });

  it.each(roles)('is set by a member of the role %s, who may be a member of several', async (role) => {
    const key = await createUnlimitedKey(service, { role });
    await saveMember(service, 'ann', 'reader', 'other');
    expect(await set('acme', key)).toMatchObject({ status: 200, body: { default_org_name: 'acme' } });
    expect(await set('other', key)).toMatchObject({ status: 200, body: { default_org_name: 'other' } });
    expect(await set('other', key)).toMatchObject({ status: 200, body: { default_org_name: 'other' } });
    expect(await defaults()).toEqual(['ann: other']);
  });

  it('is set per user', async () => {
    await set('acme', await createUnlimitedKey(service, {}));
    await set('acme', await createUnlimitedKey(service, { owner: 'bob' }));
    await saveMember(service, 'ann', 'reader');
    expect(await defaults()).toEqual(['ann: acme', 'bob: acme']);
  });

  it('cannot be an organization that the user is not a member of, whether it exists or not', async () => {
    const key = await createUnlimitedKey(service, {});
    expect(await set('other', key)).toMatchObject(denied('other') as object);
    expect(await set('nobody', key)).toMatchObject(denied('nobody') as object);
    await saveMember(service, 'ann', 'reader', 'other');
    await removeMember(service, 'ann', 'other');
    expect(await set('other', key)).toMatchObject(denied('other') as object);
    expect(await defaults()).toEqual([]);
  });

  it('cannot be set for a service account', async () => {
    await createServiceAccount(service, { privilege: 'admin' });
    await saveMember(service, 'ci', 'admin');
    expect(await set('acme', await createServiceAccountKey(service))).toMatchObject(denied('acme') as object);
    expect(await defaults()).toEqual([]);
  });

  it.each(['a%20b', '%2e%2e%2facme', '-'])('is not called %s', async (org) => {
    expect((await set(org, service.apiKey)).status).toBe(400);
  });

  it('is set with an empty body and with JSON null, as the public client sends it', async () => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'PUT', path: '/user/acme', headers };
    expect((await call(service, { ...sent, body: 'null' })).status).toBe(200);
    expect((await call(service, { ...sent, body: '' })).status).toBe(200);
  });
});

describe('the default organization', () => {
  it('can be read with the keys that can set it', async () => {
    const service = await startTestService();
    await service.createOrganization('other');
    const get = async (key: string): Promise<unknown> => (await call(service, { path: '/user/default-org', key })).body;
    const key = await createUnlimitedKey(service, {});
    await saveMember(service, 'ann', 'reader', 'other');
    expect(await get(key)).toEqual({ default_org_name: '' });
    await call(service, { method: 'PUT', path: '/user/other', key });
    expect(await get(key)).toEqual({ default_org_name: 'other' });
    expect(await get(await createKey(service, {}))).toEqual({ default_org_name: 'acme' });
    await createServiceAccount(service);
    expect(await get(await createServiceAccountKey(service))).toEqual({ default_org_name: '' });
    expect((await call(service, { path: '/user/default-org', key: null })).status).toBe(401);
    await service.stop();
  });
});

describe('a membership', () => {
  it('gives a key the current role of the member, until it ends', async () => {
    const service = await startTestService();
    const key = await createUnlimitedKey(service, { role: 'reader' });
    const putFlow = async (): Promise<number> =>
      (await call(service, { method: 'PUT', path: '/flows/acme', json: {}, key })).status;
    expect(await putFlow()).toBe(403);
    expect(await saveMember(service, 'ann', 'member')).toMatchObject({ status: 200, body: 'OK' });
    expect(await putFlow()).toBe(400);
    await removeMember(service, 'ann');
    expect(await putFlow()).toBe(401);
    await saveMember(service, 'ann', 'admin');
    expect(await putFlow()).toBe(401);
    await service.stop();
  });

  describe('in another organization', () => {
    let service: TestService;
    beforeEach(async () => {
      service = await startTestService();
      await service.createOrganization('other');
    });
    afterEach(async () => {
      expect(service.errors).toEqual([]);
      await service.stop();
    });

    const saveFlow = async (org: string, key: string): Promise<number> =>
      (await call(service, { method: 'PUT', path: `/flows/${org}`, json: sampleFlow(), key })).status;

    it('gives all keys of the user access, with the role that the user has there', async () => {
      const key = await createUnlimitedKey(service, { role: 'reader' });
      expect(await saveFlow('other', key)).toBe(403);
      await saveMember(service, 'ann', 'admin', 'other');
      expect(await saveFlow('other', key)).toBe(201);
      expect(await saveFlow('acme', key)).toBe(403);
      const second = await createUnlimitedKey(service, { role: 'admin' }, 'other');
      expect(await saveFlow('other', second)).toBe(200);
      expect(await saveFlow('acme', second)).toBe(403);
      await saveMember(service, 'ann', 'reader', 'other');
      expect([await saveFlow('other', key), await saveFlow('other', second)]).toEqual([403, 403]);
    });

    it('ends for all of them, which keep access to the other organizations', async () => {
      const key = await createUnlimitedKey(service, {});
      const limited = await createKey(service, {});
      const ofAnother = await createKey(service, { owner: 'bob' });
      await saveMember(service, 'ann', 'admin', 'other');
      await removeMember(service, 'ann');
      expect([await saveFlow('acme', key), await saveFlow('other', key)]).toEqual([403, 201]);
      expect([await saveFlow('acme', limited), await saveFlow('acme', ofAnother)]).toEqual([401, 201]);
      await removeMember(service, 'ann', 'other');
      expect([await saveFlow('acme', key), await saveFlow('other', key)]).toEqual([401, 401]);
      // Whoever gets the name next starts without keys.
      await saveMember(service, 'ann', 'admin');
      expect(await saveFlow('acme', key)).toBe(401);
    });

    it('gives no access to a service account of the same name', async () => {
      await createServiceAccount(service, { name: 'ann', privilege: 'admin' });
      const key = await createServiceAccountKey(service, 'ann');
      await saveMember(service, 'ann', 'admin', 'other');
      await createServiceAccount(service, { name: 'ann', privilege: 'admin' }, 'other');
      expect([await saveFlow('acme', key), await saveFlow('other', key)]).toEqual([201, 403]);
    });
  });

  it('gives admins no access to the other organizations of a member', async () => {
    const service = await startTestService();
    const foreign = await service.createOrganization('other');
    await saveMember(service, 'ann', 'admin', 'other');
    const key = await createKey(service, { role: 'admin' });
    const read = async (org: string, ownKey: string): Promise<number> =>
      (await call(service, { path: `/service-accounts/${org}`, key: ownKey })).status;
    expect([await read('acme', key), await read('other', key)]).toEqual([200, 403]);
    // Nor with a key that it creates, even for the first admin of the other organization.
    await saveMember(service, 'admin-of-other', 'admin');
    expect(await read('acme', foreign)).toBe(200);
    for (const owner of ['ann', 'admin-of-other']) {
      const path = `/organizations/acme/members/${owner}/api-keys`;
      const created = String(mappingOf(await call(service, { method: 'POST', path, json: {}, key }))['key']);
      expect([await read('acme', created), await read('other', created)]).toEqual([200, 403]);
    }
    // An admin who has such a key may create another one.
    const path = '/organizations/acme/members/admin-of-other/api-keys';
    const own = String(mappingOf(await call(service, { method: 'POST', path, json: {}, key: foreign }))['key']);
    expect([await read('acme', own), await read('other', own)]).toEqual([200, 200]);
    await service.stop();
  });
});

describe('the keys of two people who had the same name before user names were global', () => {
  let storage: TestStorage;
  beforeEach(async () => {
    storage = await createTestStorage();
  });
  afterEach(() => storage.remove());

  it("give the same access as before, and do not set each other's default", async () => {
    const service = await startTestService({ storage });
    await service.createOrganization('other');
    const key = await createUnlimitedKey(service, { role: 'admin' });
    await saveMember(service, 'ann', 'admin', 'other');
    const theirs = await createUnlimitedKey(service, { role: 'admin' }, 'other');
    await call(service, { method: 'PUT', path: '/user/other', key: theirs });
    await service.stop();
    await limitKeys(storage);

    const again = await startTestService({ storage });
    const set = (org: string, ownKey: string): Promise<Called> =>
      call(again, { method: 'PUT', path: `/user/${org}`, key: ownKey });
    expect((await call(again, { path: '/service-accounts/acme', key })).status).toBe(200);
    expect((await call(again, { path: '/service-accounts/other', key })).status).toBe(403);
    expect((await call(again, { at: again.url, path: '/', key })).text).not.toContain('href="/other"');
    expect((await call(again, { path: '/service-accounts/acme', key: theirs })).status).toBe(403);
    expect(await set('acme', key)).toMatchObject({ status: 200, body: { default_org_name: 'acme' } });
    expect((await set('other', key)).status).toBe(403);
    expect(await defaultsOf(again)).toEqual(['ann: other']);
    await again.stop();
  });
});
