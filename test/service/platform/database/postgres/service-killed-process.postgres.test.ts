import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import {
  ask,
  attestTrail,
  type InstanceAnswer,
  readiness,
  type ServiceInstance,
  startInstance,
} from '../../../../support/service-instances.ts';
import type { ServiceProcess } from '../../../../support/service-process.ts';
import { kill, ServiceProcesses } from '../../../../support/service-processes.ts';
import { runLog } from '../../../../support/verify-log.ts';
import { prepareLoad, WritingLoad } from '../../../../support/writing-load.ts';

const patience = 20_000;

describe('when one of two processes', () => {
  let database: TestDatabase;
  let processes: ServiceProcesses;
  /** The one that ends. */
  let first: ServiceProcess;
  /** The one that continues, in this process. */
  let other: ServiceInstance;
  let administrator: Client;

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    const url = new URL(database.url);
    url.searchParams.set('idle_in_transaction_session_timeout', '1500');
    url.searchParams.set('lock_timeout', '400');
    other = await startInstance({ url: url.href });
    processes = new ServiceProcesses(url.href);
    first = await processes.start();
    administrator = new Client({ connectionString: database.url });
    await administrator.connect();
    await prepareLoad(other.baseUrl);
  }, 60_000);
  afterEach(async () => {
    await administrator.end();
    await other.stop();
    await processes.remove();
    await database.drop();
  });

  const attest = (service: Pick<ServiceInstance, 'baseUrl'>, trail: string): Promise<InstanceAnswer> =>
    attestTrail(service, trail, trail);

  /** Sends an attestation to the first process, which it has begun to record when this resolves. */
  const attestHalf = async (trail: string, end: () => Promise<void> | void): Promise<() => Promise<unknown>> => {
    await administrator.query('BEGIN; LOCK TABLE attestations IN SHARE ROW EXCLUSIVE MODE');
    const answer = attest(first, trail).catch(() => 'no answer');
    const waiting = `SELECT 1 FROM pg_locks WHERE relation = 'attestations'::regclass AND NOT granted`;
    await waitUntil(async () => (await administrator.query(waiting)).rowCount !== 0, patience);
    await end();
    await administrator.query('ROLLBACK');
    return () => answer;
  };
  /** The processes that have begun a transaction, and do nothing. */
  const countIdle = async (): Promise<number | null> => {
    const idle = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`;
    return (await administrator.query(idle)).rowCount;
  };
  const listTrails = async (baseUrl: string): Promise<readonly string[]> => {
    const { text } = await ask(baseUrl, '/attestations/acme/web');
    return Array.from(text.matchAll(/"trail_name":"([^"]+)"/gu), ([, trail = '']) => trail).toSorted();
  };

  it('is killed under load, the other one goes on, and nothing is lost or doubled', async () => {
    const load = new WritingLoad([first.baseUrl, other.baseUrl]);
    try {
      load.start();
      await load.proceed(60);
      await kill(first);
      await load.proceed(60);
      await load.stop();
      await load.expectRecords(other.baseUrl);
      const restarted = await processes.start();
      await load.expectRecords(restarted.baseUrl);
      // The log and the records never disagree.
      expect((await runLog(['verify', '--database', database.url])).at(-1)).toBe(
        'nothing is altered, missing or extra',
      );
    } finally {
      await load.abandon();
    }
  }, 60_000);

  it('is killed in a transaction, its locks do not outlive it', async () => {
    const unanswered = await attestHalf('one', () => kill(first));
    expect((await attest(other, 'two')).status).toBe(201);
    expect(await unanswered()).toBe('no answer');
    expect(await listTrails(other.baseUrl)).toEqual(['two']);
    expect((await attest(other, 'one')).headers.get('idempotent-replayed')).toBeNull();
    expect(await listTrails(other.baseUrl)).toEqual(['one', 'two']);
  }, 60_000);

  it('is stopped in a transaction, the other answers 503 until the server has ended it, and both go on', async () => {
    const answer = await attestHalf('one', () => {
      first.child.kill('SIGSTOP');
    });
    await waitUntil(async () => (await countIdle()) === 1, patience);
    const refused = await attest(other, 'two');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(refused.text).toContain('The service cannot use its storage; nothing was recorded; try again later');
    // Other organizations, and reads, are not concerned.
    expect(await listTrails(other.baseUrl)).toEqual([]);
    expect(await readiness(other)).toBe('OK');
    await waitUntil(async () => (await attest(other, 'two')).status === 201, patience);
    first.child.kill('SIGCONT');
    expect(await answer()).toMatchObject({ status: 503 });
    expect((await attest(first, 'one')).status).toBe(201);
    for (const baseUrl of [first.baseUrl, other.baseUrl]) expect(await listTrails(baseUrl)).toEqual(['one', 'two']);
  }, 60_000);
});
