import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Dispatcher } from '../../../../src/service/notification/delivery/dispatcher.ts';
import type { Delivery } from '../../../../src/service/notification/notification.ts';
import { Connections } from '../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../src/service/platform/database/postgres/database-url.ts';
import { PostgresStorage } from '../../../../src/service/platform/database/postgres/postgres-storage.ts';
import { concurrent, type TransactionScope } from '../../../../src/service/platform/database/storage.ts';
import { waitUntil } from '../../../../tools/servers/ports.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { type CommitCutter, startCommitCutter } from '../../../support/commit-cutter.ts';
import { sampleEvent, sampleNotification } from '../../../support/notification-samples.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { Records } from '../../../support/records.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';

const patience = 20_000;

describe('a process that loses its database while it delivers', () => {
  let database: TestDatabase;
  let cutter: CommitCutter;
  /** The storage of the process, whose connections can be cut. */
  let storage: PostgresStorage;
  /** The storage of another process, which records the event. */
  let other: PostgresStorage;
  let clock: ManualClock;
  let dispatcher: Dispatcher;
  let sent: Delivery[];
  let told: string[];
  let failed: TransactionScope[];
  /** Runs before a transaction. */
  let before: () => void;
  /** Runs while a delivery is sent. */
  let meanwhile: () => void;

  /** Opens a storage whose time stands still, so it would forever ask for the outcome of a lost commit. */
  const open = (url: string): PostgresStorage =>
    new PostgresStorage(new Connections(parseDatabaseUrl(url)), storageDependencies({ monotonic: () => 0 }));

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    cutter = await startCommitCutter(new URL(database.url));
    const url = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String(cutter.port);
    [storage, other, clock] = [open(url.href), open(database.url), manualClock()];
    [sent, told, failed, before, meanwhile] = [[], [], [], () => undefined, () => undefined];
    const records = new Records(other);
    await records.createOrganization('acme', 1);
    await records.createNotification(sampleNotification());
    await records.recordEvents(sampleEvent({ timestamp: clock.now() / 1000 }));
  });
  afterEach(async () => {
    cutter.refuse(false);
    await dispatcher.stop();
    await storage.close();
    await other.close();
    await cutter.close();
    await database.drop();
  });

  const start = (): void => {
    dispatcher = new Dispatcher({
      storage: {
        read: (work) => storage.read(work),
        transaction: async (scope, work) => {
          before();
          try {
            return await storage.transaction(scope, work);
          } catch (error) {
            failed.push(scope);
            throw error;
          }
        },
        onCommit: (listener) => {
          storage.onCommit(listener);
        },
        probe: () => storage.probe(),
        close: () => storage.close(),
      },
      ...{ now: () => clock.now(), after: (wait, fire) => clock.after(wait, fire) },
      log: { info: (line) => told.push(line), error: (line) => told.push(line) },
      send: (delivery) => {
        sent.push(delivery);
        meanwhile();
        return Promise.resolve();
      },
    });
  };
  /** Lets time pass until the only event has been delivered, and that is recorded. Claims do not expire meanwhile. */
  const waitForDelivery = async (): Promise<void> => {
    const isDelivered = async (): Promise<boolean> => {
      await clock.advance(10_000);
      return (await new Records(other).nextDue(0)) === undefined;
    };
    expect(await waitUntil(isDelivered, patience)).toBe(true);
  };

  it('delivers when it can use it again if its claim was recorded without an answer', async () => {
    let transactions = 0;
    before = () => {
      transactions += 1;
      // The first one looks whether the clock was set back.
      if (transactions === 2) void cutter.cutNext('after');
    };
    start();
    expect(await waitUntil(() => told.length > 0, patience)).toBe(true);
    expect(told.join()).toContain('a notification could not be claimed');
    expect(sent).toEqual([]);
    await waitForDelivery();
    expect(sent).toHaveLength(1);
  });

  it('delivers again when it can use it again if it could neither save the result nor release its claim', async () => {
    meanwhile = () => {
      cutter.refuse(true);
      cutter.reset();
    };
    start();
    const isUnsaved = (): boolean => told.join().includes('the result of its delivery could not be saved');
    expect(await waitUntil(isUnsaved, patience)).toBe(true);
    await clock.advance(10_000);
    expect(await waitUntil(() => failed.includes(concurrent), patience)).toBe(true);
    meanwhile = () => undefined;
    cutter.refuse(false);
    await waitForDelivery();
    expect(sent).toHaveLength(2);
  });
});
