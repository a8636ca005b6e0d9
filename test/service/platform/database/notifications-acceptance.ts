import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Delivery, type DeliveryFailure, retryDelay } from '../../../../src/service/notification/notification.ts';
import { sampleEvent, sampleNotification } from '../../../support/notification-samples.ts';
import type { Records } from '../../../support/records.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for notifications and their outbox. */
export function describeNotifications(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;

    const webhook = { type: 'WEBHOOK', webhook: 'https://hooks.example.com/secret', payload_version: '1.0' } as const;
    const slack = { type: 'SLACK', webhook: 'https://slack.example.com/secret' } as const;
    const due = async (now = 1000): Promise<readonly Delivery[]> => {
      const targets = await records.dueTargets(now, 100);
      const deliveries = await Promise.all(targets.map((target) => records.firstDelivery(target)));
      return deliveries.filter((delivery) => delivery !== undefined);
    };
    const failure = (until: number): DeliveryFailure => ({ reason: 'it answered 500', at: until - 10, until });
    const first = async (now = 1000): Promise<Delivery> => {
      const [delivery] = await due(now);
      if (delivery === undefined) throw new Error('nothing is due');
      return delivery;
    };

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganization('acme', 1);
      await records.createOrganization('other', 1);
    });
    afterEach(async () => {
      await tested.remove();
    });

    it('are deleted together with their waiting deliveries', async () => {
      await records.createNotification(sampleNotification());
      await records.recordEvents(sampleEvent());
      expect(await records.deleteNotification('other', 1, 9)).toBe('not found');
      expect(await records.deleteNotification('acme', 1, 9)).toBe('deleted');
      expect(await records.deleteNotification('acme', 1, 9)).toBe('not found');
      expect(await records.findNotification('acme', 1)).toBeUndefined();
      await records.recordEvents(sampleEvent());
      expect(await due()).toEqual([]);
      expect(await records.nextDue(0)).toBeUndefined();
    });

    describe('the targets of a notification', () => {
      const secret = { secret: 'whsec_1', createdAt: 5 };
      const secrets = [secret];
      const place = { org: 'acme', number: 1, position: 0 };

      it('are replaced, and those that stay keep their deliveries and position', async () => {
        await records.createNotification(sampleNotification({ targets: [webhook, slack] }), new Map([[0, secret]]));
        await records.recordEvents(sampleEvent());
        const target = { type: 'SLACK', webhook: 'https://new.example.com/x' } as const;
        await records.storage.transaction('acme', ({ notifications }) =>
          notifications.replaceTargets({ org: 'acme', number: 1 }, [1], [{ target, secret }]),
        );
        expect(await records.findTargets('acme', 1)).toMatchObject([
          { position: 1, target: slack, waiting: 1, secrets: [] },
          { position: 2, target, waiting: 0, secrets },
        ]);
        const changed = {
          environments: ['other'],
          triggers: ['ON_COMPLIANT_ENV'],
          name: 'y',
          lastModifiedAt: 99,
        } as const;
        await records.storage.transaction('acme', ({ notifications }) =>
          notifications.update({ org: 'acme', number: 1, ...changed }),
        );
        expect(await records.findNotification('acme', 1)).toMatchObject(changed);
        expect(await records.storage.read(({ notifications }) => notifications.list('acme'))).toMatchObject([changed]);
        expect(await records.storage.read(({ deliveries }) => deliveries.listListeners('acme', 'prod'))).toEqual([]);
      });

      it('are removed without those of another notification', async () => {
        for (const name of ['one', 'other']) await records.createNotification(sampleNotification({ name }));
        await records.recordEvents(sampleEvent());
        await records.storage.transaction('acme', ({ notifications }) =>
          notifications.replaceTargets({ org: 'acme', number: 1 }, [], []),
        );
        expect(await records.findTargets('acme', 1)).toEqual([]);
        expect(await records.findTargets('acme', 2)).toMatchObject([{ waiting: 1 }]);
      });

      it('show the state of their deliveries', async () => {
        await records.createNotification(sampleNotification({ targets: [webhook, slack] }), new Map([[0, secret]]));
        const nothing = { secrets: [], waiting: 0, attempts: 0 };
        expect(await records.findTargets('acme', 1)).toEqual([
          { ...nothing, position: 0, target: webhook, secrets },
          { ...nothing, position: 1, target: slack },
        ]);
        await records.recordEvents(sampleEvent(), sampleEvent({ snapshot: 2 }));
        expect(await first()).toMatchObject({ secrets });
        await records.postponeDelivery(await first(), failure(1010));
        const failing = { waiting: 2, attempts: 1, dueAt: 1010, lastError: { reason: 'it answered 500', at: 1000 } };
        expect(await records.findTargets('acme', 1)).toMatchObject([failing, { waiting: 2, attempts: 0, dueAt: 900 }]);
        await records.completeDelivery(await first(1009), 1009);
        await records.completeDelivery(await first(1009), 1009);
        const [one, other] = (await records.findTargets('acme', 1)) ?? [];
        expect(one).toMatchObject({ waiting: 2, attempts: 1, lastError: { at: 1000 } });
        expect(other).toEqual({ ...nothing, position: 1, target: slack, lastSuccessAt: 1009 });
        await records.completeDelivery(await first(1010), 1013);
        const [healed] = (await records.findTargets('acme', 1)) ?? [];
        expect(healed).toMatchObject({ waiting: 1, attempts: 0, lastSuccessAt: 1013, lastError: undefined });
        await records.deleteNotification('acme', 1, 9);
        expect(await records.findTargets('acme', 1)).toBeUndefined();
      });

      it('have secrets if they are webhooks', async () => {
        await records.createNotification(sampleNotification({ targets: [webhook, slack] }));
        expect(await records.rotateWebhookSecret(place, 'whsec_1', 5)).toEqual(secrets);
        const previous = { ...secret, expiresAt: 106 };
        expect(await records.rotateWebhookSecret(place, 'whsec_2', 6)).toEqual([
          { secret: 'whsec_2', createdAt: 6 },
          previous,
        ]);
        expect(await records.findTargets('acme', 1)).toMatchObject([{ secrets: [{}, previous] }, { secrets: [] }]);
        for (const other of [{ position: 1 }, { position: 2 }, { number: 2 }, { org: 'other' }]) {
          expect(await records.rotateWebhookSecret({ ...place, ...other }, 'whsec_3', 7)).toBe('webhook not found');
        }
      });
    });

    describe('a delivery', () => {
      beforeEach(async () => {
        await records.createNotification(sampleNotification());
      });

      it('that fails is counted, and waits with all that follow it', async () => {
        await records.recordEvents(sampleEvent());
        await records.postponeDelivery(await first(), failure(1010));
        await records.recordEvents(sampleEvent({ snapshot: 2, timestamp: 1005 }));
        expect(await due(1009)).toEqual([]);
        expect(await records.nextDue(0)).toBe(1010);
        expect(await first(1010)).toMatchObject({ attempts: 1, event: { snapshot: 1 } });
        await records.postponeDelivery(await first(1010), failure(1030));
        expect(await first(1030)).toMatchObject({ attempts: 2 });
      });

      it('that is overdue because the clock was set back is made due', async () => {
        await records.createNotification(sampleNotification({ targets: [slack] }));
        await records.recordEvents(sampleEvent({ timestamp: 90_000 }));
        await records.postponeDelivery(await first(90_000), failure(90_010));
        await records.rearmDeliveries(90_005);
        expect(await records.nextDue(0)).toBe(90_000);
        await records.rearmDeliveries(1000);
        expect(await due(999)).toEqual([]);
        expect(await due(1000)).toHaveLength(2);
        expect(await first(1000)).toMatchObject({ event: { snapshot: 1 } });
      });

      it('is not made due while its target waits as long as its failures call for', async () => {
        await records.recordEvents(sampleEvent({ timestamp: 1000.5 }));
        const rearm = async (now: number): Promise<unknown> => {
          await records.rearmDeliveries(now);
          return records.nextDue(0);
        };
        expect([await rearm(1000.5), await rearm(1000)]).toEqual([1000.5, 1000]);
        for (let failures = 1; failures <= 12; failures += 1) {
          const until = 1000 + retryDelay(failures);
          await records.postponeDelivery(await first(9999), failure(until));
          expect([await rearm(1000), await rearm(999.5)]).toEqual([until, 999.5]);
        }
      });

      it('that is dropped is followed by the next one, and leaves the notification failing', async () => {
        await records.recordEvents(sampleEvent(), sampleEvent({ snapshot: 2 }));
        await records.dropDelivery(await first(), failure(1010));
        expect(await due(1009)).toEqual([]);
        expect(await first(1010)).toMatchObject({ attempts: 1, event: { snapshot: 2 } });
        await records.dropDelivery(await first(1010), failure(1020));
        expect(await records.nextDue(0)).toBeUndefined();
        expect(await records.findTargets('acme', 1)).toMatchObject([{ attempts: 2 }]);
      });

      it('of one target does not wait for another target', async () => {
        await records.createNotification(sampleNotification({ targets: [slack] }));
        await records.recordEvents(sampleEvent());
        const [one, other] = await due();
        if (one === undefined || other === undefined) throw new Error('two are due');
        await records.postponeDelivery(one, failure(5000));
        expect(await due(2000)).toEqual([other]);
        await records.completeDelivery(other, 2000);
        expect(await records.findTargets('acme', 1)).toMatchObject([{ attempts: 1 }]);
        expect(await records.findTargets('acme', 2)).toMatchObject([{ attempts: 0, lastSuccessAt: 2000 }]);
      });

      it('for a notification deleted in the meantime changes nothing', async () => {
        await records.recordEvents(sampleEvent());
        const delivery = await first();
        await records.deleteNotification('acme', 1, 9);
        await records.completeDelivery(delivery, 1000);
        await records.postponeDelivery(delivery, failure(1000));
        await records.dropDelivery(delivery, failure(1000));
        expect(await due()).toEqual([]);
      });

      it('to a target removed in the meantime does not change a new one with its position', async () => {
        await records.recordEvents(sampleEvent());
        const delivery = await first();
        for (const added of [[], [{ target: slack, secret: undefined }]]) {
          await records.storage.transaction('acme', ({ notifications }) =>
            notifications.replaceTargets({ org: 'acme', number: 1 }, [], added),
          );
        }
        await records.recordEvents(sampleEvent({ snapshot: 2 }));
        await records.dropDelivery(delivery, failure(1000));
        expect(await records.findTargets('acme', 1)).toMatchObject([{ position: 0, waiting: 1, attempts: 0 }]);
      });

      it('goes to the longest-waiting targets first, up to the limit per organization', async () => {
        for (const environment of ['a', 'b', 'c']) {
          await records.createNotification(sampleNotification({ environments: [environment] }));
        }
        for (const [index, environment] of ['b', 'c', 'a'].entries()) {
          await records.recordEvents(sampleEvent({ environment, timestamp: 100 + index }));
        }
        const dueNow = async (): Promise<unknown> => {
          const targets = await records.dueTargets(1000, 2);
          return targets.map(({ org, number, failing }) => [org, number, failing]);
        };
        await records.createNotification(sampleNotification({ org: 'other' }));
        await records.recordEvents(sampleEvent({ org: 'other', timestamp: 500 }));
        expect(await dueNow()).toEqual([
          ['acme', 3, false],
          ['acme', 4, false],
          ['other', 1, false],
        ]);
        // A target that fails takes no place from one that does not.
        await records.postponeDelivery(await first(), failure(150));
        expect(await dueNow()).toEqual([
          ['acme', 4, false],
          ['acme', 2, false],
          ['acme', 3, true],
          ['other', 1, false],
        ]);
      });
    });
  });
}
