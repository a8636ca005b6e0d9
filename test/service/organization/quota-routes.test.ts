import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { quotaExceeded } from '../../../src/contract/errors.ts';
import type { QuotaName } from '../../../src/service/organization/quota.ts';
import { createServiceAccount, keyIdOf } from '../../support/administration.ts';
import { pod, reportPods, saveEnvironment, snapshotsOf } from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { attest, attestationForm, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';
import { expectExactUsage } from '../../support/usage.ts';

/** The refusal by a quota of the organization `acme`. */
function refusal(quota: QuotaName, limit: number): object {
  const values: Readonly<Record<string, string>> = { quota, org: 'acme', limit: String(limit) };
  const message = quotaExceeded.message.replace(/\{(\w+)\}/gu, (_hole, name: string) => values[name] ?? '');
  return { status: 403, body: { message } };
}

describe('quotas', () => {
  let storage: TestStorage;
  let service: TestService;
  beforeEach(async () => {
    storage = await createTestStorage();
    service = await startTestService({ storage });
  });
  afterEach(async () => {
    await expectExactUsage(storage.query);
    expect(service.errors).toEqual([]);
    await service.stop();
    await storage.remove();
  });

  /** Starts the service again, with quotas for `acme`. */
  async function limit(limits: Readonly<Partial<Record<QuotaName, number>>>, org = 'acme'): Promise<void> {
    await service.stop();
    const quotas = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, new Map([[org, value]])]));
    service = await startTestService({ storage, options: { quotas } });
  }

  const attach = (content: string, headers = {}): Promise<Called> =>
    call(service, {
      method: 'POST',
      path: '/attestations/acme/web/trail/main/sonar',
      form: attestationForm(sampleAttestation('OK'), { content }),
      headers,
    });

  it('refuse a record that would exceed them, record nothing, and repeat earlier answers', async () => {
    // A flow, a trail, an artifact and an attestation.
    await limit({ records: 4 });
    await saveFlow(service);
    await report(service);
    const headers = { 'idempotency-key': 'first' };
    expect((await attach('', headers)).status).toBe(201);
    const before = await storage.readRecords();
    const attachments = await storage.listAttachments();
    expect(await attest(service, sampleAttestation('OK'))).toMatchObject(refusal('records', 4));
    expect(await attach('more')).toMatchObject(refusal('records', 4));
    expect(await saveFlow(service, { name: 'other' })).toMatchObject(refusal('records', 4));
    expect(await saveEnvironment(service, 'production')).toMatchObject(refusal('records', 4));
    const again = await attach('', headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(await storage.readRecords()).toEqual(before);
    expect(await storage.listAttachments()).toEqual(attachments);
    // A change of a record adds none.
    expect((await saveFlow(service, { description: 'changed' })).status).toBe(200);
  });

  it('admit exactly as many records if many arrive at once', async () => {
    await saveFlow(service);
    // The first attestation also begins the trail.
    await limit({ records: 4 });
    const all = await Promise.all(Array.from({ length: 6 }, () => attest(service, sampleAttestation('OK'))));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(all.find(({ status }) => status !== 201)).toMatchObject(refusal('records', 4));
  });

  it('count the bytes of each reference to an attachment', async () => {
    await saveFlow(service);
    await limit({ 'attachment-bytes': 10 });
    expect((await attach('12345')).status).toBe(201);
    expect((await attach('12345')).status).toBe(201);
    expect(await attach('6')).toMatchObject(refusal('attachment-bytes', 10));
    expect(await storage.listAttachments()).toHaveLength(1);
    expect((await attest(service, sampleAttestation('OK'))).status).toBe(201);
  });

  it('count valid keys, also those that a rotation leaves for a while', async () => {
    await createServiceAccount(service);
    await limit({ keys: 2 });
    const path = '/service-accounts/acme/ci/api-keys';
    const create = (): Promise<Called> => call(service, { method: 'POST', path, json: {} });
    const created = await create();
    const id = keyIdOf(String(mappingOf(created)['key']));
    expect(await create()).toMatchObject(refusal('keys', 2));
    const rotate = (hours: number): Promise<Called> =>
      call(service, { method: 'POST', path: `${path}/${id}/rotate`, json: { grace_period_hours: hours } });
    expect(await rotate(1)).toMatchObject(refusal('keys', 2));
    const rotated = await rotate(0);
    expect(rotated.status).toBe(201);
    const successor = keyIdOf(String(mappingOf(rotated)['key']));
    expect((await call(service, { method: 'DELETE', path: `${path}/${successor}` })).status).toBe(200);
    expect((await create()).status).toBe(201);
    await saveFlow(service);
  });

  it('count login rules', async () => {
    await limit({ 'login-rules': 1 });
    const save = (name: string, role = 'member'): Promise<Called> =>
      call(service, {
        method: 'PUT',
        path: `/organizations/acme/login-rules/${name}`,
        json: { repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'], role },
      });
    expect((await save('build')).status).toBe(201);
    expect(await save('deploy')).toMatchObject(refusal('login-rules', 1));
    expect((await save('build', 'reader')).status).toBe(200);
    await saveFlow(service);
  });

  it('apply to an organization without its own quota if they are for all', async () => {
    await limit({ records: 0 }, '');
    expect(await saveFlow(service)).toMatchObject(refusal('records', 0));
    await limit({ records: 0 }, 'globex');
    expect((await saveFlow(service)).status).toBe(201);
  });

  it('do not keep what is recorded already from being judged', async () => {
    await saveEnvironment(service, 'production');
    await reportPods(service, 'production', pod('web-1', { web: 'abcdef' }));
    await limit({ records: 1 });
    await storage.query(
      "INSERT INTO pending_snapshots (org, environment, since, forced) VALUES ('acme', 'production', 1, 1)",
    );
    const snapshots = await snapshotsOf(service, 'production');
    expect([snapshots.status, snapshots.body]).toEqual([200, [expect.anything(), expect.anything()]]);
    expect(await reportPods(service, 'production')).toMatchObject(refusal('records', 1));
  });

  it('are shown to administrators with what is used', async () => {
    await saveFlow(service);
    await limit({ records: 7 });
    const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString('base64')}`;
    const page = await call(service, {
      at: service.url,
      path: '/acme/administration',
      headers: { authorization },
      key: null,
    });
    const cells = [...page.text.matchAll(/<t[dh][^>]*>([^<]*)<\/t[dh]>/gu)].map(([, cell]) => cell);
    expect(cells.slice(cells.indexOf('Allowed') + 1).slice(0, 12)).toEqual([
      ...['records', '1', '7', 'attachment-bytes', '0', 'no limit'],
      ...['login-rules', '0', 'no limit', 'keys', '1', 'no limit'],
    ]);
  });
});
