import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredKey } from '../../../../src/service/account/account.ts';
import { hashSecret } from '../../../../src/service/account/api-key.ts';
import type { AuditEvent } from '../../../../src/service/audit/audit-event.ts';
import type { AuditFilter } from '../../../../src/service/audit/audit-log-records.ts';
import type { LoginRule } from '../../../../src/service/login/login-rule.ts';
import type { Storage } from '../../../../src/service/platform/database/storage.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

const rule = (change: Partial<LoginRule> = {}): LoginRule => ({
  ...{ name: 'deploy', description: '', issuer: 'https://issuer.example.com' },
  ...{ repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'] },
  ...{ private_pull_requests: false, role: 'member' },
  ...{ created_at: 1.5, created_by: 'ann', last_modified_at: 2.5 },
  ...change,
});

const proven = {
  ...{ issuer: 'https://issuer.example.com', subject: 'repo:acme/web', repository: 'acme/web', repository_id: '123' },
  ...{ run_id: '1', run_attempt: '1', event_name: 'push', ref: 'refs/heads/main' },
};

const key = (change: Partial<StoredKey> = {}): StoredKey => ({
  ...{ org: 'acme', id: 'key1', ownerKind: 'workflow', owner: 'acme/web', isLimitedToOrg: true, description: 'Run 1' },
  ...{ secretHash: Buffer.from('hash'), createdAt: 10, expiresAt: 910 },
  login: { rules: ['build', 'deploy'], proven },
  ...change,
});

const event = (change: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{ org: 'acme', type: 'key_created', at: 5.5, actor: 'ann', subject: 'key key1', details: { owner: 'ann' } },
  ...change,
});

