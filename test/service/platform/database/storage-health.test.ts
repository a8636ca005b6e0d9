import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { storageError } from '../../../../src/service/platform/database/storage-faults.ts';
import { StorageHealth } from '../../../../src/service/platform/database/storage-health.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';

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
    const answer = health.check().then(({ storage }) => storage?.reason ?? 'ready');
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

  it('is slow if nothing is known for seconds, and ready at once when the storage answers', async () => {
    const silence = Promise.withResolvers<undefined>();
    probe = () => silence.promise;
    expect(await answerWithin(3999)).toBe('waiting');
    expect(await answerWithin(1)).toBe('slow');
    expect(await answerWithin(1)).toBe('slow');
    silence.resolve(undefined);
    await setImmediate();
    expect(await answerWithin(1)).toBe('ready');
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

describe('the readiness of an object storage', () => {
  let clock: ManualClock;
  let health: StorageHealth;
  let logged: string[];
  /** What writing to the object storage does. */
  let probe: () => Promise<void>;

  beforeEach(() => {
    clock = manualClock();
    logged = [];
    probe = () => Promise.resolve();
    health = new StorageHealth({
      storage: { probe: () => Promise.resolve() },
      attachments: { probe: () => Promise.resolve(), objectStorage: { probe: () => probe() } },
      freeBytes: undefined,
      now: () => clock.now(),
      after: (wait, fire) => clock.after(wait, fire),
      log: { info: (line) => logged.push(line), error: (line) => logged.push(line) },
    });
  });

  /** What is answered within half a second. */
  const answer = async (): Promise<string> => {
    const checked = health.check().then(({ storage, objectStorage }) => [storage?.reason, objectStorage?.reason]);
    await setImmediate();
    await clock.advance(500);
    return JSON.stringify(await checked);
  };
  const working = '[null,null]';
  const unreachable = '[null,"unreachable"]';

  it('is apart from that of the storage, and is logged', async () => {
    expect(await answer()).toBe(working);
    probe = () => Promise.reject(storageError('inaccessible'));
    expect(await answer()).toBe('[null,"inaccessible"]');
    expect(await answer()).toBe('[null,"inaccessible"]');
    probe = () => Promise.resolve();
    expect(await answer()).toBe(working);
    expect(logged).toEqual(['the object storage is not writable', 'the object storage is writable again']);
  });

  it('delays no answer if it does not answer', async () => {
    const silence = Promise.withResolvers<undefined>();
    probe = () => silence.promise;
    expect(await answer()).toBe(unreachable);
    expect(await answer()).toBe(unreachable);
    silence.resolve(undefined);
    await setImmediate();
    expect(await answer()).toBe(working);
  });

  it('is believed for seconds only after its last answer', async () => {
    expect(await answer()).toBe(working);
    probe = () => new Promise(() => undefined);
    expect(await answer()).toBe(working);
    await clock.advance(15_000);
    expect(await answer()).toBe(unreachable);
  });
});
