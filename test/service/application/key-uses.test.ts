import { describe, expect, it } from '@jest/globals';
import { KeyUses } from '../../../src/service/application/key-uses.ts';
import type { KeyUse } from '../../../src/service/storage/accounts.ts';
import type { Storage } from '../../../src/service/storage/storage.ts';

/** Key uses on a storage that fails as long as `isBroken` is set. */
function createKeyUses() {
  const state = { now: 1000, isBroken: false, written: [] as string[], logged: [] as string[] };
  const recordKeyUses = (uses: readonly KeyUse[]): Promise<void> => {
    if (state.isBroken) return Promise.reject(new Error('the disk is full'));
    state.written.push(uses.map(({ id, at }) => `${id} at ${at}`).join(', '));
    return Promise.resolve();
  };
  const storage: Pick<Storage, 'transaction'> = {
    transaction: (_org, work) => work({ accounts: { recordKeyUses } } as unknown as Parameters<typeof work>[0]),
  };
  const timers: (() => void)[] = [];
  const keyUses = new KeyUses({
    storage,
    now: () => state.now * 1000,
    after: (_delay, fire) => {
      timers.push(fire);
      return () => undefined;
    },
    log: { info: (line) => state.logged.push(line), error: () => undefined },
  });
  return { keyUses, state, timers };
}

describe('the last uses of keys', () => {
  it('are written together, once in five minutes for each key', async () => {
    const { keyUses, state, timers } = createKeyUses();
    for (const id of ['one', 'two', 'one']) keyUses.note({ org: 'acme', id });
    expect([state.written, timers.length]).toEqual([[], 1]);
    timers[0]?.();
    await keyUses.flush();
    state.now = 1299;
    keyUses.note({ org: 'acme', id: 'one' });
    state.now = 1300;
    keyUses.note({ org: 'acme', id: 'one' });
    await keyUses.stop();
    expect(state.written).toEqual(['one at 1000, two at 1000', 'one at 1300']);
  });

  it('are noted again if they could not be written, which fails no request', async () => {
    const { keyUses, state } = createKeyUses();
    state.isBroken = true;
    keyUses.note({ org: 'acme', id: 'one' });
    await keyUses.flush();
    expect(state.logged).toEqual(['the last use of 1 API keys of acme was not recorded: the disk is full']);
    state.isBroken = false;
    keyUses.note({ org: 'acme', id: 'one' });
    await keyUses.stop();
    expect(state.written).toEqual(['one at 1000']);
  });

  it('are noted after the clock was set back', async () => {
    const { keyUses, state } = createKeyUses();
    keyUses.note({ org: 'acme', id: 'one' });
    state.now = 100;
    keyUses.note({ org: 'acme', id: 'one' });
    await keyUses.stop();
    expect(state.written).toEqual(['one at 1000, one at 100']);
  });
});
