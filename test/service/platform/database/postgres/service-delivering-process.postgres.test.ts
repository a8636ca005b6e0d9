import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import type { FakeRequest } from '../../../../support/fake-server.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { sendJson, type ServiceInstance, startInstance } from '../../../../support/service-instances.ts';
import { kill, ServiceProcesses } from '../../../../support/service-processes.ts';
import { fingerprintOf } from '../../../../support/service-samples.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../support/webhook-receiver.ts';

const patience = 20_000;

describe('the deliveries of a process that is killed', () => {
  let database: TestDatabase;
  let processes: ServiceProcesses;
  let other: ServiceInstance;
  let receivers: readonly [WebhookReceiver, WebhookReceiver];

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    receivers = [await startWebhookReceiver(), await startWebhookReceiver()];
    processes = new ServiceProcesses(database.url);
  });
  afterEach(async () => {
    await other.stop();
    await processes.remove();
    for (const receiver of receivers) await receiver.stop();
    await database.drop();
  });

  const report = async (baseUrl: string, environment: string, snapshot: number): Promise<void> => {
    const digests = { web: fingerprintOf(String(snapshot)) };
    const pod = { creationTimestamp: 1, digests, namespace: 'web', podName: 'web' };
    const path = `/environments/acme/${environment}/report/K8S`;
    expect((await sendJson(baseUrl, 'PUT', path, { artifacts: [pod] })).status).toBe(201);
  };
  /** Tells a webhook about every snapshot of an environment. */
  const notify = async (baseUrl: string, environment: string, { url }: WebhookReceiver): Promise<void> => {
    await sendJson(baseUrl, 'PUT', '/environments/acme', { name: environment, type: 'K8S' });
    const notification = {
      name: environment,
      environments: [environment],
      triggers: ['ON_STARTED_ARTIFACT'],
      targets: [{ type: 'WEBHOOK', webhook: url, payload_version: '1.0' }],
    };
    const path = '/organizations/acme/environments_notifications';
    expect((await sendJson(baseUrl, 'POST', path, notification)).status).toBe(201);
  };
  const snapshotOf = ({ body }: FakeRequest): number => Number(/"index":(\d+)/u.exec(body)?.[1]);
  /** Sets the end of all claims to now, as if the time had passed. */
  const expireClaims = (): Promise<unknown> =>
    withAdministrator(database.url, (client) =>
      client.query('UPDATE notification_targets SET claimed_until = now() WHERE claimed_until IS NOT NULL'),
    );

  it('are taken over by another one when its claims expire, not earlier, and stay in order', async () => {
    const [unanswered, answered] = receivers;
    unanswered.answerWith('never');
    const first = await processes.start();
    await notify(first.baseUrl, 'prod', unanswered);
    await notify(first.baseUrl, 'stage', answered);
    await report(first.baseUrl, 'prod', 1);
    expect(snapshotOf(await unanswered.next())).toBe(1);
    other = await startInstance({ url: database.url });
    await report(first.baseUrl, 'prod', 2);
    await kill(first);
    unanswered.answerWith({ status: 200 });

    await report(other.baseUrl, 'prod', 3);
    await report(other.baseUrl, 'stage', 1);
    expect(snapshotOf(await answered.next())).toBe(1);
    expect(unanswered.calls.map(snapshotOf)).toEqual([1]);

    await expireClaims();
    await waitUntil(() => unanswered.calls.length >= 4, patience);
    expect(unanswered.calls.map(snapshotOf)).toEqual([1, 1, 2, 3]);
    expect(answered.calls.map(snapshotOf)).toEqual([1]);
  }, 60_000);
});
