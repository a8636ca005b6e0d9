import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  administer,
  createKey,
  createServiceAccount,
  createServiceAccountKey,
  saveMember,
} from '../../../support/administration.ts';
import { call, mappingOf, type Call } from '../../../support/service-call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

describe('the administration', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService({ sources: { now: () => 1_767_323_045_250 } });
  });
  afterEach(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  const mayRecord = async (key: string): Promise<boolean> =>
    (await call(service, { method: 'PUT', path: '/flows/acme', json: {}, key })).status === 400;

  describe('of members', () => {
    it('creates and updates them', async () => {
      expect(await saveMember(service, 'ann', 'reader')).toMatchObject({ status: 201, body: 'OK' });
      expect(await saveMember(service, 'ann', 'admin')).toMatchObject({ status: 200, body: 'OK' });
    });

    it('removes them once', async () => {
      await saveMember(service, 'ann', 'reader');
      const remove = { method: 'DELETE', path: '/organizations/acme/members/ann' };
      expect(await administer(service, remove)).toMatchObject({ status: 200, body: 'OK' });
      expect(await administer(service, remove)).toMatchObject({
        status: 404,
        body: { message: "User 'ann' is not a member of organization 'acme'" },
      });
    });

    it('adds the owner of a new key as a member, and changes no role', async () => {
      expect(await mayRecord(await createKey(service, { role: 'reader' }))).toBe(false);
      const json = { owner: 'ann', role: 'admin' };
      expect(await administer(service, { path: '/organizations/acme/keys', json })).toMatchObject({
        status: 409,
        body: {
          message: "User 'ann' is a member of 'acme' with the role reader; change the role of the member first",
        },
      });
      await saveMember(service, 'ann', 'admin');
      expect(await mayRecord(await createKey(service, { role: 'admin' }))).toBe(true);
    });
  });

  describe('of keys', () => {
    it('shows what a key is for and when it expires', async () => {
      const details = { description: 'The laptop', expires_at: 1_767_400_000.5 };
      const json = { owner: 'ann', role: 'member', ...details };
      expect((await administer(service, { path: '/organizations/acme/keys', json })).body).toMatchObject({
        ...{ owner: 'ann', role: 'member', created_at: 1_767_323_045.25 },
        ...details,
      });
      const plain = { owner: 'bob', role: 'member' };
      expect((await administer(service, { path: '/organizations/acme/keys', json: plain })).body).toMatchObject({
        description: '',
        expires_at: null,
      });
    });

    it('creates keys of service accounts, which have the privilege of the account', async () => {
      await createServiceAccount(service, { privilege: 'reader' });
      const path = '/organizations/acme/service-accounts/ci/keys';
      const called = await administer(service, { path, json: { description: 'For the build' } });
      expect([called.status, called.body]).toMatchObject([
        201,
        { owner: 'ci', role: 'reader', description: 'For the build' },
      ]);
      expect(await mayRecord(String(mappingOf(called)['key']))).toBe(false);
    });

    it('revokes the keys of service accounts one by one', async () => {
      await createServiceAccount(service);
      const [first, second] = [await createServiceAccountKey(service), await createServiceAccountKey(service)];
      const path = `/organizations/acme/keys/${first.split('_')[0] ?? ''}`;
      expect((await administer(service, { method: 'DELETE', path })).status).toBe(200);
      expect([await mayRecord(first), await mayRecord(second)]).toEqual([false, true]);
    });
  });

  it('creates a service account once', async () => {
    expect(await createServiceAccount(service, { display_name: 'The CI' })).toMatchObject({
      status: 201,
      body: {
        name: 'ci',
        display_name: 'The CI',
        privilege: 'member',
        description: '',
        creating_user_id: 'administrator',
        created_at: 1_767_323_045,
        for_webhook: false,
      },
    });
    expect(await createServiceAccount(service)).toMatchObject({
      status: 409,
      body: { message: "Service account 'ci' already exists in organization 'acme'" },
    });
  });

  it.each<[Call, number, string]>([
    [{ method: 'PUT', path: '/organizations/acme/members/ann', json: { role: 'owner' } }, 400, 'validation'],
    [{ method: 'PUT', path: '/organizations/acme/members/a%20b', json: { role: 'admin' } }, 400, 'validation'],
    [{ method: 'PUT', path: '/organizations/nobody/members/ann', json: { role: 'admin' } }, 404, 'does not exist'],
    [{ path: '/organizations/acme/keys', json: { owner: 'ann', role: 'admin', expires_at: 1e15 } }, 400, 'validation'],
    [{ path: '/organizations/acme/keys', json: { owner: 'ann', role: 'admin', expires_at: 'x' } }, 400, 'validation'],
    [{ path: '/organizations/acme/service-accounts', json: { name: 'a_b', privilege: 'admin' } }, 400, 'validation'],
    [{ path: '/organizations/acme/service-accounts', json: { name: '', privilege: 'admin' } }, 400, 'validation'],
    [{ path: '/organizations/acme/service-accounts', json: { name: 'ci' } }, 400, 'validation'],
    [{ path: '/organizations/acme/service-accounts', json: { name: 'ci', privilege: 'root' } }, 400, 'validation'],
    [{ path: '/organizations/nobody/service-accounts', json: { name: 'ci', privilege: 'admin' } }, 404, 'exist'],
    [{ path: '/organizations/acme/service-accounts/ci/keys', json: {} }, 404, 'Service account not found'],
  ])('rejects %j with %d', async (sent, status, words) => {
    const { status: answered, text } = await administer(service, sent);
    expect([answered, text]).toEqual([status, expect.stringContaining(words)]);
  });
});
