import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Member, StoredKey } from '../../../../src/service/account/account.ts';
import { hashSecret } from '../../../../src/service/account/api-key.ts';
import type { Records } from '../../../support/records.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for keys and their owners. */
export function describeAccounts(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;

    const member = (change: Partial<Member> = {}): Member => ({
      org: 'acme',
      user: 'ann',
      role: 'member',
      createdAt: 5.25,
      ...change,
    });
    const key = (change: Partial<StoredKey> = {}): StoredKey => ({
      org: 'acme',
      id: 'key1',
      ownerKind: 'user',
      owner: 'ann',
      isLimitedToOrg: false,
      description: 'of her laptop',
      secretHash: hashSecret('secret'),
      createdAt: 5.25,
      expiresAt: 1e6,
      ...change,
    });

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganization('acme', 1);
      await records.createOrganization('other', 1);
    });
    afterEach(async () => {
      await tested.remove();
    });

    it('end with the last membership of their owner, and limited ones with the membership they are limited to', async () => {
      await records.saveMember(member());
      await records.saveMember(member({ org: 'other' }));
      await records.saveMember(member({ user: 'bob' }));
      await records.addKey(key());
      await records.addKey(key({ id: 'key2', org: 'other' }));
      await records.addKey(key({ id: 'key3', owner: 'bob' }));
      await records.addKey(key({ id: 'key4', isLimitedToOrg: true }));
      await records.addKey(key({ id: 'key5', org: 'other', isLimitedToOrg: true }));
      await records.addKey(key({ id: 'key6', ownerKind: 'service account' }));
      const revoked = async (): Promise<readonly string[]> => {
        const keys = ['key1', 'key2', 'key3', 'key4', 'key5', 'key6'];
        const found = await Promise.all(keys.map((id) => records.findKey(id)));
        return found.flatMap((one) => (one?.revokedAt === undefined ? [] : [`${one.id} at ${one.revokedAt}`]));
      };
      expect(await records.removeMember('acme', 'ann', 9)).toBe('removed');
      expect(await records.removeMember('acme', 'ann', 10)).toBe('not found');
      expect(await revoked()).toEqual(['key4 at 9']);
      expect(await records.findRole('acme', 'user', 'ann')).toBeUndefined();
      expect(await records.removeMember('other', 'ann', 11)).toBe('removed');
      expect(await revoked()).toEqual(['key1 at 11', 'key2 at 11', 'key4 at 9', 'key5 at 11']);
    });

    it('open the organizations of their owner, which are listed by name', async () => {
      expect(await records.listOrganizations('ann')).toEqual([]);
      await records.saveMember(member({ org: 'other' }));
      await records.saveMember(member());
      await records.saveMember(member({ user: 'bob' }));
      expect(await records.listOrganizations('ann')).toEqual(['acme', 'other']);
    });

    it('belong to the organization that issued them', async () => {
      expect(await records.hasKeys('acme')).toBe(false);
      await records.addKey(key());
      expect([await records.hasKeys('acme'), await records.hasKeys('other')]).toEqual([true, false]);
    });

    it('are revoked permanently, and only by their own organization', async () => {
      await records.addKey(key());
      expect(await records.revokeKey('other', 'key1', 7)).toBe('not found');
      expect(await records.revokeKey('acme', 'key1', 7)).toBe('revoked');
      expect(await records.revokeKey('acme', 'key1', 9)).toBe('revoked');
      expect(await records.findKey('key1')).toEqual(key({ revokedAt: 7 }));
    });

    it('have the time of their last use, and are listed until they are revoked', async () => {
      await records.addKey(key({ createdAt: 6 }));
      await records.addKey(key({ id: 'key2' }));
      await records.addKey(key({ id: 'key3', owner: 'bob' }));
      await records.storage.transaction('acme', ({ accounts }) =>
        accounts.recordKeyUses([
          { org: 'acme', id: 'key1', at: 8 },
          { org: 'acme', id: 'key1', at: 9.5 },
        ]),
      );
      const list = async (): Promise<unknown> =>
        (await records.storage.read(({ accounts }) => accounts.listKeys('acme', 'user', 'ann'))).map(
          ({ id, lastUsedAt }) => [id, lastUsedAt],
        );
      expect(await list()).toEqual([
        ['key2', undefined],
        ['key1', 9.5],
      ]);
      await records.revokeKey('acme', 'key2', 10);
      expect(await list()).toEqual([['key1', 9.5]]);
    });

    it('make an organization administrable if an admin has a valid one that opens it', async () => {
      const isAdministrable = (): Promise<boolean> =>
        records.storage.read(({ accounts }) => accounts.hasValidAdminKey('acme', 10));
      await records.addKey(key({ expiresAt: 10 }));
      await records.saveMember(member({ role: 'admin' }));
      await records.saveMember(member({ role: 'admin', org: 'other' }));
      await records.addKey(key({ id: 'key2', org: 'other', isLimitedToOrg: true }));
      await records.addKey(key({ id: 'key3', revokedAt: 9 }));
      await records.addKey(key({ id: 'key4', ownerKind: 'service account' }));
      expect(await isAdministrable()).toBe(false);
      await records.addKey(key({ id: 'key5', org: 'other', expiresAt: 11 }));
      expect(await isAdministrable()).toBe(true);
      await records.saveMember(member({ role: 'member', createdAt: 11 }));
      expect(await isAdministrable()).toBe(false);
    });

    it('tell when the last key of the admins of an organization expires', async () => {
      const list = (from: number, until: number, limit = 9): Promise<unknown> =>
        records.storage.read(({ accounts }) => accounts.listAdministrationEnds({ from, until }, limit));
      await records.saveMember(member({ role: 'admin' }));
      await records.saveMember(member({ role: 'admin', org: 'other' }));
      await records.saveMember(member({ role: 'reader', user: 'bob' }));
      await records.addKey(key({ expiresAt: 20 }));
      await records.addKey(key({ id: 'key2', expiresAt: 30, isLimitedToOrg: true }));
      await records.addKey(key({ id: 'key3', expiresAt: 40, revokedAt: 9 }));
      await records.addKey(key({ id: 'key4', expiresAt: 50, owner: 'bob' }));
      await records.addKey(key({ id: 'key5', expiresAt: 50, ownerKind: 'service account' }));
      const [acme, other] = [
        { org: 'acme', at: 30 },
        { org: 'other', at: 20 },
      ];
      expect([await list(20, 30), await list(20, 30, 1), await list(21, 30)]).toEqual([[acme, other], [acme], [acme]]);
      expect([await list(31, 99), await list(1, 29)]).toEqual([[], [other]]);
    });
  });
}
