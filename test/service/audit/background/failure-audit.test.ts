import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../../../src/service/audit/audit-event.ts';
import { FailureAudit } from '../../../../src/service/audit/background/failure-audit.ts';
import type { Storage } from '../../../../src/service/platform/database/storage.ts';

/** An audit of failures on a storage with the organizations `acme` and `other`. */
function createAudit() {
  const state = { now: 0, isBroken: false, written: [] as AuditEvent[], logged: [] as string[], lookups: 0 };
  const exists = (org: string): Promise<boolean> => {
    state.lookups += 1;
    return Promise.resolve(['acme', 'other'].includes(org));
  };
  const append = (event: AuditEvent): Promise<void> => {
    if (state.isBroken) return Promise.reject(new Error('the disk is full'));
    state.written.push(event);
    return Promise.resolve();
  };
  const storage: Pick<Storage, 'read' | 'transaction'> = {
    read: (work) => work({ organizations: { exists } } as unknown as Parameters<typeof work>[0]),
    transaction: (_org, work) => work({ auditLog: { append } } as unknown as Parameters<typeof work>[0]),
  };
  const audit = new FailureAudit({
    storage,
    now: () => state.now,
    after: () => () => undefined,
    log: { info: (line) => state.logged.push(line), error: () => undefined },
  });
  const fail = (count: number, org = 'acme'): void => {
    for (let index = 0; index < count; index += 1) {
      audit.note({ org, type: 'authentication_failed', subject: 'key one', details: { reason: 'was wrong' } });
    }
  };
  return { audit, state, fail };
}

describe('failed authentications in the audit log', () => {
  it('are few, however many fail, and end with their number', async () => {
    const { audit, state, fail } = createAudit();
    fail(100_000);
    fail(1, 'other');
    await audit.flush();
    expect(state.written).toHaveLength(21);
    expect(state.written[0]).toEqual({
      ...{ org: 'acme', type: 'authentication_failed', at: 0, actor: 'unknown', subject: 'key one' },
      details: { reason: 'was wrong' },
    });
    state.now = 3_600_000;
    fail(1);
    await audit.flush();
    expect(state.written.slice(21)).toMatchObject([
      { subject: 'more failures', details: { count: '99980', since: '1970-01-01T00:00:00.000Z' } },
      { subject: 'key one', at: 3600 },
    ]);
  });

  it('have their number when the service stops', async () => {
    const { audit, state, fail } = createAudit();
    fail(21);
    await audit.stop();
    expect(state.written.at(-1)).toMatchObject({ subject: 'more failures', details: { count: '1' } });
  });

  it('are not written for organizations that do not exist', async () => {
    const { audit, state, fail } = createAudit();
    fail(5, 'nobody');
    await audit.stop();
    expect(state.written).toEqual([]);
  });

  it('are left out if names of organizations come faster than they can be looked up', async () => {
    const { audit, state, fail } = createAudit();
    for (let index = 0; index < 5000; index += 1) fail(1, `nobody-${index}`);
    await audit.flush();
    expect(state.lookups).toBe(1000);
    fail(1);
    await audit.stop();
    expect(state.written).toHaveLength(1);
  });

  it('are logged as missing if they cannot be written', async () => {
    const { audit, state, fail } = createAudit();
    state.isBroken = true;
    fail(2);
    await audit.stop();
    expect(state.logged).toEqual(['2 failed authentications of acme are missing in the audit log: the disk is full']);
  });
});
