import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { maximumAllowedArtifacts } from '../../../src/contract/limits.ts';
import { listAt, textAt } from '../../../src/runtime/untrusted-data.ts';
import { createNotification } from '../../support/administration.ts';
import {
  changePolicies,
  listVerdicts,
  pod,
  reportPods,
  saveEnvironment,
  savePolicy,
} from '../../support/environment-samples.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { fingerprintOf, report, saveFlow } from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const fingerprint = fingerprintOf('abcdef');

const strict = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  attestations:
    - type: sonar
      name: sonar
`;

describe('an allowed artifact', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let storage: TestStorage;
  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    storage = await createTestStorage();
    service = await startTestService({ storage, options: { allowPrivateTargets: true } });
    await saveFlow(service);
    await report(service, { fingerprint });
    await savePolicy(service, 'strict', strict);
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod'] });
  });
  afterEach(async () => {
    await stopWithoutErrors(service);
    await receiver.stop();
    await storage.remove();
  });

  const allow = (change: Readonly<Record<string, unknown>> = {}, environment = 'prod'): Promise<Called> => {
    const json = { artifact_fingerprint: fingerprint, artifact_name: 'web', description: 'Hotfix <1>', ...change };
    return call(service, { method: 'PUT', path: `/allowlists/acme/${environment}`, json });
  };
  const disallow = (digest = fingerprint): Promise<Called> =>
    call(service, { method: 'DELETE', path: `/allowlists/acme/prod/${digest}` });
  const assert = async (environment: string): Promise<unknown> =>
    (await call(service, { path: `/asserts/acme/fingerprint/${fingerprint}?environment_name=${environment}` })).body;

  it('complies in the environment, in those that include it, and nowhere else, until it is taken off', async () => {
    await saveEnvironment(service, 'stage', { policies: ['strict'] });
    for (const name of ['prod', 'stage']) await reportPods(service, name, pod('web-1', { web: 'abcdef' }));
    expect((await allow()).status).toBe(201);
    expect((await allow({ description: 'Hotfix <2>' })).status).toBe(200);
    expect(await assert('prod')).toMatchObject({
      compliant: true,
      compliant_info: 'It complies with strict. It is allowed in environment prod.',
      reasons: [],
      policy_evaluations: [{ status: 'COMPLIANT', rule_evaluations: [{ satisfied: false, ignored: true }] }],
    });
    expect(await assert('all')).toMatchObject({ compliant: true });
    expect(await assert('stage')).toMatchObject({ compliant: false });
    expect(await call(service, { path: '/snapshots/acme/all/-1' })).toMatchObject({
      body: { compliant: true, artifacts: [{ compliant: true, allowed: true }] },
    });
    expect(await call(service, { path: '/env-diff/acme?snappish1=prod%231&snappish2=prod' })).toMatchObject({
      body: { 'not-changed': { artifacts: [{ fingerprint, allowed: true }] } },
    });
    expect((await disallow()).status).toBe(200);
    expect(await listVerdicts(service, 'prod')).toEqual([false, true, true, false]);
    expect(await listVerdicts(service, 'stage')).toEqual([false]);
    expect(await assert('prod')).toMatchObject({ compliant: false });
  });

  it('is listed with who allowed it and why, also on pages, and in the audit log', async () => {
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    await allow();
    expect((await call(service, { path: '/allowlists/acme/prod' })).body).toEqual([
      {
        ...{ artifact_fingerprint: fingerprint, artifact_name: 'web', description: 'Hotfix <1>' },
        ...{ created_by: 'admin', created_at: expect.any(Number) },
      },
    ]);
    const { text } = await call(service, { at: service.url, path: '/acme/environments/prod' });
    expect(text).toContain('Hotfix &lt;1&gt;');
    expect(text).toContain('1 of it only because it is allowed');
    const comparison = '/acme/compare?first=prod%231&second=prod';
    expect((await call(service, { at: service.url, path: comparison })).text).toMatch(/Allowed<\/span>/u);
    await disallow();
    const events = await call(service, { path: '/organizations/acme/audit-log?per_page=2' });
    const details = { fingerprint, artifact: 'web', reason: 'Hotfix <1>' };
    expect(events).toMatchObject({
      body: {
        data: ['artifact_disallowed', 'artifact_allowed'].map((type) => ({
          ...{ type, actor: 'admin', subject: 'environment prod', details },
        })),
      },
    });
  });

  it('is listed after those that were allowed later, and in each environment until it is taken off there', async () => {
    await saveEnvironment(service, 'stage');
    const later = fingerprintOf('aaaaaa');
    await allow();
    await allow({}, 'stage');
    await allow({ artifact_fingerprint: later });
    const list = async (environment: string): Promise<unknown> =>
      listAt((await call(service, { path: `/allowlists/acme/${environment}` })).body).map((allowed) =>
        textAt(allowed, 'artifact_fingerprint'),
      );
    expect(await list('prod')).toEqual([later, fingerprint]);
    await disallow();
    expect(await list('prod')).toEqual([later]);
    expect(await list('stage')).toEqual([fingerprint]);
  });

  it('raises ON_ALLOWED_ARTIFACT once, with the snapshot in which it complies', async () => {
    const targets = [{ type: 'WEBHOOK', webhook: receiver.url, payload_version: '1.0' }];
    await createNotification(service, { targets, triggers: ['ON_ALLOWED_ARTIFACT', 'ON_CHANGED_RULES'] });
    await allow();
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef', other: 'bbbbbb' }));
    await changePolicies(service, 'DELETE', 'prod', ['strict']);
    const events: unknown[] = [JSON.parse((await receiver.next()).body), JSON.parse((await receiver.next()).body)];
    // Nobody hears of a rule before there is a verdict.
    expect(events).toMatchObject([
      {
        ...{ event_type: 'ON_ALLOWED_ARTIFACT', artifact: { fingerprint, provenance: { flow: 'web' } } },
        description: 'Artifact web complies only because it is allowed in prod.',
      },
      { event_type: 'ON_CHANGED_RULES' },
    ]);
  });

  it('raises ON_ALLOWED_ARTIFACT also in an environment that includes this one, and its page says so', async () => {
    const targets = [{ type: 'WEBHOOK', webhook: receiver.url, payload_version: '1.0' }];
    const triggers = ['ON_NON_COMPLIANT_ENV', 'ON_ALLOWED_ARTIFACT'];
    await createNotification(service, { environments: ['all'], targets, triggers });
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }), pod('api-1', { api: 'bbbbbb' }));
    await allow();
    expect(JSON.parse((await receiver.next()).body)).toMatchObject({
      description: expect.stringMatching(/^Environment all does not comply since snapshot \d+\.$/u),
    });
    expect(JSON.parse((await receiver.next()).body)).toMatchObject({ environment: 'all', artifact: { fingerprint } });
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    const { text } = await call(service, { at: service.url, path: '/acme/environments/all' });
    expect(text).toContain('1 of it only because it is allowed');
    expect(receiver.calls).toHaveLength(2);
  });

  it('makes no snapshot where it does not run', async () => {
    await reportPods(service, 'prod', pod('api-1', { api: 'bbbbbb' }));
    await allow();
    expect(await listVerdicts(service, 'prod')).toEqual([false]);
  });

  it('must be one of few, on the list of an environment that exists', async () => {
    expect(await allow({}, 'nowhere')).toMatchObject({ status: 404 });
    expect(await call(service, { path: '/allowlists/acme/nowhere' })).toMatchObject({ status: 404 });
    expect(await disallow()).toMatchObject({
      status: 404,
      body: {
        message: `Artifact with fingerprint '${fingerprint}' does not exist in the allow-list of environment 'prod'`,
      },
    });
    const rows = Array.from(
      { length: maximumAllowedArtifacts },
      (_, index) => `('acme', 'prod', '${index}', '', '', '', 1)`,
    );
    await storage.query(`INSERT INTO allowed_artifacts VALUES ${rows.join(', ')}`);
    expect(await allow()).toMatchObject({ status: 400, body: { errors: { artifact_fingerprint: expect.anything() } } });
  });
});
