import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { violations } from '../../../../src/contract/check.ts';
import { createKey } from '../../../../src/service/http/admin/api-keys.ts';
import { call, mappingOf, type Call, type Called } from '../../../support/service-call.ts';
import { saveFlow } from '../../../support/service-samples.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

describe('the admin API', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  const administer = (sent: Call): Promise<Called> =>
    call(service, { at: service.adminUrl, key: service.adminKey, method: 'POST', ...sent });
  const newKey = (role = 'member'): Promise<Called> =>
    administer({ path: '/organizations/acme/keys', json: { owner: 'ann', role } });

  it('creates an organization once', async () => {
    const sent = { path: '/organizations', json: { name: 'new' } };
    expect(await administer(sent)).toMatchObject({ status: 201, body: { name: 'new' } });
    expect(await administer(sent)).toMatchObject({
      status: 409,
      body: { message: "Organization 'new' already exists" },
    });
  });

  it('creates a key, shows it once and keeps only a hash of it', async () => {
    const { status, body } = await newKey();
    expect(status).toBe(201);
    expect(violations(createKey.success[0].schema, body)).toEqual([]);
    const { key, id } = mappingOf({ body, status, headers: new Headers(), text: '' });
    expect(String(key)).toMatch(new RegExp(`^${String(id)}_[A-Za-z0-9_-]{43}$`));
    expect((await call(service, { method: 'PUT', path: '/flows/acme', key: String(key), json: {} })).status).toBe(400);
    const database = new DatabaseSync(join(service.dataFolder, 'compliance.sqlite'), { readOnly: true });
    const rows = JSON.stringify(database.prepare('SELECT * FROM api_keys').all());
    database.close();
    expect(rows).toContain(String(id));
    expect(rows).not.toContain(String(key).slice(String(id).length + 1));
  });

  it('revokes a key permanently', async () => {
    const { id, key } = mappingOf(await newKey());
    const revoke = { method: 'DELETE', path: `/organizations/acme/keys/${String(id)}` };
    expect(await administer(revoke)).toMatchObject({ status: 200, body: 'OK' });
    expect(await administer(revoke)).toMatchObject({ status: 200, body: 'OK' });
    expect((await call(service, { path: '/artifacts/acme/web/fingerprint/abcdef', key: String(key) })).status).toBe(
      401,
    );
  });

  it.each<[Call, number]>([
    [{ path: '/organizations', json: { name: 'a b' } }, 400],
    [{ path: '/organizations', json: { name: 'a', extra: 1 } }, 400],
    [{ path: '/organizations/acme/keys', json: { owner: 'ann', role: 'owner' } }, 400],
    [{ path: '/organizations/acme/keys', json: { owner: 'a b', role: 'admin' } }, 400],
    [{ path: '/organizations/nobody/keys', json: { owner: 'ann', role: 'admin' } }, 404],
    [{ path: '/organizations/acme/keys/unknown', method: 'DELETE' }, 404],
    [{ path: '/organizations/nobody/keys/first0key', method: 'DELETE' }, 404],
    [{ path: '/organizations/acme/keys/a-b', method: 'DELETE' }, 400],
  ])('rejects %j', async (sent, status) => {
    expect((await administer(sent)).status).toBe(status);
  });

  it('accepts no key of an organization and nothing that resembles its own key', async () => {
    const keys = [
      service.apiKey,
      '',
      `${service.adminKey}x`,
      service.adminKey.slice(1),
      service.adminKey.toUpperCase(),
    ];
    for (const key of keys) {
      expect((await administer({ path: '/organizations', json: { name: 'new' }, key })).status).toBe(401);
    }
    expect((await administer({ path: '/organizations', json: { name: 'new' }, key: null })).status).toBe(401);
  });

  it('is not served without an administration key', async () => {
    const closed = await startTestService({ options: { adminKey: undefined } });
    for (const path of ['/organizations', '/organizations/acme/keys']) {
      const sent = { at: closed.adminUrl, method: 'POST', path, json: {}, key: closed.adminKey };
      expect((await call(closed, sent)).status).toBe(404);
    }
    expect((await saveFlow(closed)).status).toBe(201);
    await closed.stop();
  });
});
