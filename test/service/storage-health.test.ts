import { beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { StorageHealth } from '../../src/service/storage-health.ts';
import { storageError } from '../../src/service/storage/storage-faults.ts';
import { manualClock, type ManualClock } from '../support/clock.ts';

describe('readiness', () => {
  let clock: ManualClock;
  let health: StorageHealth;
  /** What writing to the storage does. */
  let probe: () => Promise<void>;

  beforeEach(() => {
    clock = manualClock();
    probe = () => Promise.resolve();
    health = new StorageHealth({
      storage: { probe: () => probe() },
      attachments: { probe: () => Promise.resolve() },
      freeBytes: undefined,
      now: () => clock.now(),
      after: (wait, fire) => clock.after(wait, fire),
      log: { info: () => undefined, error: () => undefined },
    });
  });

  /** What is answered within the time; `waiting` if nothing is. */
  const answerWithin = async (milliseconds: number): Promise<string> => {
    const answer = health.check().then((fault) => fault?.reason ?? 'ready');
    await setImmediate();
    await clock.advance(milliseconds);
    await setImmediate();
    return Promise.race([answer, Promise.resolve('waiting')]);
  };
  const beBusy = (): void => {
    probe = () => new Promise(() => undefined);
  };

  it('is answered in time while the disk is busy, if the storage worked a moment ago', async () => {
    expect(await answerWithin(1)).toBe('ready');
    beBusy();
    await clock.advance(1000);
    expect(await answerWithin(20)).toBe('waiting');
    expect(await answerWithin(30)).toBe('ready');
    expect(await answerWithin(30)).toBe('ready');
  });

  it('relies on what it found for seconds only', async () => {
    expect(await answerWithin(1)).toBe('ready');
    beBusy();
    await clock.advance(15_000);
    expect(await answerWithin(1000)).toBe('waiting');
  });

  it('relies on nothing at the start', async () => {
    beBusy();
    expect(await answerWithin(1000)).toBe('waiting');
  });

  it('relies on nothing when a request has failed since, before the question or after it', async () => {
    expect(await answerWithin(1)).toBe('ready');
    beBusy();
    await clock.advance(1000);
    const before = health.check().then(() => 'ready');
    health.storageFailed(storageError('missing'));
    expect(await answerWithin(1000)).toBe('waiting');
    expect(await Promise.race([before, Promise.resolve('waiting')])).toBe('waiting');
  });

  it('does not rely on a fault: a storage that works again is ready at once', async () => {
    probe = () => Promise.reject(storageError('missing'));
    expect(await answerWithin(1)).toBe('missing');
    probe = () => Promise.resolve();
    await clock.advance(1000);
    expect(await answerWithin(1)).toBe('ready');
  });
});
