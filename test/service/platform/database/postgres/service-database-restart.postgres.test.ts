import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { type PostgresPair, startPostgresPair } from '../../../../../tools/servers/postgres/postgres-pair.ts';
import { type PostgresServer, startPostgres } from '../../../../../tools/servers/postgres/postgres-server.ts';
import { describeWithOwnPostgres } from '../../../../support/own-servers.ts';
import { readiness, sendJson, type ServiceInstance, startInstance } from '../../../../support/service-instances.ts';
import { urlOfDatabase, withAdministrator } from '../../../../support/test-servers.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../support/webhook-receiver.ts';
import { prepareLoad, WritingLoad } from '../../../../support/writing-load.ts';

/** How long a service may take to notice, in milliseconds. */
const patience = 20_000;

let receiver: WebhookReceiver;
let services: readonly ServiceInstance[];
let load: WritingLoad;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await load.abandon();
  for (const service of services) await service.stop();
  await receiver.stop();
});

/** Starts two services, which tell a webhook about every snapshot, and writers. */
async function startUnderLoad(url: string): Promise<void> {
  services = [await startInstance({ url }), await startInstance({ url })];
  const baseUrls = services.map(({ baseUrl }) => baseUrl);
  load = new WritingLoad(baseUrls);
  await prepareLoad(baseUrls[0] ?? '');
  const notification = {
    name: 'every snapshot',
    environments: ['prod'],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets: [{ type: 'WEBHOOK', webhook: receiver.url, payload_version: '1.0' }],
  };
  const path = '/organizations/acme/environments_notifications';
  expect((await sendJson(baseUrls[0] ?? '', 'POST', path, notification)).status).toBe(201);
  load.start();
  await load.proceed(40);
}

async function expectReadiness(state: string): Promise<void> {
  for (const service of services) {
    await waitUntil(async () => (await readiness(service)) === state, patience);
    expect(await readiness(service)).toBe(state);
  }
}

/** Expects that the services continue, and that nothing was lost or doubled. */
async function expectRecovery(): Promise<void> {
  await load.proceed(40);
  await expectReadiness('OK');
  await load.stop();
  for (const { baseUrl } of services) await load.expectRecords(baseUrl);
  const wanted = Array.from({ length: load.sharedReports }, (_, index) => index + 1);
  await waitUntil(() => deliveredSnapshots().length >= wanted.length, patience);
  expect(deliveredSnapshots()).toEqual(wanted);
}

/** The snapshots in the order of their deliveries, without immediate repetitions: each is delivered at least once. */
function deliveredSnapshots(): readonly number[] {
  const all = receiver.calls.map(({ body }) => Number(/"index":(\d+)/u.exec(body)?.[1]));
  return all.filter((snapshot, index) => snapshot !== all[index - 1]);
}

describeWithOwnPostgres('services whose database server is restarted under load', () => {
  let server: PostgresServer;
  let databases = 0;

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.remove());
  beforeEach(async () => {
    const name = `restarted_${(databases += 1)}`;
    await withAdministrator(server.url, (client) => client.query(`CREATE DATABASE ${name}`));
    await startUnderLoad(urlOfDatabase(server.url, name));
  }, 60_000);

  it('lose and double nothing', async () => {
    await server.stop();
    await server.start();
    await expectRecovery();
  }, 120_000);

  it.each([
    ['is stopped', () => server.stop()],
    ['is killed', () => server.kill()],
  ])(
    'are not ready while it %s, answer 503, and go on without a restart',
    async (_what, end) => {
      await end();
      await load.meetTrouble();
      await expectReadiness('unreachable');
      await server.start();
      await expectRecovery();
    },
    120_000,
  );
});

describeWithOwnPostgres('services whose primary is killed under load', () => {
  let pair: PostgresPair;

  beforeEach(async () => {
    pair = await startPostgresPair();
    await startUnderLoad(pair.url);
  }, 60_000);
  afterEach(() => pair.remove());

  it('go on with the synchronous standby when it is promoted, and lose and double nothing', async () => {
    await pair.primary.kill();
    await load.meetTrouble();
    await expectReadiness('unreachable');
    await pair.standby.promote();
    await expectRecovery();
  }, 120_000);
});
