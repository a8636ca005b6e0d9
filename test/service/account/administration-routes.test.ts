import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt } from '../../../src/runtime/untrusted-data.ts';
import {
  administer,
  createKey,
  createServiceAccount,
  createServiceAccountKey,
  keyIdOf,
  removeMember,
  revokeKey,
  saveMember,
} from '../../support/administration.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';

let service: TestService;
let now: number;
let fire: () => void;
beforeEach(async () => {
  now = 1_767_323_045_250;
  fire = () => undefined;
  const after = (delay: number, run: () => void): (() => void) => {
    // The timer of the last uses; no other waits for half a minute.
    if (delay === 30_000) fire = run;
    return () => undefined;
  };
  service = await startTestService({ sources: { now: () => now, after } });
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
});

const statusWith = async (key: string): Promise<number> =>
  (await call(service, { path: '/service-accounts/acme', key })).status;
const keysPath = '/service-accounts/acme/ci/api-keys';
const lockedOut = {
  status: 409,
  body: { message: expect.stringMatching(/^Organization 'acme' would be left without an admin who has a valid key;/u) },
};

describe('a service account', () => {
  it('is created once, by an admin, and changed field by field', async () => {
    expect(await createServiceAccount(service, { description: 'x' })).toMatchObject({
      status: 201,
      body: { name: 'ci', display_name: 'ci', privilege: 'member', creating_user_id: 'admin', for_webhook: false },
    });
    expect(await createServiceAccount(service)).toMatchObject({
      status: 409,
      body: { message: "Service account 'ci' already exists in organization 'acme'" },
    });
    const key = await createServiceAccountKey(service);
    const change = (json: unknown, name = 'ci'): Promise<Called> =>
      administer(service, { method: 'PATCH', path: `/service-accounts/acme/${name}`, json });
    expect(await change({ privilege: 'reader' })).toMatchObject({
      status: 200,
      body: { privilege: 'reader', description: 'x' },
    });
    expect(await statusWith(key)).toBe(403);
    expect((await change({ description: 'y' })).body).toMatchObject({ privilege: 'reader', description: 'y' });
    expect((await change({ description: 'y' }, 'none')).status).toBe(404);
    expect((await change({})).status).toBe(400);
    expect((await change({ name: 'other' })).status).toBe(400);
  });
});

describe('the keys of a service account', () => {
  beforeEach(async () => {
    await createServiceAccount(service);
  });
  const create = (json: unknown): Promise<Called> => administer(service, { path: keysPath, json });
  const get = async (id: unknown): Promise<unknown> =>
    (await call(service, { path: `${keysPath}/${String(id)}` })).body;

  it('are shown once, and stored as a hash', async () => {
    const created = await create({ description: 'For the build', expires_at: 1_767_400_000 });
    const { id, key } = mappingOf(created);
    const shown = { id, description: 'For the build', created_at: 1_767_323_045.25, expires_at: 1_767_400_000 };
    expect([created.status, created.body]).toEqual([201, { ...shown, key }]);
    expect(await get(id)).toEqual({ ...shown, last_used_at: 0 });
    const inOneYear = 1_767_323_045 + 365 * 86_400;
    expect((await create({ expires_at: 0 })).body).toMatchObject({ description: '', expires_at: inOneYear });
    // Both were created at the same time, so the ids decide the order.
    const { body } = await call(service, { path: keysPath });
    expect(body).toHaveLength(2);
    expect(body).toEqual(
      expect.arrayContaining([{ id }, { expires_at: inOneYear }].map((own) => expect.objectContaining(own))),
    );
    expect(await create({ expires_at: 1_767_323_045 })).toMatchObject({
      status: 400,
      body: { errors: { expires_at: 'must be in the future, or 0 for a key that lives 365 days' } },
    });
    const rows = JSON.stringify(await service.storage.query('SELECT * FROM api_keys'));
    expect(rows).toContain(String(id));
    expect(rows).not.toContain(String(key).slice(String(id).length + 1));
  });

  it('live 366 days at most', async () => {
    const latest = 1_767_323_045 + 366 * 86_400;
    expect((await create({ expires_at: latest })).body).toMatchObject({ expires_at: latest });
    expect(await create({ expires_at: latest + 1 })).toMatchObject({
      status: 400,
      body: {
        errors: { expires_at: `must be at most ${latest} (2027-01-03T03:04:05Z): a key lives 366 days at most` },
      },
    });
  });

  it('are created once for an idempotency key, whose remembered answer has no key', async () => {
    const headers = { 'idempotency-key': 'one' };
    const [first, again] = [
      await administer(service, { path: keysPath, json: {}, headers }),
      await administer(service, { path: keysPath, json: {}, headers }),
    ];
    expect(again.body).toEqual({ ...mappingOf(first), key: '' });
    expect(listAt(await call(service, { path: keysPath }), 'body')).toHaveLength(1);
  });

  it('are revoked at once, and not found afterwards', async () => {
    const key = await createServiceAccountKey(service);
    const revoke = { method: 'DELETE', path: `${keysPath}/${keyIdOf(key)}` };
    expect(await statusWith(key)).toBe(200);
    expect(await administer(service, revoke)).toMatchObject({ status: 200, body: 'revoked' });
    expect(await statusWith(key)).toBe(401);
    expect(await administer(service, revoke)).toMatchObject({ status: 404, body: { message: 'API key not found' } });
    expect((await call(service, { path: keysPath })).body).toEqual([]);
  });

  it('are rotated, and the previous one works until the grace period ends', async () => {
    const key = await createServiceAccountKey(service, 'ci', { description: 'x', expires_at: 1_767_323_045.25 + 3600 });
    const rotate = (of: string, json: unknown): Promise<Called> =>
      administer(service, { path: `${keysPath}/${keyIdOf(of)}/rotate`, json });
    now += 60_000;
    const rotated = await rotate(key, { grace_period_hours: 0.5 });
    expect([rotated.status, rotated.body]).toMatchObject([
      201,
      { description: 'x', expires_at: 1_767_323_105.25 + 3600, grace_period_expires_at: 1_767_323_105.25 + 1800 },
    ]);
    const second = String(mappingOf(rotated)['key']);
    expect([await statusWith(key), await statusWith(second)]).toEqual([200, 200]);
    now += 1_800_000;
    expect([await statusWith(key), await statusWith(second)]).toEqual([401, 200]);
    expect((await rotate(second, { grace_period_hours: 0, expires_at: 0 })).status).toBe(201);
    expect(await statusWith(second)).toBe(401);
    expect((await rotate('nothing', {})).status).toBe(404);
    // A key never lives longer than before.
    expect((await rotate(key, {})).body).toMatchObject({ grace_period_expires_at: 1_767_323_105.25 + 1800 });
  });

  it('give each successor their own lifetime, however often they are rotated', async () => {
    const key = await createServiceAccountKey(service);
    const rotate = async (json: unknown): Promise<Readonly<Record<string, unknown>>> =>
      mappingOf(await administer(service, { path: `${keysPath}/${keyIdOf(key)}/rotate`, json }));
    const first = await rotate({ grace_period_hours: 1 });
    const year = 365 * 86_400;
    expect(Number(first['expires_at']) - now / 1000).toBeCloseTo(year, -1);
    now += 600_000;
    for (const grace of [24, 0.5, 0]) {
      const next = await rotate({ grace_period_hours: grace });
      expect(Number(next['expires_at']) - now / 1000).toBeCloseTo(year, -1);
    }
    const expired = await rotate({});
    expect(Number(expired['expires_at']) - now / 1000).toBeCloseTo(year, -1);
    const short = await rotate({ expires_at: Math.ceil(now / 1000) + 60 });
    expect(short['expires_at']).toBe(Math.ceil(now / 1000) + 60);
    // A key that was created before keys had to expire has lived longer than any may.
    await service.storage.query('UPDATE api_keys SET created_at = 0');
    expect((await rotate({}))['expires_at']).toBe(Math.floor(now / 1000) + 366 * 86_400);
  });

  it('have the time of their last use, written in the background and not with every request', async () => {
    const key = await createServiceAccountKey(service);
    const lastUse = async (): Promise<unknown> => {
      fire();
      // Behind the write in the queue of the storage.
      await administer(service, { method: 'PATCH', path: '/service-accounts/acme/ci', json: { description: 'x' } });
      return mappingOf(await call(service, { path: `${keysPath}/${keyIdOf(key)}` }))['last_used_at'];
    };
    expect(await lastUse()).toBe(0);
    await statusWith(key);
    expect(await lastUse()).toBe(1_767_323_045.25);
    now += 299_000;
    await statusWith(key);
    expect(await lastUse()).toBe(1_767_323_045.25);
    now += 1_000;
    await statusWith(key);
    expect(await lastUse()).toBe(1_767_323_345.25);
  });
});

