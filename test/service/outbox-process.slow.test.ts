import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { fingerprintOf } from '../support/service-samples.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const key = `own1_${'x'.repeat(40)}`;

describe('the outbox', () => {
  let folder: string;
  let receiver: WebhookReceiver;
  let running: ServiceProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-outbox-'));
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.ended();
    await receiver.stop();
    await rm(folder, { recursive: true });
  });

  const start = async (): Promise<ServiceProcess> => {
    const words = ['--port', '0', '--data', folder, '--org', 'acme', '--key', key, '--allow-private-targets'];
    running = await startServiceProcess(words);
    return running;
  };
  const send = async (url: string, method: string, document: unknown): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, body: JSON.stringify(document) });
    await response.text();
    return response.status;
  };
  const report = (service: ServiceProcess, snapshot: number): Promise<number> => {
    const digests = { web: fingerprintOf(String(snapshot)) };
    const pod = { creationTimestamp: 1, digests, namespace: 'web', podName: 'web' };
    return send(`${service.baseUrl}/environments/acme/prod/report/K8S`, 'PUT', { artifacts: [pod] });
  };
  const snapshotOf = (text: string): unknown => /"index":(\d+)/u.exec(text)?.[1];

  it('still has every event of an acknowledged report after SIGKILL, and delivers them in order', async () => {
    const service = await start();
    await send(`${service.baseUrl}/environments/acme`, 'PUT', { name: 'prod', type: 'K8S' });
    const notification = {
      name: 'x',
      environments: ['prod'],
      triggers: ['ON_STARTED_ARTIFACT'],
      targets: [{ type: 'WEBHOOK', webhook: receiver.url, payload_version: '1.0' }],
    };
    const notifications = `${service.baseUrl}/organizations/acme/environments_notifications`;
    expect(await send(notifications, 'POST', notification)).toBe(201);
    receiver.answerWith('never');
    for (const snapshot of [1, 2, 3]) expect(await report(service, snapshot)).toBe(201);
    expect(snapshotOf((await receiver.next()).body)).toBe('1');
    service.child.kill('SIGKILL');
    await service.ended();
    receiver.answerWith({ status: 200 });
    await start();
    const seen = [await receiver.next(), await receiver.next(), await receiver.next()];
    expect(seen.map(({ body }) => snapshotOf(body))).toEqual(['1', '2', '3']);
  });

  it('reaches each of 2000 targets with every event in order, after SIGKILL while events are added to their queues', async () => {
    const service = await start();
    await send(`${service.baseUrl}/environments/acme`, 'PUT', { name: 'prod', type: 'K8S' });
    const indexes = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
    const paths = indexes(100).map((number) => indexes(20).map((position) => `/${number}/${position}`));
    for (const [index, group] of paths.entries()) {
      const { origin } = new URL(receiver.url);
      const targets = group.map((path) => ({ type: 'WEBHOOK', webhook: `${origin}${path}`, payload_version: '1.0' }));
      const document = { name: `n${index}`, environments: ['prod'], triggers: ['ON_STARTED_ARTIFACT'], targets };
      const notifications = `${service.baseUrl}/organizations/acme/environments_notifications`;
      expect(await send(notifications, 'POST', document)).toBe(201);
    }
    expect(await report(service, 1)).toBe(201);
    expect(await report(service, 2)).toBe(201);
    const received = new Map<string, string[]>();
    const takeNext = async (): Promise<void> => {
      const { url: path, body: text } = await receiver.next();
      const seen = received.get(path) ?? [];
      // The deliveries in flight are repeated.
      if (seen.at(-1) !== snapshotOf(text)) seen.push(String(snapshotOf(text)));
      received.set(path, seen);
    };
    await takeNext();
    service.child.kill('SIGKILL');
    await service.ended();
    // Some targets have the event in their queues, and others do not.
    const database = new DatabaseSync(join(folder, 'compliance.sqlite'), { readOnly: true });
    const open = database.prepare('SELECT count(*) AS count, min(done) AS done FROM broadcasts').get();
    database.close();
    expect(open).toEqual({ count: expect.any(Number), done: expect.any(Number) });
    await start();
    while (received.size < 2000 || [...received.values()].some((seen) => !seen.includes('2'))) await takeNext();
    expect([...received.keys()].sort()).toEqual(paths.flat().sort());
    for (const seen of received.values()) expect(seen).toEqual(['1', '2']);
  }, 120_000);
});
