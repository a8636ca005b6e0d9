import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Client, type ClientBase } from 'pg';
import { CommitWatch } from '../../../../../src/service/platform/database/postgres/commit-watch.ts';
import { storageError } from '../../../../../src/service/platform/database/storage-faults.ts';
import { type ManualClock, manualClock } from '../../../../support/clock.ts';

describe('a watch over commits', () => {
  let clock: ManualClock;
  let watch: CommitWatch;
  /** Never connected; it only tells what the server notes. */
  let client: ClientBase;
  let probes: PromiseWithResolvers<undefined>[];
  const never = new Promise<undefined>(() => undefined);

  beforeEach(() => {
    clock = manualClock();
    client = new Client();
    probes = [];
    watch = new CommitWatch({
      after: (wait, fire) => clock.after(wait, fire),
      probe: () => {
        const probe = Promise.withResolvers<undefined>();
        probes.push(probe);
        return probe.promise;
      },
    });
  });

  /** Lets a commit take too long. */
  const getStuck = async (): Promise<void> => {
    const stuck = expect(watch.confirm(client, never)).rejects.toMatchObject({ reason: 'slow' });
    await clock.advance(15_000);
    await stuck;
  };

  it('returns what a commit in time returns, and lets transactions begin without a probe', async () => {
    const commit = Promise.withResolvers<string>();
    const confirmed = watch.confirm(client, commit.promise);
    await clock.advance(14_999);
    commit.resolve('COMMIT');
    expect(await confirmed).toBe('COMMIT');
    await watch.requireCommits();
    expect(probes).toHaveLength(0);
  });

  it('lets no transaction begin after one that took too long, until a probe is committed', async () => {
    await getStuck();
    const refused = [watch.requireCommits(), watch.requireCommits()].map((each) =>
      expect(each).rejects.toMatchObject({ reason: 'slow' }),
    );
    await clock.advance(1000);
    await Promise.all(refused);
    expect(probes).toHaveLength(1);
    const waiting = watch.requireCommits();
    probes[0]?.resolve(undefined);
    await waiting;
    await watch.requireCommits();
    expect(probes).toHaveLength(1);
  });

  it('says why a probe failed, and tries another one', async () => {
    await getStuck();
    const refused = expect(watch.requireCommits()).rejects.toMatchObject({ reason: 'unreachable' });
    probes[0]?.reject(storageError('unreachable'));
    await refused;
    const waiting = watch.requireCommits();
    probes[1]?.resolve(undefined);
    await waiting;
  });

  it('does not confirm a commit with a warning, as after a canceled wait for a standby', async () => {
    const commit = Promise.withResolvers<undefined>();
    const confirmed = expect(watch.confirm(client, commit.promise)).rejects.toThrow('canceled');
    emit({ code: '01000' });
    commit.resolve(undefined);
    await confirmed;
  });

  it('confirms a commit with another note, and stops listening', async () => {
    const commit = Promise.withResolvers<undefined>();
    const confirmed = watch.confirm(client, commit.promise);
    emit({ code: '00000' });
    commit.resolve(undefined);
    await confirmed;
    await setImmediate();
    expect(client instanceof EventEmitter && client.listenerCount('notice')).toBe(0);
  });

  const emit = (notice: { readonly code: string }): void => {
    if (client instanceof EventEmitter) client.emit('notice', notice);
  };
});