describe('the members', () => {
  it('are listed, added, changed and removed', async () => {
    expect(await saveMember(service, 'ann', 'reader')).toMatchObject({ status: 201, body: 'OK' });
    now += 1000;
    expect(await saveMember(service, 'ann', 'member')).toMatchObject({ status: 200, body: 'OK' });
    expect((await call(service, { path: '/organizations/acme/members' })).body).toEqual([
      { user: 'admin', role: 'admin', created_at: 1_767_323_045.25 },
      { user: 'ann', role: 'member', created_at: 1_767_323_045.25 },
    ]);
    expect(await removeMember(service, 'ann')).toMatchObject({ status: 200, body: 'OK' });
    expect(await removeMember(service, 'ann')).toMatchObject({
      status: 404,
      body: { message: "User 'ann' is not a member of organization 'acme'" },
    });
    expect((await saveMember(service, 'a b', 'reader')).status).toBe(400);
    expect((await saveMember(service, 'ann', 'owner')).status).toBe(400);
  });

  it('have keys, which are listed and revoked', async () => {
    const key = await createKey(service, {});
    const path = '/organizations/acme/members/ann/api-keys';
    expect((await call(service, { path })).body).toMatchObject([{ id: keyIdOf(key), expires_at: 1_798_859_045 }]);
    expect(await revokeKey(service, 'ann', key)).toMatchObject({ status: 200, body: 'revoked' });
    expect(await statusWith(key)).toBe(401);
    expect((await call(service, { path })).body).toEqual([]);
    expect((await administer(service, { path: '/organizations/acme/members/bob/api-keys', json: {} })).status).toBe(
      404,
    );
  });

  it('always include an admin with a valid key', async () => {
    const key = await createKey(service, { role: 'member' });
    const lock = async (): Promise<readonly Called[]> => [
      await saveMember(service, 'admin', 'reader'),
      await removeMember(service, 'admin'),
      await revokeKey(service, 'admin', service.apiKey),
    ];
    for (const called of await lock()) expect(called).toMatchObject(lockedOut);
    // An admin without a key does not help.
    await saveMember(service, 'bob', 'admin');
    for (const called of await lock()) expect(called).toMatchObject(lockedOut);
    await saveMember(service, 'ann', 'admin');
    expect((await saveMember(service, 'admin', 'reader')).status).toBe(200);
    expect(await saveMember(service, 'admin', 'admin')).toMatchObject({ status: 403 });
    expect(await statusWith(key)).toBe(200);
  });
});
