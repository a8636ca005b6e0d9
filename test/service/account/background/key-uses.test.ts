import { describe, expect, it } from '@jest/globals';
import type { StoredKey } from '../../../../src/service/account/account.ts';
import type { KeyUse } from '../../../../src/service/account/account-records.ts';
import { KeyUses } from '../../../../src/service/account/background/key-uses.ts';
import type { AuditEvent } from '../../../../src/service/audit/audit-event.ts';
import type { Storage } from '../../../../src/service/platform/database/storage.ts';

/** Key uses on a storage that fails as long as `isBroken` is set. */
function createKeyUses() {
  const texts = { written: [] as string[], logged: [] as string[], audited: [] as string[] };
  const state = { now: 1000, isBroken: false, used: new Set<string>(), ...texts };
  const recordKeyUses = (uses: readonly KeyUse[]): Promise<readonly string[]> => {
    if (state.isBroken) return Promise.reject(new Error('the disk is full'));
    state.written.push(uses.map(({ id, at }) => `${id} at ${at}`).join(', '));
    const unused = uses.map(({ id }) => id).filter((id) => !state.used.has(id));
    for (const id of unused) state.used.add(id);
    return Promise.resolve(unused);
  };
  const append = ({ type, actor, subject, at }: AuditEvent): Promise<void> => {
    state.audited.push(`${type} ${subject} by ${actor} at ${at}`);
    return Promise.resolve();
  };
  const storage: Pick<Storage, 'transaction'> = {
    transaction: (_org, work) =>
      work({ accounts: { recordKeyUses }, auditLog: { append } } as unknown as Parameters<typeof work>[0]),
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

function keyWith(id: string, change: Partial<StoredKey> = {}): StoredKey {
  const owner = { ownerKind: 'service account', owner: 'ci', isLimitedToOrg: false } as const;
  return {
    org: 'acme',
    id,
    ...owner,
    description: '',
    secretHash: new Uint8Array(),
    createdAt: 1,
    expiresAt: 1e9,
    ...change,
  };
}

describe('the last uses of keys', () => {
  it('are written together, once in five minutes for each key', async () => {
    const { keyUses, state, timers } = createKeyUses();
    for (const id of ['one', 'two', 'one']) keyUses.note(keyWith(id));
    expect([state.written, timers.length]).toEqual([[], 1]);
    timers[0]?.();
    await keyUses.flush();
    state.now = 1299;
    keyUses.note(keyWith('one'));
    state.now = 1300;
    keyUses.note(keyWith('one'));
    await keyUses.flush();
    expect(state.written).toEqual(['one at 1000, two at 1000', 'one at 1300']);
  });

  it('are in the audit log if they are the first, except of workflow runs, which have just logged in', async () => {
    const { keyUses, state } = createKeyUses();
    keyUses.note(keyWith('one'));
    keyUses.note(keyWith('two', { ownerKind: 'workflow', owner: 'acme/web' }));
    await keyUses.flush();
    state.now = 2000;
    keyUses.note(keyWith('one'));
    await keyUses.flush();
    expect(state.audited).toEqual(['key_first_used key one by service-account:ci at 1000']);
  });

  it('are noted again if they could not be written, which fails no request', async () => {
    const { keyUses, state } = createKeyUses();
    state.isBroken = true;
    keyUses.note(keyWith('one'));
    await keyUses.flush();
    expect(state.logged).toEqual(['the last use of 1 API keys of acme was not recorded: the disk is full']);
    state.isBroken = false;
    keyUses.note(keyWith('one'));
    await keyUses.flush();
    expect(state.written).toEqual(['one at 1000']);
  });

  it('are noted after the clock was set back', async () => {
    const { keyUses, state } = createKeyUses();
    keyUses.note(keyWith('one'));
    state.now = 100;
    keyUses.note(keyWith('one'));
    await keyUses.flush();
    expect(state.written).toEqual(['one at 1000, one at 100']);
  });
});
