import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DueTarget } from '../../../../src/service/notification/notification.ts';
import { sampleEvent, sampleNotification } from '../../../support/notification-samples.ts';
import type { Records } from '../../../support/records.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter for several processes must do when they deliver notifications. */
export function describeClaims(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    const now = 1000;
    let tested: StorageUnderTest;
    let records: Records;
    let due: readonly DueTarget[];

    const findDue = (claimant = 'third'): Promise<readonly DueTarget[]> => records.dueTargets(now, 100, claimant);
    const claim = async (targets: readonly DueTarget[], claimant: string, at = now): Promise<readonly DueTarget[]> => {
      const claims = await Promise.all(targets.map((target) => records.claimTarget(target, at, claimant)));
      return targets.filter((_, index) => claims[index] !== undefined);
    };

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganization('acme', 1);
      const [target] = sampleNotification().targets;
      if (target === undefined) throw new Error('it has a target');
      await records.createNotification(sampleNotification({ targets: [target, target] }));
      await records.recordEvents(sampleEvent({ timestamp: now }));
      due = await findDue();
    });
    afterEach(async () => {
      await tested.remove();
    });

    it('gives each target to one of them', async () => {
      const claimants = ['one', 'two', 'three', 'four', 'five'];
      const claims = await Promise.all(claimants.map((claimant) => claim(due, claimant)));
      const left = await claim(due, 'six');
      const claimed = [...claims.flat(), ...left];
      expect(claimed).toHaveLength(2);
      expect(claimed).toEqual(expect.arrayContaining([...due]));
    });

    it('leaves out claimed targets until they are released', async () => {
      const [one, other] = due;
      if (one === undefined || other === undefined) throw new Error('two are due');
      expect(await claim([other], 'first')).toEqual([other]);
      expect(await findDue()).toEqual([one]);
      expect(await claim(due, 'second')).toEqual([one]);
      expect(await findDue()).toEqual([]);
      for (const target of due) await records.releaseTarget(target, 'first');
      expect(await findDue()).toEqual([other]);
    });

    it('gives a target again to the process that has claimed it, which may have lost the answer', async () => {
      expect(await claim(due, 'first')).toEqual(due);
      expect(await findDue('first')).toEqual(due);
      expect(await claim(due, 'first')).toEqual(due);
      expect(await claim(due, 'second')).toEqual([]);
    });

    it('keeps a claim when another event happens, and refuses targets that are no longer due', async () => {
      await claim(due, 'first');
      await records.recordEvents(sampleEvent({ timestamp: now, snapshot: 2 }));
      expect(await findDue()).toEqual([]);
      for (const target of due) {
        const delivery = await records.firstDelivery(target);
        if (delivery === undefined) throw new Error('a delivery is due');
        await records.postponeDelivery(delivery, { reason: 'it answered 500', at: now, until: now + 10 });
      }
      expect(await claim(due, 'second')).toEqual([]);
      expect(await claim(due, 'second', now + 10)).toEqual(due);
    });

    it('deletes no later delivery when one ends after its claim', async () => {
      const [target] = due;
      const delivery = target === undefined ? undefined : await records.firstDelivery(target);
      if (target === undefined || delivery === undefined) throw new Error('a delivery is due');
      await records.completeDelivery(delivery, now);
      await records.recordEvents(sampleEvent({ timestamp: now, snapshot: 2 }));
      await records.completeDelivery(delivery, now);
      expect(await records.firstDelivery(target)).toMatchObject({ event: { snapshot: 2 } });
    });
  });
}
