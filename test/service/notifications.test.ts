import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { serve } from '../../tools/loopback-server.ts';
import { administer, createNotification } from '../support/administration.ts';
import { changePolicies, pod, reportPods, savePolicy } from '../support/environment-samples.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call, type Called, mappingOf } from '../support/service-call.ts';
import { fingerprintOf, report, saveFlow } from '../support/service-samples.ts';
import { createTestStorage } from '../support/test-storage.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const fingerprint = fingerprintOf('abcdef');
const everyTrigger = ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT', 'ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'];

describe('an event in an environment', () => {
  let receiver: WebhookReceiver;
  let service: TestService;
  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    service = await startTestService({ options: { allowPrivateTargets: true } });
  });
  afterEach(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
    await receiver.stop();
  });

  const notify = (document: Readonly<Record<string, unknown>> = {}): Promise<Called> =>
    createNotification(service, {
      triggers: everyTrigger,
      targets: [{ type: 'WEBHOOK', webhook: receiver.url, payload_version: '1.0' }],
      ...document,
    });
  const runs = (...digests: readonly string[]): Promise<Called> =>
    reportPods(service, 'prod', ...digests.map((web, index) => pod(`web-${index}`, {}, { digests: { web } })));
  const attach = (): Promise<Called> => changePolicies(service, 'POST', 'prod', ['provenance']);
  const state = (): Promise<Called> => call(service, { path: '/organizations/acme/environments_notifications/1' });
  const stateSoon = async (key: string, wanted: (value: unknown) => boolean): Promise<Called> => {
    for (;;) {
      const called = await state();
      if (wanted(mappingOf(called)[key])) return called;
    }
  };
  const inspect = (): Promise<Called> =>
    administer(service, { method: 'GET', path: '/organizations/acme/environments_notifications/1/deliveries' });
  const delivered = async (): Promise<unknown> => JSON.parse((await receiver.next()).body);

  it('reaches a webhook with all that is known of the artifact, by links that work', async () => {
    await saveFlow(service);
    await report(service);
    await notify();
    await runs(fingerprint);
    const payload = await delivered();
    expect(payload).toEqual({
      version: '1.0',
      timestamp: expect.any(Number),
      org: 'acme',
      environment: 'prod',
      event_type: 'ON_STARTED_ARTIFACT',
      description: 'Artifact web started to run in prod.',
      snapshot: { index: 1, status: 'UNKNOWN', html_url: expect.any(String), api_url: expect.any(String) },
      artifact: {
        name: 'web',
        fingerprint,
        provenance: {
          flow: 'web',
          status: 'INCOMPLETE',
          commit: '1'.repeat(40),
          commit_url: `https://git.example.com/acme/web/commit/${'1'.repeat(40)}`,
          html_url: expect.any(String),
          api_url: expect.any(String),
          build_url: 'https://ci.example.com/builds/7',
        },
      },
    });
    for (const part of ['snapshot', 'artifact']) {
      const links = part === 'snapshot' ? valueAt(payload, part) : valueAt(payload, part, 'provenance');
      for (const kind of ['html_url', 'api_url']) {
        const url = String(valueAt(links, kind));
        const { status } = await fetch(url, { headers: { authorization: `Bearer ${service.apiKey}` } });
        expect([url, status]).toEqual([url, 200]);
      }
    }
    expect(await call(service, { at: String(valueAt(payload, 'snapshot', 'api_url')), path: '' })).toMatchObject({
      body: { index: 1, artifacts: [{ fingerprint }] },
    });
  });

  it('comes in order, artifacts and verdicts alike, and nothing comes where nothing changed', async () => {
    await savePolicy(service, 'provenance');
    await notify();
    await runs(fingerprint);
    await attach();
    await runs(fingerprint);
    await runs();
    const seen: unknown[] = [];
    for (let count = 0; count < 4; count += 1) {
      const payload = await delivered();
      seen.push([valueAt(payload, 'event_type'), valueAt(payload, 'snapshot', 'index')]);
    }
    expect(seen).toEqual([
      ['ON_STARTED_ARTIFACT', 1],
      ['ON_NON_COMPLIANT_ENV', 2],
      ['ON_EXITED_ARTIFACT', 3],
      ['ON_COMPLIANT_ENV', 3],
    ]);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  });

  it('is that somebody changed what the environment is judged by', async () => {
    await saveFlow(service);
    await savePolicy(service, 'provenance');
    await notify({ triggers: ['ON_CHANGED_RULES'], environments: ['prod', 'stage'] });
    // Nothing is judged before the first report.
    await attach();
    await runs(fingerprint);
    await reportPods(service, 'stage', pod('web', {}, { digests: { web: fingerprintOf('abcdee') } }));
    await report(service);
    await savePolicy(service, 'provenance');
    await saveFlow(service);
    await saveFlow(service, { template: [] });
    await changePolicies(service, 'POST', 'stage', ['provenance']);
    const seen: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      const payload = await delivered();
      seen.push([valueAt(payload, 'event_type'), valueAt(payload, 'description')]);
    }
    expect(seen).toEqual([
      [
        'ON_CHANGED_RULES',
        expect.stringMatching(/ uploaded version 2 of the policy .*, which is attached to prod\.$/u),
      ],
      ['ON_CHANGED_RULES', expect.stringMatching(/ changed the flow web, whose artifacts run in prod: template\.$/u)],
      ['ON_CHANGED_RULES', expect.stringMatching(/ attached the policy provenance to stage\.$/u)],
    ]);
  });

  it('is one message together with thousands of others of the same snapshot', async () => {
    await savePolicy(service, 'provenance');
    await notify();
    await attach();
    const digests = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`image-${index}`, index.toString(16).padStart(64, '0')]),
    );
    expect(await reportPods(service, 'prod', pod('web', {}, { digests }))).toMatchObject({ status: 201 });
    expect(await delivered()).toMatchObject({
      event_type: 'ON_NON_COMPLIANT_ENV',
      artifact: null,
      digest: { total: 3001, events: [{ count: 1 }, { event_type: 'ON_STARTED_ARTIFACT', count: 3000 }] },
    });
    await runs(fingerprint);
    expect(await delivered()).toMatchObject({ event_type: 'ON_STARTED_ARTIFACT', snapshot: { index: 2 } });
    expect(receiver.calls).toHaveLength(2);
  });

  it('is one message together with all other changes of a request', async () => {
    const policies = Array.from({ length: 11 }, (_, index) => `policy-${index}`);
    for (const policy of policies) await savePolicy(service, policy);
    await notify({ triggers: ['ON_CHANGED_RULES'] });
    await runs(fingerprint);
    await changePolicies(service, 'POST', 'prod', policies);
    expect(await delivered()).toMatchObject({
      description: policies.map((policy) => `admin attached the policy ${policy} to prod.`).join(' '),
      digest: { total: 11, events: [{ event_type: 'ON_CHANGED_RULES', count: 11 }] },
    });
  });

  it('is remembered as delivered', async () => {
    await notify();
    await runs(fingerprint);
    await receiver.next();
    const called = await stateSoon('last_success_timestamp', (value) => value !== undefined);
    expect(called.body).toMatchObject({ is_failing: false, last_success_timestamp: expect.any(Number) });
  });

  it('reaches a new target although a delivery to one that was removed is still running', async () => {
    const [asked, answered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const slow = await serve((_, response) => {
      asked.resolve(undefined);
      void answered.promise.then(() => response.end());
    });
    const [kept, added] = ['kept', 'added'].map((path) => `${receiver.url}/${path}`);
    const toTargets = (...webhooks: readonly unknown[]): readonly unknown[] =>
      webhooks.map((webhook) => ({ type: 'WEBHOOK', webhook, payload_version: '1.0' }));
    await notify({ targets: toTargets(kept, `${slow.url}/slow`) });
    await runs(fingerprint);
    await asked.promise;
    const path = '/organizations/acme/environments_notifications/1';
    for (const targets of [toTargets(kept), toTargets(kept, added)])
      await administer(service, { method: 'PATCH', path, json: { targets } });
    await runs();
    while (valueAt(listAt((await inspect()).body, 'targets')[1], 'delivery', 'waiting') !== 1);
    answered.resolve(undefined);
    for (let called = ''; !called.endsWith('/added');) called = (await receiver.next()).url;
    await slow.close();
  });

  it('that a webhook refuses makes the notification failing, and comes again with the same id', async () => {
    const storage = await createTestStorage();
    const start = (milliseconds: number): Promise<TestService> =>
      startTestService({
        storage,
        options: { allowPrivateTargets: true },
        sources: { now: () => Date.now() + milliseconds },
      });
    await service.stop();
    service = await start(0);
    receiver.answerWith({ status: 500 });
    await notify();
    await runs(fingerprint);
    const first = await receiver.next();
    await stateSoon('is_failing', (value) => value === true);
    await service.stop();
    receiver.answerWith({ status: 200 });
    // A service that starts when the next attempt is due, which is 10 seconds after the first.
    service = await start(11_000);
    const second = await receiver.next();
    expect(first.headers['webhook-id']).toMatch(/^[0-9a-f]{64}$/u);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    await stateSoon('is_failing', (value) => value === false);
    await service.stop();
    await storage.remove();
    service = await startTestService();
  });

  it('reaches Slack and people by e-mail in words, with nothing that could be markup', async () => {
    const mail = await startMailServer();
    await service.stop();
    service = await startTestService({
      options: { allowPrivateTargets: true, mail: { url: mail.url, from: 'compliance@example.com' } },
    });
    await notify({
      targets: [
        { type: 'SLACK', webhook: receiver.url },
        { type: 'EMAIL', recipients: ['ann@example.com'] },
      ],
    });
    await reportPods(service, 'prod', pod('web-1', { 'web<!channel>': 'abcdef' }));
    const message = await delivered();
    expect(message).toMatchObject({ text: expect.stringContaining('web&lt;!channel&gt;'), mrkdwn: false });
    await stateSoon('last_success_timestamp', (value) => value !== undefined);
    while (mail.mails.length === 0) await state();
    const { body } = await inspect();
    const successes = listAt(body, 'targets').map((target) => Number(valueAt(target, 'delivery', 'last_success_at')));
    expect(valueAt(body, 'last_success_timestamp')).toBe(Math.floor(Math.max(...successes)));
    expect(mail.mails[0]).toMatchObject({ from: 'compliance@example.com', recipients: ['ann@example.com'] });
    expect(mail.mails[0]?.data).toContain('Subject: prod: ON_STARTED_ARTIFACT');
    await mail.stop();
  });

  it('cannot be sent by e-mail in a service without a mail server, and the notification says so', async () => {
    const targets = [{ type: 'EMAIL', recipients: ['ann@example.com'] }];
    const reason = 'the service was started without --smtp-url and --smtp-from';
    expect(await notify({ targets })).toMatchObject({
      status: 400,
      body: { errors: { 'targets.0': `cannot be used: ${reason}` } },
    });
    // It was created while the service had a mail server.
    const storage = await createTestStorage();
    await service.stop();
    const mail = { url: 'smtp://127.0.0.1:1', from: 'compliance@example.com' };
    service = await startTestService({ storage, options: { mail } });
    expect(await notify({ targets })).toMatchObject({ status: 201, body: { is_failing: false } });
    await service.stop();
    service = await startTestService({ storage });
    expect(await state()).toMatchObject({ body: { is_failing: true } });
    expect(await inspect()).toMatchObject({ body: { targets: [{ delivery: { last_error: reason, waiting: 0 } }] } });
    expect((await call(service, { at: service.url, path: '/acme/administration' })).text).toContain(reason);
    await runs(fingerprint);
    for (let tried = false; !tried;) tried = JSON.stringify((await inspect()).body).includes('"failures":1');
    expect(await inspect()).toMatchObject({
      body: { targets: [{ delivery: { last_error: reason, last_error_at: expect.any(Number), waiting: 1 } }] },
    });
    await service.stop();
    await storage.remove();
    service = await startTestService();
  });

  it('that a target refuses is shown with the reason, and without the address', async () => {
    receiver.answerWith({ status: 503 });
    await notify();
    await runs(fingerprint);
    await stateSoon('is_failing', (value) => value === true);
    const { body } = await inspect();
    expect(body).toMatchObject({
      targets: [{ delivery: { last_error: 'it answered 503', failures: 1, waiting: 1 } }],
    });
    expect(JSON.stringify(body)).not.toContain('services/secret');
  });

  it('is signed with every valid secret of the webhook', async () => {
    const created = await notify();
    const first = String(valueAt(listAt(created.body, 'targets')[0], 'secret'));
    const path = '/organizations/acme/environments_notifications/1/targets/0/secret';
    const rotated = await administer(service, { path, json: {} });
    const second = String(mappingOf(rotated)['secret']);
    await runs(fingerprint);
    const { headers, body: text } = await receiver.next();
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
    const expected = [second, first].map((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      return `v1,${createHmac('sha256', key)
        .update(`${String(id)}.${String(timestamp)}.${text}`)
        .digest('base64')}`;
    });
    expect(signature).toBe(expected.join(' '));
    expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(60);
    expect(String(timestamp)).toMatch(/^\d+$/u);
  });

  it('does not reach this machine or its network, unless that is allowed', async () => {
    await service.stop();
    service = await startTestService();
    await notify();
    await notify({ targets: [{ type: 'SLACK', webhook: `http://localhost:${receiver.port}/` }] });
    await runs(fingerprint);
    await stateSoon('is_failing', (value) => value === true);
    expect(receiver.calls).toEqual([]);
  });

  it('of scaling is accepted in a notification and never happens', async () => {
    await notify({ triggers: ['ON_SCALED_ARTIFACT'] });
    await runs(fingerprint);
    await runs(fingerprint, fingerprint);
    await notify();
    await runs();
    const description = 'Artifact web no longer runs in prod.';
    expect(await delivered()).toMatchObject({ event_type: 'ON_EXITED_ARTIFACT', description });
  });
});
