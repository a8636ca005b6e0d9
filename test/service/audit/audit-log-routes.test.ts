import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
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
import { call, mappingOf } from '../../support/service-call.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';

describe('the audit log', () => {
  let storage: TestStorage;
  let service: TestService;
  beforeEach(async () => {
    storage = await createTestStorage();
    service = await startTestService({ storage });
  });
  afterEach(async () => {
    await service.stop();
    await storage.remove();
  });

  /** Stops the service, which writes what waits, and returns the events in their order. */
  const endedWith = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    await service.stop();
    const rows = await storage.query('SELECT type, actor, subject, details FROM audit_events ORDER BY number');
    return rows.map((row) => ({ ...row, details: JSON.parse(String(row['details'])) as unknown }));
  };

  it('says who created, used first, rotated or revoked which key', async () => {
    const personal = await createKey(service, { owner: 'ann', role: 'admin' });
    await createServiceAccount(service);
    const first = await createServiceAccountKey(service, 'ci', { description: 'For the build' });
    await call(service, { path: '/flows/acme', key: first });
    const path = `/service-accounts/acme/ci/api-keys/${keyIdOf(first)}/rotate`;
    const rotated = await call(service, { method: 'POST', path, json: {}, key: personal });
    const second = String(mappingOf(rotated)['key']);
    const other = await createServiceAccountKey(service);
    await administer(service, { method: 'DELETE', path: `/service-accounts/acme/ci/api-keys/${keyIdOf(other)}` });
    const unused = await createKey(service, { owner: 'ann', role: 'admin' });
    await revokeKey(service, 'ann', unused);
    const events = await endedWith();
    const of = (key: string, type: string): unknown =>
      events.filter(({ subject, type: own }) => subject === `key ${keyIdOf(key)}` && own === type);
    expect(of(service.apiKey, 'key_created')).toMatchObject([{ actor: 'operator', details: { owner: 'admin' } }]);
    expect(of(personal, 'key_created')).toMatchObject([{ actor: 'admin', details: { owner: 'ann' } }]);
    expect(of(first, 'key_created')).toMatchObject([
      { actor: 'admin', details: { owner: 'service-account:ci', description: 'For the build' } },
    ]);
    expect(of(first, 'key_first_used')).toMatchObject([{ actor: 'service-account:ci' }]);
    expect(of(personal, 'key_first_used')).toMatchObject([{ actor: 'ann' }]);
    expect(of(first, 'key_rotated')).toMatchObject([
      { actor: 'ann', details: { replaced_by: `key ${keyIdOf(second)}` } },
    ]);
    expect(of(other, 'key_revoked')).toMatchObject([{ actor: 'admin', details: { owner: 'service-account:ci' } }]);
    expect(of(unused, 'key_revoked')).toMatchObject([{ actor: 'admin', details: { owner: 'ann' } }]);
  });

  it('names each key that was revoked together with its owner, and why', async () => {
    await createServiceAccount(service);
    const keys = [await createServiceAccountKey(service), await createServiceAccountKey(service)];
    const personal = await createKey(service, { owner: 'ann', role: 'member' });
    const earlier = await createServiceAccountKey(service);
    await administer(service, { method: 'DELETE', path: `/service-accounts/acme/ci/api-keys/${keyIdOf(earlier)}` });
    await administer(service, { method: 'DELETE', path: '/service-accounts/acme/ci' });
    await removeMember(service, 'ann');
    const revoked = (await endedWith()).filter(
      ({ type, details }) => type === 'key_revoked' && 'cause' in Object(details),
    );
    const ofAccount = { owner: 'service-account:ci', cause: 'service account ci was deleted' };
    expect(
      revoked
        .slice(0, 2)
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(keys.map((key) => `key ${keyIdOf(key)}`).sort());
    expect(revoked).toMatchObject([
      { actor: 'admin', details: ofAccount },
      { actor: 'admin', details: ofAccount },
      { subject: `key ${keyIdOf(personal)}`, details: { owner: 'ann', cause: 'member ann was removed' } },
    ]);
  });

  it('says who became an admin by a key of the operator', async () => {
    await saveMember(service, 'bob', 'reader');
    const events = await endedWith();
    expect(events.filter(({ type }) => type === 'member_saved')).toMatchObject([
      {
        type: 'member_saved',
        actor: 'operator',
        subject: 'member admin',
        details: { role: 'admin', previous_role: '' },
      },
      { type: 'member_saved', actor: 'admin', subject: 'member bob', details: { role: 'reader', previous_role: '' } },
    ]);
  });

  it('has failed authentications, with the key if it exists, and never a secret', async () => {
    const key = await createKey(service, { owner: 'ann', role: 'reader' });
    const wrong = `${keyIdOf(key)}_${'w'.repeat(43)}`;
    await revokeKey(service, 'ann', key);
    for (const sent of [wrong, key, `abcd_${'u'.repeat(43)}`]) await call(service, { path: '/flows/acme', key: sent });
    await call(service, { path: '/flows/nobody', key: 'x' });
    const events = (await endedWith()).filter(({ type }) => type === 'authentication_failed');
    const details = { request: 'GET /api/v2/flows/acme', address: '127.0.0.1' };
    expect(events).toMatchObject([
      {
        actor: 'unknown',
        subject: `key ${keyIdOf(key)}`,
        details: { ...details, reason: 'was sent with a wrong secret' },
      },
      { actor: 'unknown', subject: `key ${keyIdOf(key)}`, details: { ...details, reason: 'was sent and is revoked' } },
      { actor: 'unknown', subject: 'an unknown key', details },
    ]);
    expect(JSON.stringify(events)).not.toContain('www');
  });

  it('only grows, whatever statement is sent to the database', async () => {
    const before = await endedWith();
    const values = `SELECT org, number, type, recorded_at, 'eve', subject, details FROM audit_events WHERE number = 1`;
    for (const statement of [
      `UPDATE audit_events SET actor = 'eve'`,
      'DELETE FROM audit_events',
      `INSERT INTO audit_events ${values} ON CONFLICT (org, number) DO UPDATE SET actor = excluded.actor`,
    ]) {
      await expect(storage.query(statement)).rejects.toThrow('the audit log only grows');
    }
    expect(await endedWith()).toEqual(before);
  });
});
