import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type After, systemClock } from '../../../../../src/runtime/clock.ts';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { type PostgresPair, startPostgresPair } from '../../../../../tools/servers/postgres/postgres-pair.ts';
import { describeWithOwnPostgres } from '../../../../support/own-servers.ts';
import {
  ask,
  attestTrail,
  type InstanceAnswer,
  readiness,
  sendJson,
  type ServiceInstance,
  startInstance,
} from '../../../../support/service-instances.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';
import { prepareLoad, WritingLoad } from '../../../../support/writing-load.ts';

/** How long a service may take to notice, in milliseconds. */
const patience = 20_000;

/** Time passes faster for the services. */
const after: After = (milliseconds, fire) => systemClock.after(milliseconds / 20, fire);

const notRecorded = /nothing was recorded/u;
const uncertain = /may have been recorded/u;

describeWithOwnPostgres('services whose synchronous standby is missing', () => {
  let pair: PostgresPair;
  let services: readonly ServiceInstance[];
  let load: WritingLoad;
  /** The first service. */
  let service: ServiceInstance;

  beforeEach(async () => {
    pair = await startPostgresPair();
    const url = new URL(pair.primary.url);
    url.searchParams.set('lock_timeout', '500');
    const both = url.href.replace(`:${pair.primary.port}/`, `:${pair.primary.port},127.0.0.1:${pair.standby.port}/`);
    service = await startInstance({ url: both }, { after });
    services = [service, await startInstance({ url: both }, { after })];
    load = new WritingLoad(services.map(({ baseUrl }) => baseUrl));
    await prepareLoad(service.baseUrl);
  }, 60_000);
  afterEach(async () => {
    await load.abandon();
    // Commits that wait for the standby end with their server.
    await pair.remove();
    for (const each of services) await each.stop();
  });

  const expectReadiness = async (state: string): Promise<void> => {
    for (const each of services) {
      await waitUntil(async () => (await readiness(each)) === state, patience);
      expect(await readiness(each)).toBe(state);
    }
  };
  const expectRefusal = ({ status, headers, text }: InstanceAnswer, reason: RegExp): void => {
    expect([status, headers.get('retry-after')]).toEqual([503, '10']);
    expect(text).toMatch(reason);
  };
  /** Expects that the services go on, and that nothing was lost or doubled. */
  const expectRecovery = async (): Promise<void> => {
    await load.proceed(40);
    await expectReadiness('OK');
    await load.stop();
    for (const { baseUrl } of services) await load.expectRecords(baseUrl);
  };
  /** How many connections wait for the standby. */
  const countWaiting = (): Promise<number> =>
    withAdministrator(pair.primary.url, async (client) => {
      const { rowCount } = await client.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      return rowCount ?? 0;
    });

  it('say so, answer 503 to writes and 200 to reads, and go on when it is back', async () => {
    load.start();
    await load.proceed(40);
    await pair.standby.stop();
    await load.meetTrouble();
    await expectReadiness('slow');
    expect((await ask(service.baseUrl, '/attestations/acme/web')).status).toBe(200);
    await pair.standby.start();
    await expectRecovery();
  }, 120_000);

  it('acknowledge nothing that only the primary has: nothing is lost if the standby is promoted', async () => {
    load.start();
    await load.proceed(40);
    await pair.standby.stop();
    await load.meetTrouble();
    await pair.primary.kill();
    await pair.standby.start();
    await pair.standby.promote();
    await expectRecovery();
  }, 120_000);

  it('refuse what comes later at once, so that it takes no connections', async () => {
    await pair.standby.stop();
    expectRefusal(await attestTrail(service, 'one'), uncertain);
    await expectReadiness('slow');
    const before = await countWaiting();
    for (const name of ['two', 'three', 'four']) expectRefusal(await attestTrail(service, name), notRecorded);
    const environment = { name: 'test', type: 'K8S' };
    expectRefusal(await sendJson(service.baseUrl, 'PUT', '/environments/acme', environment), notRecorded);
    expect(await countWaiting()).toBe(before);
    await pair.standby.start();
    await expectReadiness('OK');
    const repeated = await attestTrail(service, 'one');
    expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect((await attestTrail(service, 'two')).status).toBe(201);
  }, 60_000);

  it('do not acknowledge a commit whose wait for the standby was canceled', async () => {
    await pair.standby.stop();
    const answer = attestTrail(service, 'one');
    await withAdministrator(pair.primary.url, async (client) => {
      const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'`;
      expect(await waitUntil(async () => (await client.query(cancel)).rowCount !== 0, patience)).toBe(true);
    });
    expectRefusal(await answer, uncertain);
  }, 60_000);
});
