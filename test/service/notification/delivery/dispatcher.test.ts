import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EnvironmentEvent } from '../../../../src/service/environment/environment-event.ts';
import { Dispatcher } from '../../../../src/service/notification/delivery/dispatcher.ts';
import type { SendNotification } from '../../../../src/service/notification/delivery/send-notification.ts';
import { type Delivery, retryDelay } from '../../../../src/service/notification/notification.ts';
import { SqliteStorage } from '../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { type ManualClock, manualClock, startOfTime } from '../../../support/clock.ts';
import { sampleEvent, sampleNotification, settle } from '../../../support/notification-samples.ts';
import { Records } from '../../../support/records.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';
import { createDataFolder } from '../../../support/test-storage.ts';

/** What becomes of a delivery: a promise that the test settles. */
interface Attempt {
  readonly delivery: Delivery;
  readonly signal: AbortSignal;
  take(): void;
  refuse(words?: string): void;
}

describe('the dispatcher', () => {
  let folder: string;
  let storage: SqliteStorage;
  let records: Records;
  let clock: ManualClock;
  let dispatcher: Dispatcher;
  let attempts: Attempt[];
  let told: string[];
  /** How far the clock is ahead, in seconds. */
  let ahead: number;

  const attemptDelivery: SendNotification = (delivery, signal) =>
    new Promise((resolve, reject) => {
      const refuse = (words = 'it answered 500'): void => {
        reject(new Error(words));
      };
      signal.addEventListener('abort', () => {
        refuse('aborted');
      });
      attempts.push({ delivery, signal, take: resolve, refuse });
    });
  const start = (send: SendNotification = attemptDelivery): Dispatcher =>
    new Dispatcher({
      storage,
      now: () => clock.now() + ahead * 1000,
      after: (wait, fire) => clock.after(wait, fire),
      log: { info: (line) => told.push(line), error: (line) => told.push(line) },
      send,
    });
  beforeEach(async () => {
    folder = await createDataFolder();
    storage = new SqliteStorage(folder, storageDependencies());
    records = new Records(storage);
    clock = manualClock();
    [attempts, told, ahead] = [[], [], 0];
    await records.createOrganization('acme', 1);
    dispatcher = start();
  });
  afterEach(async () => {
    await dispatcher.stop();
    await storage.close();
    await rm(folder, { recursive: true });
  });

  const notify = (environment = 'prod', org = 'acme'): Promise<number> =>
    records.createNotification(sampleNotification({ org, environments: [environment] }));
  const happen = async (...changes: readonly Partial<EnvironmentEvent>[]): Promise<void> => {
    const timestamp = clock.now() / 1000 + ahead;
    await records.broadcast(...changes.map((change) => sampleEvent({ timestamp, ...change })));
    await settle();
  };
  const advance = async (seconds: number): Promise<void> => {
    await clock.advance(seconds * 1000);
    await settle();
  };
  const setClock = async (seconds: number): Promise<void> => {
    ahead = seconds;
    dispatcher.clockChanged();
    await settle();
  };
  const attempt = (index: number): Attempt => {
    const found = attempts[index];
    if (found === undefined) throw new Error(`there were ${attempts.length} attempts`);
    return found;
  };
  const slack = { type: 'SLACK', webhook: 'https://hooks.example.com/secret' } as const;
  const state = async (): Promise<unknown> => (await records.findTargets('acme', 1))?.[0];

  it('delivers an event as soon as it is written, once', async () => {
    await notify();
    await happen({});
    expect(attempts).toHaveLength(1);
    attempt(0).take();
    await settle();
    await advance(100_000);
    expect(attempts).toHaveLength(1);
    expect(await state()).toMatchObject({ attempts: 0, lastSuccessAt: startOfTime / 1000 });
    // It looks again later.
    expect(clock.pending()).toBe(1);
  });

  it('retries after increasing waits until the target accepts it, and logs that', async () => {
    await notify();
    await happen({});
    for (const [index, wait] of [10, 20, 40].entries()) {
      attempt(index).refuse();
      await settle();
      expect(await state()).toMatchObject({ lastError: {} });
      await advance(wait - 1);
      expect(attempts).toHaveLength(index + 1);
      await advance(1);
      expect(attempts).toHaveLength(index + 2);
    }
    attempt(3).take();
    await settle();
    expect(await state()).toMatchObject({ attempts: 0, lastSuccessAt: startOfTime / 1000 + 70 });
    expect(told).toContain(
      'notification 1 of acme to https://hooks.example.com/…: it answered 500; next attempt in 20 s',
    );
    expect(told.join()).not.toContain('secret');
  });

  it('logs the reason in one line, and never the path of the URL', async () => {
    await notify();
    await happen({});
    attempt(0).refuse('https://hooks.example.com/secret: no\r\nnotification 2 of acme: delivered');
    await settle();
    const reason = '…: no\\r\\nnotification 2 of acme: delivered';
    expect(await records.findTargets('acme', 1)).toMatchObject([{ lastError: { reason, at: startOfTime / 1000 } }]);
    expect(told).toEqual([`notification 1 of acme to https://hooks.example.com/…: ${reason}; next attempt in 10 s`]);
  });

  it('keeps the order of the events, also while the first one fails', async () => {
    await notify();
    await happen({ snapshot: 1 }, { snapshot: 2 });
    attempt(0).refuse();
    await settle();
    expect(attempts).toHaveLength(1);
    await advance(10);
    attempt(1).take();
    await settle();
    attempt(2).take();
    await settle();
    expect(attempts.map(({ delivery }) => delivery.event.snapshot)).toEqual([1, 1, 2]);
  });

  it('gives up on an event after three days, and soon on others that are as old', async () => {
    await notify();
    await happen({ timestamp: clock.now() / 1000 - 1 }, { timestamp: clock.now() / 1000 - 1, snapshot: 2 });
    await advance(3600);
    await happen({ snapshot: 3 });
    for (let index = 0; attempts.at(-1)?.delivery.event.snapshot === 1; index += 1) {
      attempt(index).refuse();
      await settle();
      await advance(retryDelay(index + 1));
    }
    expect(clock.now() - startOfTime).toBeGreaterThanOrEqual(3 * 86_400_000 - 3_600_000);
    expect(told.join()).toContain('too old, dropped');
    expect(await state()).toMatchObject({ lastError: {} });
    attempts.at(-1)?.refuse();
    await settle();
    await advance(retryDelay(1));
    expect(attempts.at(-1)?.delivery.event.snapshot).toBe(3);
  });

  it('drops nothing because the clock is wrong while a target fails', async () => {
    await notify();
    await happen({});
    await setClock(1e9);
    attempt(0).refuse();
    await settle();
    expect(told.join()).not.toContain('dropped');
    await setClock(0);
    expect(attempts).toHaveLength(2);
    attempt(1).take();
    await settle();
    expect(await state()).toMatchObject({ attempts: 0 });
  });

  it('delivers what happened while the clock was ahead, once it is set back', async () => {
    await notify();
    await setClock(1e9);
    await happen({ snapshot: 1 }, { snapshot: 2 });
    attempt(0).refuse();
    await settle();
    await setClock(0);
    expect(attempts).toHaveLength(2);
    attempt(1).take();
    await settle();
    expect(attempt(2).delivery.event.snapshot).toBe(2);
    attempt(2).refuse();
    await settle();
    await advance(10);
    expect(attempts).toHaveLength(4);
  });

  it('delivers what is overdue if the clock was set back while no service ran', async () => {
    await notify();
    ahead = 1e9;
    await happen({});
    await dispatcher.stop();
    ahead = 0;
    dispatcher = start();
    await settle();
    expect(attempts).toHaveLength(2);
  });

  it('delivers what is due if the clock was set forward', async () => {
    await notify();
    await happen({});
    attempt(0).refuse();
    await settle();
    await setClock(10);
    expect(attempts).toHaveLength(2);
  });

  it('calls at most eight targets at once, and a silent one delays no other', async () => {
    for (let index = 0; index < 10; index += 1) await notify(`env-${index}`);
    await happen(...Array.from({ length: 10 }, (_, index) => ({ environment: `env-${index}` })));
    expect(attempts).toHaveLength(8);
    attempt(3).take();
    await settle();
    expect(attempts).toHaveLength(9);
    attempt(0).take();
    await settle();
    expect(new Set(attempts.map(({ delivery }) => delivery.number)).size).toBe(10);
  });

  it('delivers to one organization at once while many targets of another do not answer', async () => {
    await records.createOrganization('busy', 1);
    for (let index = 0; index < 200; index += 1) await notify(`env-${index}`, 'busy');
    await happen(...Array.from({ length: 200 }, (_, index) => ({ org: 'busy', environment: `env-${index}` })));
    await notify();
    for (let snapshot = 1; snapshot <= 5; snapshot += 1) {
      const before = attempts.length;
      await happen({ snapshot });
      expect(attempts.slice(before).map(({ delivery }) => [delivery.org, delivery.event.snapshot])).toEqual([
        ['acme', snapshot],
      ]);
      attempt(before).take();
      await settle();
    }
    // Nothing of the slow ones is lost: all of them are tried, again and again.
    for (let round = 0; round < 60; round += 1) await advance(20);
    const tried = attempts.filter(({ delivery }) => delivery.org === 'busy').map(({ delivery }) => delivery.number);
    expect(new Set(tried).size).toBe(200);
  });

  it('adds an event for many targets to their queues in turns with other organizations', async () => {
    await dispatcher.stop();
    await records.createOrganization('zeta', 1);
    const targets = Array.from({ length: 250 }, () => slack);
    await records.createNotification(sampleNotification({ targets }));
    await notify('prod', 'zeta');
    const commits: string[] = [];
    const transaction = storage.transaction.bind(storage);
    storage.transaction = (scope, work) => {
      commits.push(String(scope));
      return transaction(scope, work);
    };
    await records.broadcast(sampleEvent(), sampleEvent({ org: 'zeta' }));
    commits.length = 0;
    dispatcher = start();
    await settle();
    await settle();
    expect(commits.filter((scope) => scope === 'acme' || scope === 'zeta')).toEqual(['acme', 'zeta', 'acme', 'acme']);
    expect((await records.findTargets('acme', 1))?.filter(({ waiting }) => waiting === 1)).toHaveLength(250);
  });

  it('tries again later if an event cannot be added to the queues', async () => {
    await dispatcher.stop();
    await notify();
    const holder = new DatabaseSync(join(folder, 'compliance.sqlite'));
    await happen({});
    holder.exec("CREATE TRIGGER full BEFORE INSERT ON deliveries BEGIN SELECT RAISE(ABORT, 'no space left'); END");
    dispatcher = start();
    await settle();
    expect(told.join()).toContain('notifications of acme could not be added to the outbox; this is tried again');
    holder.exec('DROP TRIGGER full');
    holder.close();
    await advance(9);
    expect(attempts).toHaveLength(0);
    await advance(1);
    expect(attempts).toHaveLength(1);
  });

  it('logs sixty failed deliveries a minute, and how many more there were', async () => {
    await dispatcher.stop();
    dispatcher = start(() => Promise.reject(new Error('it answered 500')));
    const targets = Array.from({ length: 70 }, () => slack);
    await records.createNotification(sampleNotification({ targets }));
    await happen({});
    for (let round = 0; round < 9; round += 1) await advance(1);
    expect(told).toHaveLength(60);
    await dispatcher.stop();
    expect(told.slice(60)).toEqual(['10 more failed deliveries were not logged separately']);
  });

  it('delivers to a target that works while the other targets of its organization do not answer', async () => {
    for (let index = 0; index < 20; index += 1) await notify(`env-${index}`);
    await happen(...Array.from({ length: 20 }, (_, index) => ({ environment: `env-${index}` })));
    // By now all of them have failed at least once.
    for (let round = 0; round < 6; round += 1) await advance(20);
    await notify();
    const before = attempts.length;
    await happen({});
    expect(attempts.slice(before).map(({ delivery }) => delivery.number)).toContain(21);
  });

  it('calls a target at its time although a delivery to another one is in flight', async () => {
    await notify();
    await notify('stage');
    await happen({}, { environment: 'stage' });
    attempt(0).refuse();
    await settle();
    await advance(10);
    expect(attempts.map(({ delivery }) => delivery.number)).toEqual([1, 2, 1]);
  });

  it('abandons a delivery that cannot be aborted', async () => {
    await dispatcher.stop();
    let calls = 0;
    dispatcher = start(() => {
      calls += 1;
      return new Promise(() => undefined);
    });
    await notify();
    await happen({});
    await advance(20);
    await advance(10);
    expect(calls).toBe(2);
  });

  it('aborts a delivery to a target that does not respond', async () => {
    await notify();
    await happen({});
    await advance(20);
    expect(attempt(0).signal.aborted).toBe(true);
    expect(told.join()).toContain('no answer within 20 s; next attempt in 10 s');
    await advance(10);
    expect(attempts).toHaveLength(2);
  });

  it('stops at once, and repeats aborted deliveries after the next start', async () => {
    await notify();
    await happen({});
    await dispatcher.stop();
    expect(attempt(0).signal.aborted).toBe(true);
    expect(await state()).toMatchObject({ attempts: 0 });
    await happen({ snapshot: 2 });
    expect(attempts).toHaveLength(1);
    dispatcher = start();
    await settle();
    expect(attempt(1).delivery.event.snapshot).toBe(1);
    // The time limit of the delivery, and the next look.
    expect(clock.pending()).toBe(2);
  });

  it('waits after the storage failed, and does not deliver again and again', async () => {
    await notify();
    const holder = new DatabaseSync(join(folder, 'compliance.sqlite'));
    await happen({});
    // The write that follows finds the outbox gone.
    holder.exec('ALTER TABLE deliveries RENAME TO hidden');
    attempt(0).take();
    await settle();
    expect(told.join()).toContain('the result of its delivery could not be saved');
    holder.exec('ALTER TABLE hidden RENAME TO deliveries');
    holder.close();
    await advance(9);
    expect(attempts).toHaveLength(1);
    await advance(1);
    expect(attempts).toHaveLength(2);
    attempt(1).take();
    await settle();
    expect(await state()).toMatchObject({ attempts: 0, lastSuccessAt: startOfTime / 1000 + 10 });
  });
});
