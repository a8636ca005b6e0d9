import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '../../../src/contract/role.ts';
import type { Member, ServiceAccountRecord, StoredKey } from '../../../src/service/domain/accounts.ts';
import { hashSecret } from '../../../src/service/domain/api-key.ts';
import type { Store } from '../../../src/service/storage/store.ts';
import type { StoreUnderTest } from './acceptance.ts';

/** What every implementation of the store must do for members, service accounts and keys. */
export function describeAccounts(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let tested: StoreUnderTest;
    let store: Store;

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
      ...change,
    });

    beforeEach(async () => {
      tested = await open();
      ({ store } = tested);
      await store.createOrganization('acme', 1);
      await store.createOrganization('other', 1);
    });
    afterEach(async () => {
      await tested.remove();
    });

    describe('members', () => {
      it('are created and then given another role, and keep the time that they came', async () => {
        expect(await store.saveMember(member())).toBe('created');
        expect(await store.saveMember(member({ role: 'reader', createdAt: 9 }))).toBe('updated');
        expect(await store.findMember('acme', 'ann')).toEqual(member({ role: 'reader' }));
      });

      it('are of an organization that exists, and of no other', async () => {
        expect(await store.saveMember(member({ org: 'nobody' }))).toBe('organization not found');
        await store.saveMember(member());
        expect(await store.findMember('other', 'ann')).toBeUndefined();
        expect(await store.findMember('acme', 'bob')).toBeUndefined();
      });

      it('can be members of several organizations, with a role in each', async () => {
        await store.saveMember(member());
        await store.saveMember(member({ org: 'other', role: 'admin' }));
        expect(await store.findRole('acme', 'user', 'ann')).toBe('member');
        expect(await store.findRole('other', 'user', 'ann')).toBe('admin');
      });

      it('lose their keys with their last membership, and those limited to an organization with that one', async () => {
        await store.saveMember(member());
        await store.saveMember(member({ org: 'other' }));
        await store.saveMember(member({ user: 'bob' }));
        await store.addKey(key());
        await store.addKey(key({ id: 'key2', org: 'other' }));
        await store.addKey(key({ id: 'key3', owner: 'bob' }));
        await store.addKey(key({ id: 'key4', isLimitedToOrg: true }));
        await store.addKey(key({ id: 'key5', org: 'other', isLimitedToOrg: true }));
        await store.createServiceAccount(account({ name: 'ann' }));
        await store.addKey(key({ id: 'key6', ownerKind: 'service account' }));
        const revoked = async (): Promise<readonly string[]> => {
          const keys = ['key1', 'key2', 'key3', 'key4', 'key5', 'key6'];
          const found = await Promise.all(keys.map((id) => store.findKey(id)));
          return found.flatMap((one) => (one?.revokedAt === undefined ? [] : [`${one.id} at ${one.revokedAt}`]));
        };
        expect(await store.removeMember('acme', 'ann', 9)).toBe('removed');
        expect(await store.removeMember('acme', 'ann', 10)).toBe('not found');
        expect(await revoked()).toEqual(['key4 at 9']);
        expect(await store.findRole('acme', 'user', 'ann')).toBeUndefined();
        expect(await store.removeMember('other', 'ann', 11)).toBe('removed');
        expect(await revoked()).toEqual(['key1 at 11', 'key2 at 11', 'key4 at 9', 'key5 at 11']);
      });

      it('are listed with their organizations, by name', async () => {
        expect(await store.listOrganizations('ann')).toEqual([]);
        await store.saveMember(member({ org: 'other' }));
        await store.saveMember(member());
        await store.saveMember(member({ user: 'bob' }));
        expect(await store.listOrganizations('ann')).toEqual(['acme', 'other']);
      });
    });

    describe('the default organization', () => {
      it('is one of those that the user is a member of, and only one', async () => {
        await store.saveMember(member());
        await store.saveMember(member({ org: 'other' }));
        await store.saveMember(member({ user: 'bob' }));
        expect(await store.defaultOrganization('ann')).toBeUndefined();
        expect(await store.setDefaultOrganization('acme', 'ann')).toBe('set');
        expect(await store.setDefaultOrganization('acme', 'bob')).toBe('set');
        expect(await store.setDefaultOrganization('other', 'ann')).toBe('set');
        expect(await store.setDefaultOrganization('other', 'ann')).toBe('set');
        expect(await store.defaultOrganization('ann')).toBe('other');
        expect(await store.defaultOrganization('bob')).toBe('acme');
      });

      it('is not changed by who is not a member, and ends with the membership', async () => {
        await store.saveMember(member());
        await store.setDefaultOrganization('acme', 'ann');
        expect(await store.setDefaultOrganization('other', 'ann')).toBe('not a member');
        expect(await store.setDefaultOrganization('nobody', 'ann')).toBe('not a member');
        expect(await store.defaultOrganization('ann')).toBe('acme');
        await store.saveMember(member({ role: 'admin' }));
        expect(await store.defaultOrganization('ann')).toBe('acme');
        await store.removeMember('acme', 'ann', 9);
        expect(await store.defaultOrganization('ann')).toBeUndefined();
      });
    });

    describe('service accounts', () => {
      it('come back as they were, by name and in a list', async () => {
        const second = account({ name: 'b-second', forWebhook: false, description: '' });
        expect(await store.createServiceAccount(account())).toBe('created');
        expect(await store.createServiceAccount(second)).toBe('created');
        expect(await store.findServiceAccount('acme', 'ci')).toEqual(account());
        expect(await store.listServiceAccounts('acme')).toEqual([second, account()]);
      });

      it('are created once, also when many ask at once', async () => {
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.createServiceAccount(account())));
        expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
        expect(await store.createServiceAccount(account({ org: 'nobody' }))).toBe('organization not found');
      });

      it('are of one organization', async () => {
        await store.createServiceAccount(account());
        expect(await store.findServiceAccount('other', 'ci')).toBeUndefined();
        expect(await store.listServiceAccounts('other')).toEqual([]);
        expect(await store.deleteServiceAccount('other', 'ci', 9)).toBe('not found');
        expect(await store.createServiceAccount(account({ org: 'other', privilege: 'admin' }))).toBe('created');
        expect(await store.findRole('acme', 'service account', 'ci')).toBe('snapshotter');
      });

      it('take their keys with them, and leave none to a successor of the same name', async () => {
        await store.createServiceAccount(account());
        await store.createServiceAccount(account({ name: 'other' }));
        await store.saveMember(member({ user: 'ci' }));
        const mine = key({ ownerKind: 'service account', owner: 'ci' });
        await store.addKey(mine);
        await store.addKey(key({ id: 'key2', ownerKind: 'service account', owner: 'other' }));
        await store.addKey(key({ id: 'key3', owner: 'ci' }));
        expect(await store.deleteServiceAccount('acme', 'ci', 9)).toBe('deleted');
        expect(await store.deleteServiceAccount('acme', 'ci', 10)).toBe('not found');
        expect(await store.findServiceAccount('acme', 'ci')).toBeUndefined();
        await store.createServiceAccount(account());
        expect(await store.findKey('key1')).toEqual({ ...mine, revokedAt: 9 });
        expect((await store.findKey('key2'))?.revokedAt).toBeUndefined();
        expect((await store.findKey('key3'))?.revokedAt).toBeUndefined();
      });

      it.each(roles)('may have the privilege %s', async (privilege) => {
        await store.createServiceAccount(account({ privilege }));
        expect(await store.findRole('acme', 'service account', 'ci')).toBe(privilege);
        expect(await store.findRole('acme', 'user', 'ci')).toBeUndefined();
        expect(await store.findRole('other', 'service account', 'ci')).toBeUndefined();
      });
    });

    describe('keys', () => {
      beforeEach(async () => {
        await store.saveMember(member());
        await store.saveMember(member({ user: 'bob' }));
        await store.saveMember(member({ org: 'other' }));
      });

      it('come back as they were', async () => {
        expect(await store.hasKeys('acme')).toBe(false);
        expect(await store.addKey(key())).toBe('added');
        expect(await store.addKey(key({ id: 'key2', expiresAt: 7.5, isLimitedToOrg: true }))).toBe('added');
        expect(await store.findKey('key1')).toEqual(key());
        expect(await store.findKey('key2')).toEqual(key({ id: 'key2', expiresAt: 7.5, isLimitedToOrg: true }));
        expect(await store.hasKeys('acme')).toBe(true);
        expect(await store.hasKeys('other')).toBe(false);
      });

      it('have ids of their own, whoever they belong to', async () => {
        await store.addKey(key());
        expect(await store.addKey(key({ owner: 'bob' }))).toBe('exists');
        expect(await store.addKey(key({ org: 'other' }))).toBe('exists');
        expect(await store.findKey('key1')).toEqual(key());
      });

      it('have an owner in their organization', async () => {
        expect(await store.addKey(key({ org: 'nobody' }))).toBe('owner not found');
        expect(await store.addKey(key({ org: 'other', owner: 'bob' }))).toBe('owner not found');
        expect(await store.addKey(key({ ownerKind: 'service account' }))).toBe('owner not found');
        expect(await store.findKey('key1')).toBeUndefined();
      });

      it('are revoked for good, and only by their own organization', async () => {
        await store.addKey(key());
        expect(await store.revokeKey('other', 'key1', 7)).toBe('not found');
        expect(await store.revokeKey('acme', 'key2', 7)).toBe('not found');
        expect(await store.revokeKey('acme', 'key1', 7)).toBe('revoked');
        expect(await store.revokeKey('acme', 'key1', 9)).toBe('revoked');
        expect(await store.findKey('key1')).toEqual(key({ revokedAt: 7 }));
      });
    });

    it('is all still there after it was closed and opened', async () => {
      await store.saveMember(member());
      await store.setDefaultOrganization('acme', 'ann');
      await store.createServiceAccount(account());
      await store.addKey(key({ ownerKind: 'service account', owner: 'ci' }));
      store = await tested.reopen();
      expect(await store.defaultOrganization('ann')).toBe('acme');
      expect(await store.listServiceAccounts('acme')).toEqual([account()]);
      expect(await store.findKey('key1')).toEqual(key({ ownerKind: 'service account', owner: 'ci' }));
    });
  });
}
