import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { distributeBroadcast } from '../../../../src/service/notification/delivery-use-cases.ts';
import { sampleEvent, sampleNotification } from '../../../support/notification-samples.ts';
import type { Records } from '../../../support/records.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do with events for many targets. */
export function describeBroadcasts(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;

    const slack = { type: 'SLACK', webhook: 'https://slack.example.com/secret' } as const;
    const targets = Array.from({ length: 250 }, () => slack);
    const distribute = (): Promise<void> => distributeBroadcast(records, { org: 'acme' });
    const waiting = async (number = 1): Promise<number> =>
      ((await records.findTargets('acme', number)) ?? []).reduce((sum, target) => sum + target.waiting, 0);

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganization('acme', 1);
      await records.createOrganization('other', 1);
      await records.createNotification(sampleNotification({ targets }));
    });
    afterEach(async () => {
      await tested.remove();
    });

    it('is added to their queues in portions, each once, before the next event', async () => {
      await records.broadcast(sampleEvent());
      await records.broadcast(sampleEvent({ snapshot: 2 }), sampleEvent({ snapshot: 2, description: 'x' }));
      const seen: number[] = [];
      for (let turn = 0; turn < 8; turn += 1) {
        seen.push(await waiting());
        await distribute();
      }
      expect(seen).toEqual([0, 100, 200, 250, 350, 450, 550, 650]);
      expect(await waiting()).toBe(750);
      const last = { org: 'acme', number: 1, position: 249 };
      const order: string[] = [];
      for (let next = await records.firstDelivery(last); next !== undefined; next = await records.firstDelivery(last)) {
        order.push(`${next.event.snapshot} ${next.event.description}`);
        await records.completeDelivery(next, 1000);
      }
      const { description } = sampleEvent();
      expect(order).toEqual([`1 ${description}`, `2 ${description}`, '2 x']);
    });

    it('is added once if a process ends within a portion, and if several processes add it', async () => {
      await records.broadcast(sampleEvent(), sampleEvent({ snapshot: 2 }));
      await distribute();
      const before = await waiting();
      const ended = records.storage.transaction('acme', async ({ deliveries }) => {
        const broadcast = await deliveries.findBroadcast('acme');
        if (broadcast !== undefined) await deliveries.distribute(broadcast, 100);
        throw new Error('the process ends');
      });
      await expect(ended).rejects.toThrow('the process ends');
      expect(await waiting()).toBe(before);
      ({ records } = await tested.reopen());
      await Promise.all([1, 2, 3, 4].map(() => records.distribute()));
      const counts = ((await records.findTargets('acme', 1)) ?? []).map((target) => target.waiting);
      expect(counts).toEqual(targets.map(() => 2));
    });

    it('goes to the targets that wanted it when it happened, apart from deleted ones', async () => {
      await records.createNotification(sampleNotification({ triggers: ['ON_COMPLIANT_ENV'] }));
      await records.broadcast(sampleEvent());
      const place = { org: 'acme', number: 1 };
      await records.createNotification(sampleNotification());
      await records.storage.transaction('acme', async ({ notifications }) => {
        const change = { name: 'x', environments: ['other'], triggers: [] };
        await notifications.update({ ...place, ...change, lastModifiedAt: 9 });
        await notifications.replaceTargets(place, [0, 1], []);
        await notifications.replaceTargets(place, [0, 1], [{ target: slack, secret: undefined }]);
      });
      await records.distribute();
      expect((await records.findTargets('acme', 1))?.map((target) => target.waiting)).toEqual([1, 1, 0]);
      expect([await waiting(2), await waiting(3)]).toEqual([0, 0]);
    });

    it('waits for its organization only', async () => {
      await records.createNotification(sampleNotification({ org: 'other' }));
      await records.broadcast(sampleEvent(), sampleEvent({ org: 'other' }));
      const find = (after: string, except: readonly string[] = []): Promise<string | undefined> =>
        records.storage.read(({ deliveries }) => deliveries.findBroadcastOrg(after, except));
      expect([await find(''), await find('acme'), await find('other')]).toEqual(['acme', 'other', undefined]);
      expect([await find('', ['acme']), await find('', ['acme', 'other'])]).toEqual(['other', undefined]);
    });
  });
}
