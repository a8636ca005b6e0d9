import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { roles } from '../../../src/service/domain/access.ts';
import {
  administer,
  createKey,
  createServiceAccount,
  createServiceAccountKey,
  saveMember,
} from '../../support/administration.ts';
import { call, type Called } from '../../support/service-call.ts';
import { startTestService, type TestService } from '../../support/service.ts';

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
  const defaults = (): readonly unknown[] => {
    const database = new DatabaseSync(join(service.dataFolder, 'compliance.sqlite'), { readOnly: true });
    const rows = database.prepare('SELECT user, org FROM members WHERE is_default = 1 ORDER BY user').all();
    database.close();
    return rows.map(({ user, org }) => `${String(user)}: ${String(org)}`);
  };
  const denied = (org: string): unknown => ({ status: 403, body: { message: `Access denied to ${org}` } });

  it.each(roles)('is set by a member of the role %s, who may be a member of several', async (role) => {
    const key = await createKey(service, { role });
    await saveMember(service, 'ann', 'reader', 'other');
    expect(await set('acme', key)).toMatchObject({ status: 200, body: { default_org_name: 'acme' } });
    expect(await set('other', key)).toMatchObject({ status: 200, body: { default_org_name: 'other' } });
    expect(await set('other', key)).toMatchObject({ status: 200, body: { default_org_name: 'other' } });
    expect(defaults()).toEqual(['ann: other']);
  });

  it('is one for each user', async () => {
    await set('acme', await createKey(service, {}));
    await set('acme', await createKey(service, { owner: 'bob' }));
    expect(defaults()).toEqual(['ann: acme', 'bob: acme']);
  });

  it('is no organization that the user is not a member of, whether it exists or not', async () => {
    const key = await createKey(service, {});
    expect(await set('other', key)).toMatchObject(denied('other') as object);
    expect(await set('nobody', key)).toMatchObject(denied('nobody') as object);
    await saveMember(service, 'ann', 'reader', 'other');
    await administer(service, { method: 'DELETE', path: '/organizations/other/members/ann' });
    expect(await set('other', key)).toMatchObject(denied('other') as object);
    expect(defaults()).toEqual([]);
  });

  it('is nothing that a machine has', async () => {
    await createServiceAccount(service, { privilege: 'admin' });
    await saveMember(service, 'ci', 'admin');
    expect(await set('acme', await createServiceAccountKey(service))).toMatchObject(denied('acme') as object);
    expect(defaults()).toEqual([]);
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

describe('a membership', () => {
  it('gives a key the role that the member has now, and takes it away with its end', async () => {
    const service = await startTestService();
    const key = await createKey(service, { role: 'reader' });
    const putFlow = async (): Promise<number> =>
      (await call(service, { method: 'PUT', path: '/flows/acme', json: {}, key })).status;
    expect(await putFlow()).toBe(403);
    expect(await saveMember(service, 'ann', 'member')).toMatchObject({ status: 200, body: 'OK' });
    expect(await putFlow()).toBe(400);
    await administer(service, { method: 'DELETE', path: '/organizations/acme/members/ann' });
    expect(await putFlow()).toBe(401);
    await saveMember(service, 'ann', 'admin');
    expect(await putFlow()).toBe(401);
    await service.stop();
  });

  it('in another organization opens nothing there for a key of this one', async () => {
    const service = await startTestService();
    await service.createOrganization('other');
    const key = await createKey(service, {});
    await saveMember(service, 'ann', 'admin', 'other');
    expect((await call(service, { path: '/service-accounts/other', key })).status).toBe(403);
    const theirs = await createKey(service, { role: 'admin' }, 'other');
    expect((await call(service, { path: '/service-accounts/other', key: theirs })).status).toBe(200);
    expect((await call(service, { path: '/service-accounts/acme', key: theirs })).status).toBe(403);
    await service.stop();
  });
});