/** What every storage adapter must do with logins of workflow runs, and with the audit log. */
export function describeLogins(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let storage: Storage;

    beforeEach(async () => {
      tested = await open();
      ({ storage } = tested.records);
      for (const org of ['acme', 'other']) {
        await storage.transaction(org, ({ organizations }) => organizations.insert(org, 1));
      }
    });
    afterEach(async () => {
      await tested.remove();
    });

    const save = (saved: LoginRule, org = 'acme'): Promise<void> =>
      storage.transaction(org, ({ loginRules }) => loginRules.save(org, saved));
    const list = (org: string): Promise<readonly LoginRule[]> => storage.read(({ loginRules }) => loginRules.list(org));
    const insertKey = (inserted: StoredKey): Promise<unknown> =>
      storage.transaction(inserted.org, ({ accounts }) => accounts.insertKey(inserted));
    const findKey = (id: string): Promise<StoredKey | undefined> =>
      storage.read(({ accounts }) => accounts.findKey(id));

    it('keeps login rules of each organization by name, also when it is opened again', async () => {
      const second = rule({ name: 'build', workflows: ['.github/workflows/ci.yml'], environments: [] });
      for (const saved of [rule(), second]) await save(saved);
      await save(rule({ role: 'reader' }), 'other');
      ({ storage } = (await tested.reopen()).records);
      expect(await list('acme')).toEqual([second, rule()]);
      expect(await storage.read(({ loginRules }) => loginRules.find('other', 'deploy'))).toEqual(
        rule({ role: 'reader' }),
      );
      expect(await storage.read(({ loginRules }) => loginRules.find('acme', 'none'))).toBeUndefined();
    });

    it('replaces and deletes login rules', async () => {
      await save(rule({ flows: ['web'] }));
      const replacement = rule({ refs: ['refs/**'], last_modified_at: 9 });
      await save(replacement);
      expect(await list('acme')).toEqual([replacement]);
      const remove = (): Promise<string> =>
        storage.transaction('acme', ({ loginRules }) => loginRules.delete('acme', 'deploy'));
      expect([await remove(), await remove()]).toEqual(['deleted', 'not found']);
    });

    it('lists and counts valid keys from logins', async () => {
      await insertKey(key());
      await insertKey(key({ id: 'key2', owner: 'acme/api' }));
      await insertKey(key({ id: 'key3', expiresAt: 500 }));
      await insertKey(key({ id: 'key4', revokedAt: 100 }));
      await insertKey(key({ id: 'key5', org: 'other' }));
      await insertKey(key({ id: 'key6', ownerKind: 'user', owner: 'acme-web', login: undefined }));
      const list = async (offset: number, limit: number): Promise<readonly string[]> => {
        const keys = await storage.read(({ accounts }) => accounts.listLoginKeys('acme', 500, { offset, limit }));
        return keys.map(({ id }) => id);
      };
      expect([await list(0, 9), await list(1, 1)]).toEqual([['key2', 'key1'], ['key1']]);
      expect(await storage.read(({ accounts }) => accounts.countLoginKeys('acme', 500))).toBe(2);
      const count = async (now: number): Promise<unknown> =>
        Object.fromEntries(await storage.read(({ accounts }) => accounts.countRuleKeys('acme', 'acme/web', now)));
      const expected = [{ build: 2, deploy: 2 }, { build: 1, deploy: 1 }, {}];
      expect([await count(499), await count(500), await count(910)]).toEqual(expected);
    });

    it('revokes the keys of a rule, also expired ones', async () => {
      await insertKey(key());
      await insertKey(key({ id: 'key2', expiresAt: 100 }));
      await insertKey(key({ id: 'key3', login: { rules: ['build'], proven } }));
      await insertKey(key({ id: 'key4', revokedAt: 50 }));
      await insertKey(key({ id: 'key5', org: 'other' }));
      const revoked = await storage.transaction('acme', ({ accounts }) =>
        accounts.revokeRuleKeys('acme', 'deploy', 500),
      );
      const owner = { org: 'acme', ownerKind: 'workflow', owner: 'acme/web', description: 'Run 1' };
      expect(revoked.toSorted((one, other) => one.expiresAt - other.expiresAt)).toEqual([
        { ...owner, id: 'key2', expiresAt: 100 },
        { ...owner, id: 'key1', expiresAt: 910 },
      ]);
      const times = ['key1', 'key2', 'key3', 'key4', 'key5'].map(async (id) => (await findKey(id))?.revokedAt);
      expect(await Promise.all(times)).toEqual([500, 500, undefined, 50, undefined]);
    });

    it('knows what login rules give by their names', async () => {
      await save(rule({ flows: ['web'], refs: ['refs/**'], permissions: ['record'], counts_for_environments: ['*'] }));
      await save(rule({ name: 'build', environments: ['prod'], permissions: [], counts_for_environments: ['prod'] }));
      await save(rule({ name: 'old', role: 'reader' }));
      await save(rule({ name: 'unwanted' }));
      // As an earlier version wrote it.
      await save({ ...rule({ name: 'older' }), ...{ countsForEnvironments: ['prod'] } });
      const names = ['old', 'deploy', 'none', 'build', 'older'];
      const granted = (name: string) => ({ rule: name, recorder: `rule:${name}@1.5` });
      expect(await storage.read(({ loginRules }) => loginRules.listGrants('acme', names))).toEqual([
        { ...granted('build'), role: 'member', environments: ['prod'], permissions: [], countsFor: ['prod'] },
        { ...granted('deploy'), role: 'member', flows: ['web'], permissions: ['record'] },
        { ...granted('old'), role: 'reader', permissions: ['record', 'define'] },
        { ...granted('older'), role: 'member', permissions: ['record', 'define'], countsFor: ['prod'] },
      ]);
      expect(await storage.read(({ loginRules }) => loginRules.listGrants('other', names))).toEqual([]);
    });

    it('deletes expired keys from logins with their uses and sessions, the oldest first, and no others', async () => {
      await insertKey(key({ id: 'key2', expiresAt: 300 }));
      await insertKey(key({ id: 'key3', expiresAt: 200 }));
      await insertKey(key({ id: 'key4', expiresAt: 400 }));
      await insertKey(key({ id: 'key5', expiresAt: 100, ownerKind: 'user', owner: 'ann' }));
      await insertKey(key({ id: 'key6', expiresAt: 100, org: 'other' }));
      const uses = ['key2', 'key3', 'key4'].map((id) => ({ org: 'acme', id, at: 50 }));
      await storage.transaction('acme', async ({ accounts, sessions }) => {
        await accounts.recordKeyUses(uses);
        await sessions.insert({
          tokenHash: hashSecret('x'),
          org: 'acme',
          keyId: 'key2',
          createdAt: 50,
          expiresAt: 300,
        });
      });
      const left = async (): Promise<readonly string[]> => {
        const ids = ['key2', 'key3', 'key4', 'key5', 'key6'];
        const found = await Promise.all(ids.map(findKey));
        return found.flatMap((one) => one?.id ?? []);
      };
      const remove = (limit: number): Promise<void> =>
        storage.transaction('acme', ({ accounts }) => accounts.deleteExpiredLoginKeys('acme', 400, limit));
      await remove(1);
      expect(await left()).toEqual(['key2', 'key4', 'key5', 'key6']);
      await remove(10);
      expect(await left()).toEqual(['key4', 'key5', 'key6']);
    });

    it('numbers the events of each organization, and lists the latest first', async () => {
      const append = (added: AuditEvent): Promise<void> =>
        storage.transaction(added.org, ({ auditLog }) => auditLog.append(added));
      await append(event());
      await append(event({ org: 'other' }));
      await append(event({ type: 'login', at: 4 }));
      await append(event({ type: 'key_revoked', details: {} }));
      ({ storage } = (await tested.reopen()).records);
      const read = (filter: AuditFilter, offset: number, limit: number): Promise<unknown> =>
        storage.read(async ({ auditLog }) => ({
          numbers: (await auditLog.list('acme', filter, { offset, limit })).map(({ number }) => number),
          total: await auditLog.count('acme', filter),
        }));
      expect(await read({}, 0, 2)).toEqual({ numbers: [3, 2], total: 3 });
      expect(await read({}, 2, 2)).toEqual({ numbers: [1], total: 3 });
      expect(await read({ type: 'login' }, 0, 10)).toEqual({ numbers: [2], total: 1 });
      expect(await read({ actor: 'nn', subject: 'key1', from: 5, to: 5 }, 0, 10)).toEqual({
        numbers: [3, 1],
        total: 2,
      });
      expect(await read({ subject: 'key%' }, 0, 10)).toEqual({ numbers: [], total: 0 });
      expect(await read({ to: 4 }, 0, 10)).toEqual({ numbers: [2], total: 1 });
      const [first] = await storage.read(({ auditLog }) => auditLog.list('other', {}, { offset: 0, limit: 1 }));
      expect(first).toEqual({ ...event({ org: 'other' }), number: 1 });
      expect(await storage.read(({ auditLog }) => auditLog.count('nobody', {}))).toBe(0);
    });
  });
}
