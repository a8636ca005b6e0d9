import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Storage } from '../../../../src/service/platform/database/storage.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for transactions. */
export function describeTransactions(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let storage: Storage;

    beforeEach(async () => {
      tested = await open();
      ({ storage } = tested.records);
    });
    afterEach(async () => {
      await tested.remove();
    });

    const create = (...names: readonly string[]): Promise<void> =>
      storage.transaction('acme', async ({ organizations }) => {
        for (const org of names) await organizations.insert(org, 1);
      });
    const existing = (...names: readonly string[]): Promise<readonly string[]> =>
      storage.read(async ({ organizations }) => {
        const found: string[] = [];
        for (const org of names) if (await organizations.exists(org)) found.push(org);
        return found;
      });
    const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

    it('see their own writes, which others do not see before the commit', async () => {
      let seen: readonly string[] = [];
      await storage.transaction('acme', async ({ organizations }) => {
        await organizations.insert('one', 1);
        expect(await organizations.exists('one')).toBe(true);
        await soon();
        seen = await existing('one');
      });
      expect(seen).toEqual([]);
      expect(await existing('one')).toEqual(['one']);
    });

    it('are rolled back if they reject, without affecting others', async () => {
      const failing = storage.transaction('acme', async ({ organizations }) => {
        await organizations.insert('failed', 1);
        await soon();
        throw new Error('on purpose');
      });
      const outcomes = await Promise.allSettled([create('before'), failing, create('after')]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await existing('before', 'failed', 'after')).toEqual(['before', 'after']);
    });

    it('are isolated from each other, however long they wait in between', async () => {
      const steps: string[] = [];
      const slow = (org: string): Promise<void> =>
        storage.transaction('acme', async ({ organizations }) => {
          steps.push(`${org} begins`);
          await organizations.insert(org, 1);
          await soon();
          steps.push(`${org} ends`);
        });
      await Promise.all([slow('one'), slow('two')]);
      expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
    });

    it('see one state of the data in all their reads', async () => {
      await create('first');
      const seen = await storage.read(async ({ organizations }) => {
        const before = await organizations.exists('second');
        await create('second');
        return [before, await organizations.exists('first'), await organizations.exists('second')];
      });
      expect(seen).toEqual([false, true, false]);
      expect(await existing('second')).toEqual(['second']);
    });

    it('serve any number of concurrent reads', async () => {
      await create('acme');
      const reads = Array.from({ length: 20 }, () =>
        storage.read(async ({ organizations }) => {
          const before = await organizations.exists('acme');
          await soon();
          return before && (await organizations.exists('acme'));
        }),
      );
      expect(new Set(await Promise.all(reads))).toEqual(new Set([true]));
    });

    it('cannot be used after they have ended', async () => {
      const leaked = await storage.read((transaction) => Promise.resolve(transaction.organizations));
      await expect(leaked.exists('acme')).rejects.toThrow('the transaction has ended');
      const written = await storage.transaction('acme', (transaction) => Promise.resolve(transaction.organizations));
      await expect(written.insert('acme', 1)).rejects.toThrow('the transaction has ended');
      expect(await existing('acme')).toEqual([]);
    });

    it('call listeners after every commit', async () => {
      const seen: Promise<readonly string[]>[] = [];
      storage.onCommit(() => seen.push(existing('acme')));
      await create('acme');
      expect(await seen[0]).toEqual(['acme']);
    });
  });
}
