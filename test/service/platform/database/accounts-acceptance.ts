import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '../../../../src/contract/role.ts';
import type { Member, ServiceAccountRecord, StoredKey } from '../../../../src/service/account/account.ts';
import * as keys from '../../../../src/service/account/api-key-use-cases.ts';
import { hashSecret } from '../../../../src/service/account/api-key.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';
import type { Records } from '../../../support/records.ts';

/** What every storage adapter must do for members, service accounts and keys. */
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
    const account = (change: Partial<ServiceAccountRecord> = {}): ServiceAccountRecord => ({
      org: 'acme',
      name: 'ci',
      displayName: 'The <CI>',
      privilege: 'snapshotter',
      description: 'Reports clusters',
      createdBy: 'administrator',
      createdAt: 6.5,
      forWebhook: true,
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

    describe('members', () => {
      it('are created, then updated with another role, and keep their creation time', async () => {
        expect(await records.saveMember(member())).toBe('created');
        expect(await records.saveMember(member({ role: 'reader', createdAt: 9 }))).toBe('updated');
        expect(await records.findMember('acme', 'ann')).toEqual(member({ role: 'reader' }));
      });

      it('require an existing organization, and belong to it alone', async () => {
        await records.saveMember(member());
        expect(await records.findMember('other', 'ann')).toBeUndefined();
        expect(await records.findMember('acme', 'bob')).toBeUndefined();
      });

      it('can be members of several organizations, with a role in each', async () => {
        await records.saveMember(member());
        await records.saveMember(member({ org: 'other', role: 'admin' }));
        expect(await records.findRole('acme', 'user', 'ann')).toBe('member');
        expect(await records.findRole('other', 'user', 'ann')).toBe('admin');
      });

      it('lose all keys with their last membership, and limited keys with the membership they are limited to', async () => {
        await records.saveMember(member());
        await records.saveMember(member({ org: 'other' }));
        await records.saveMember(member({ user: 'bob' }));
        await records.addKey(key());
        await records.addKey(key({ id: 'key2', org: 'other' }));
        await records.addKey(key({ id: 'key3', owner: 'bob' }));
        await records.addKey(key({ id: 'key4', isLimitedToOrg: true }));
        await records.addKey(key({ id: 'key5', org: 'other', isLimitedToOrg: true }));
        await records.createServiceAccount(account({ name: 'ann' }));
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

      it('are listed with their organizations, by name', async () => {
        expect(await records.listOrganizations('ann')).toEqual([]);
        await records.saveMember(member({ org: 'other' }));
        await records.saveMember(member());
        await records.saveMember(member({ user: 'bob' }));
        expect(await records.listOrganizations('ann')).toEqual(['acme', 'other']);
      });
    });

    describe('the default organization', () => {
      it('is one of those that the user is a member of, and only one', async () => {
        await records.saveMember(member());
        await records.saveMember(member({ org: 'other' }));
        await records.saveMember(member({ user: 'bob' }));
        expect(await records.defaultOrganization('ann')).toBeUndefined();
        expect(await records.setDefaultOrganization('acme', 'ann')).toBe('set');
        expect(await records.setDefaultOrganization('acme', 'bob')).toBe('set');
        expect(await records.setDefaultOrganization('other', 'ann')).toBe('set');
        expect(await records.setDefaultOrganization('other', 'ann')).toBe('set');
        expect(await records.defaultOrganization('ann')).toBe('other');
        expect(await records.defaultOrganization('bob')).toBe('acme');
      });

      it('cannot be set by a non-member, and ends with the membership', async () => {
        await records.saveMember(member());
        await records.setDefaultOrganization('acme', 'ann');
        expect(await records.setDefaultOrganization('other', 'ann')).toBe('denied');
        expect(await records.setDefaultOrganization('nobody', 'ann')).toBe('denied');
        expect(await records.defaultOrganization('ann')).toBe('acme');
        await records.saveMember(member({ role: 'admin' }));
        expect(await records.defaultOrganization('ann')).toBe('acme');
        await records.removeMember('acme', 'ann', 9);
        expect(await records.defaultOrganization('ann')).toBeUndefined();
      });
    });

    describe('service accounts', () => {
      it('are returned as they were written, by name and in a list', async () => {
        const second = account({ name: 'b-second', forWebhook: false, description: '' });
        expect(await records.createServiceAccount(account())).toBe('created');
        expect(await records.createServiceAccount(second)).toBe('created');
        expect(await records.findServiceAccount('acme', 'ci')).toEqual(account());
        expect(await records.listServiceAccounts('acme')).toEqual([second, account()]);
      });

      it('are created once, also when many ask at once', async () => {
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => records.createServiceAccount(account())));
        expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      });

      it('belong to one organization', async () => {
        await records.createServiceAccount(account());
        expect(await records.findServiceAccount('other', 'ci')).toBeUndefined();
        expect(await records.listServiceAccounts('other')).toEqual([]);
        expect(await records.deleteServiceAccount('other', 'ci', 9)).toBe('not found');
        expect(await records.createServiceAccount(account({ org: 'other', privilege: 'admin' }))).toBe('created');
        expect(await records.findRole('acme', 'service account', 'ci')).toBe('snapshotter');
      });

      it('lose their keys when deleted, so that a successor of the same name has none', async () => {
        await records.createServiceAccount(account());
        await records.createServiceAccount(account({ name: 'other' }));
        await records.saveMember(member({ user: 'ci' }));
        const mine = key({ ownerKind: 'service account', owner: 'ci' });
        await records.addKey(mine);
        await records.addKey(key({ id: 'key2', ownerKind: 'service account', owner: 'other' }));
        await records.addKey(key({ id: 'key3', owner: 'ci' }));
        expect(await records.deleteServiceAccount('acme', 'ci', 9)).toBe('deleted');
        expect(await records.deleteServiceAccount('acme', 'ci', 10)).toBe('not found');
        expect(await records.findServiceAccount('acme', 'ci')).toBeUndefined();
        await records.createServiceAccount(account());
        expect(await records.findKey('key1')).toEqual({ ...mine, revokedAt: 9 });
        expect((await records.findKey('key2'))?.revokedAt).toBeUndefined();
        expect((await records.findKey('key3'))?.revokedAt).toBeUndefined();
      });

      it.each(roles)('may have the privilege %s', async (privilege) => {
        await records.createServiceAccount(account({ privilege }));
        expect(await records.findRole('acme', 'service account', 'ci')).toBe(privilege);
        expect(await records.findRole('acme', 'user', 'ci')).toBeUndefined();
        expect(await records.findRole('other', 'service account', 'ci')).toBeUndefined();
      });
    });

    describe('keys', () => {
      beforeEach(async () => {
        await records.saveMember(member());
        await records.saveMember(member({ user: 'bob' }));
        await records.saveMember(member({ org: 'other' }));
      });

      it('are returned as they were written', async () => {
        expect(await records.hasKeys('acme')).toBe(false);
        expect(await records.addKey(key())).toBe('inserted');
        expect(await records.addKey(key({ id: 'key2', expiresAt: 7.5, isLimitedToOrg: true }))).toBe('inserted');
        expect(await records.findKey('key1')).toEqual(key());
        expect(await records.findKey('key2')).toEqual(key({ id: 'key2', expiresAt: 7.5, isLimitedToOrg: true }));
        expect(await records.hasKeys('acme')).toBe(true);
        expect(await records.hasKeys('other')).toBe(false);
      });

      it('have unique ids across owners and organizations', async () => {
        await records.addKey(key());
        expect(await records.addKey(key({ owner: 'bob' }))).toBe('exists');
        expect(await records.addKey(key({ org: 'other' }))).toBe('exists');
        expect(await records.findKey('key1')).toEqual(key());
      });

      it('have an owner in their organization', async () => {
        const user = { ownerKind: 'user', owner: 'bob', isLimitedToOrg: true, by: 'admin' } as const;
        const outcomes = [
          await keys.createKey(records.at(5), { org: 'nobody', ...user }),
          await keys.createKey(records.at(5), { org: 'other', ...user }),
          await keys.createKey(records.at(5), { ...user, org: 'acme', ownerKind: 'service account' }),
        ];
        expect(outcomes).toEqual([
          { outcome: 'owner not found' },
          { outcome: 'owner not found' },
          { outcome: 'owner not found' },
        ]);
        expect([await records.hasKeys('acme'), await records.hasKeys('other')]).toEqual([false, false]);
      });

      it('are revoked permanently, and only by their own organization', async () => {
        await records.addKey(key());
        expect(await records.revokeKey('other', 'key1', 7)).toBe('not found');
        expect(await records.revokeKey('acme', 'key2', 7)).toBe('not found');
        expect(await records.revokeKey('acme', 'key1', 7)).toBe('revoked');
        expect(await records.revokeKey('acme', 'key1', 9)).toBe('revoked');
        expect(await records.findKey('key1')).toEqual(key({ revokedAt: 7 }));
      });
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
          ({ key: { id }, lastUsedAt }) => [id, lastUsedAt],
        );
      expect(await list()).toEqual([
        ['key2', undefined],
        ['key1', 9.5],
      ]);
      await records.revokeKey('acme', 'key2', 10);
      expect(await list()).toEqual([['key1', 9.5]]);
    });

    it('expire earlier, and keep when they would have expired at first', async () => {
      await records.addKey(key());
      for (const time of [11, 9]) {
        await records.storage.transaction('acme', ({ accounts }) => accounts.shortenKeyLife('acme', 'key1', time));
        expect(await records.findKey('key1')).toEqual(key({ expiresAt: time, originalExpiresAt: key().expiresAt }));
      }
      await records.addKey(key({ id: 'key2', originalExpiresAt: 12 }));
      expect(await records.findKey('key2')).toEqual(key({ id: 'key2', originalExpiresAt: 12 }));
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

    it('persist after the storage is reopened', async () => {
      await records.saveMember(member());
      await records.setDefaultOrganization('acme', 'ann');
      await records.createServiceAccount(account());
      await records.addKey(key({ ownerKind: 'service account', owner: 'ci' }));
      ({ records } = await tested.reopen());
      expect(await records.defaultOrganization('ann')).toBe('acme');
      expect(await records.listServiceAccounts('acme')).toEqual([account()]);
      expect(await records.findKey('key1')).toEqual(key({ ownerKind: 'service account', owner: 'ci' }));
    });
  });
}
