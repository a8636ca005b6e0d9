import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Dispatcher } from '../../../../src/service/notification/delivery/dispatcher.ts';
import type { DeliveryWriter } from '../../../../src/service/notification/delivery-records.ts';
import type { Delivery, TargetReference } from '../../../../src/service/notification/notification.ts';
import { SqliteStorage } from '../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { concurrent, type Storage, type WriteTransaction } from '../../../../src/service/platform/database/storage.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { sampleEvent, sampleNotification, settle } from '../../../support/notification-samples.ts';
import { Records } from '../../../support/records.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';
import { createDataFolder } from '../../../support/test-storage.ts';

describe('the dispatcher of one of several processes', () => {
  let folder: string;
  let sqlite: SqliteStorage;
  let records: Records;
  let clock: ManualClock;
  let dispatcher: Dispatcher;
  let told: string[];
  let sent: Delivery[];
  let accept: () => void;
  /** The notifications whose targets another process claims first, and releases. */
  let taken: Set<number>;
  /** Whether transactions fail, except those that wait for no others. */
  let isBroken: boolean;
  let released: number[];

  const claimWriter: Pick<DeliveryWriter, 'rearm' | 'claim' | 'release'> = {
    rearm: () => Promise.resolve(),
    claim: (target) => (taken.delete(target.number) ? Promise.resolve(undefined) : records.firstDelivery(target)),
    release: ({ number }: TargetReference) => {
      released.push(number);
      return Promise.resolve();
    },
  };
  /** As in a database of several processes, commits of others are not told. */
  const shared: Storage = {
    read: (work) => sqlite.read(work),
    transaction: (scope, work) =>
      scope === concurrent
        ? work({ deliveries: claimWriter } as unknown as WriteTransaction)
        : isBroken
          ? Promise.reject(new Error('no space left'))
          : sqlite.transaction(scope, work),
    onCommit: () => undefined,
    probe: () => sqlite.probe(),
    close: () => sqlite.close(),
  };
  const advance = async (milliseconds: number): Promise<void> => {
    await clock.advance(milliseconds);
    await settle();
  };
  const happen = async (...environments: readonly string[]): Promise<void> => {
    const timestamp = clock.now() / 1000;
    await records.recordEvents(...environments.map((environment) => sampleEvent({ timestamp, environment })));
    await settle();
  };

  beforeEach(async () => {
    folder = await createDataFolder();
    sqlite = new SqliteStorage(folder, storageDependencies());
    records = new Records(sqlite);
    clock = manualClock();
    [told, sent, taken, released, isBroken] = [[], [], new Set(), [], false];
    await records.createOrganization('acme', 1);
    for (const environment of ['prod', 'stage']) {
      await records.createNotification(sampleNotification({ environments: [environment] }));
    }
    dispatcher = new Dispatcher({
      storage: shared,
      ...{ now: () => clock.now(), after: (wait, fire) => clock.after(wait, fire) },
      log: { info: (line) => told.push(line), error: (line) => told.push(line) },
      send: (delivery) => {
        sent.push(delivery);
        return new Promise((resolve) => {
          accept = resolve;
        });
      },
    });
    await settle();
  });
  afterEach(async () => {
    await dispatcher.stop();
    await sqlite.close();
    await rm(folder, { recursive: true });
  });

  it('delivers within ten seconds what another process has written', async () => {
    await happen('prod');
    expect(sent).toHaveLength(0);
    await advance(10_000);
    expect(sent).toMatchObject([{ number: 1 }]);
    accept();
    await settle();
    expect(await records.dueTargets(clock.now() / 1000, 10)).toEqual([]);
    await dispatcher.stop();
    expect(released).toEqual([]);
  });

  it('delivers only to targets that it claims, and to others when their claims have ended', async () => {
    taken.add(1);
    await happen('prod', 'stage');
    await advance(10_000);
    expect(sent).toMatchObject([{ number: 2 }, { number: 1 }]);
  });

  it('releases its claims when it stops', async () => {
    await happen('prod', 'stage');
    await advance(10_000);
    expect(sent).toHaveLength(2);
    await dispatcher.stop();
    expect(released).toEqual([1, 2]);
  });

  it('releases a claim after a pause if the result could not be saved', async () => {
    await happen('prod');
    await advance(10_000);
    isBroken = true;
    accept();
    await settle();
    expect(told.join()).toContain('the result of its delivery could not be saved');
    expect(released).toEqual([]);
    isBroken = false;
    await advance(10_000);
    expect(released).toEqual([1]);
    expect(sent).toHaveLength(2);
  });

  it('looks again after a claim has failed', async () => {
    const { claim } = claimWriter;
    claimWriter.claim = () => Promise.reject(new Error('the connection was lost'));
    await happen('prod');
    await advance(10_000);
    expect(told.join()).toContain('a notification could not be claimed');
    claimWriter.claim = claim;
    await advance(10_000);
    expect(sent).toMatchObject([{ number: 1 }]);
  });
});
