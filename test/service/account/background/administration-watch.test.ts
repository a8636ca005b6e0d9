import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { errorMessage } from '../../../../src/runtime/failure.ts';
import type { AdministrationEnd } from '../../../../src/service/account/account-records.ts';
import { startAdministrationWatch } from '../../../../src/service/account/background/administration-watch.ts';
import type { Storage } from '../../../../src/service/platform/database/storage.ts';

const day = 86_400;

/** A watch over these organizations, at 2026-01-01T00:00:00Z. */
function watch(list: (from: number, until: number) => readonly AdministrationEnd[]) {
  const state = { now: 1_767_225_600, logged: [] as string[], delays: [] as number[], cancelled: 0 };
  const listAdministrationEnds = (period: { from: number; until: number }): Promise<readonly AdministrationEnd[]> =>
    Promise.resolve(list(period.from - state.now, period.until - state.now));
  const storage: Pick<Storage, 'read'> = {
    read: async (work) => work({ accounts: { listAdministrationEnds } } as unknown as Parameters<typeof work>[0]),
  };
  const timers: (() => void)[] = [];
  const start = () =>
    startAdministrationWatch({
      storage,
      now: () => state.now * 1000,
      after: (delay, fire) => {
        state.delays.push(delay);
        timers.push(fire);
        return () => (state.cancelled += 1);
      },
      log: {
        info: (line) => state.logged.push(line),
        error: (line, error) => state.logged.push(`${line}: ${errorMessage(error)}`),
      },
    });
  return { start, state, timers };
}

describe('the operator', () => {
  it('is warned of organizations whose admins have no valid key any more, or soon, with the remedy', async () => {
    const periods: unknown[] = [];
    const { start, state, timers } = watch((from, until) => {
      periods.push([from, until]);
      return [
        { org: 'acme', at: 1_767_225_600 + day },
        { org: 'late', at: 1_767_225_600 - day },
      ];
    });
    const watched = start();
    await setImmediate();
    expect(state.logged).toEqual([
      'the last valid key of the admins of organization acme expires on 2026-01-02T00:00:00Z; an admin should create ' +
        'a new one before, and from then on only the operator can, with: npm run service -- create-key --org acme',
      'nobody can administer organization late: the last key of its admins expired on 2025-12-31T00:00:00Z; ' +
        'create a new one with: npm run service -- create-key --org late',
    ]);
    expect([periods, state.delays]).toEqual([[[-30 * day, 30 * day]], [12 * 3_600_000]]);
    state.now += day - 3600;
    timers[0]?.();
    await setImmediate();
    await watched.stop();
    expect(state.logged).toHaveLength(4);
  });

  it('is warned as soon as the last key expires', async () => {
    const { start, state } = watch(() => [{ org: 'acme', at: 1_767_225_600 + 60.5 }]);
    const watched = start();
    await setImmediate();
    expect(state.delays).toEqual([61_500]);
    await watched.stop();
    expect(state.cancelled).toBe(1);
  });

  it('gets at most 20 names at once', async () => {
    const ends = Array.from({ length: 21 }, (_, index) => ({ org: `org${index}`, at: 1_767_225_600 }));
    const { start, state } = watch(() => ends);
    const watched = start();
    await setImmediate();
    expect([state.logged.length, state.logged[20]]).toEqual([
      21,
      'the keys of the admins of further organizations expire soon or have expired',
    ]);
    await watched.stop();
  });

  it('is told if the storage fails, and the watch goes on', async () => {
    const { start, state } = watch(() => {
      throw new Error('the disk is gone');
    });
    const watched = start();
    await setImmediate();
    expect([state.logged, state.delays.length]).toEqual([
      ['keys of admins that expire soon could not be found; trying again: the disk is gone'],
      1,
    ]);
    await watched.stop();
  });
});
