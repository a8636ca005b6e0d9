import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DeliverySchedule, targetKey } from '../../../../src/service/notification/delivery/delivery-schedule.ts';
import type { DueTarget } from '../../../../src/service/notification/notification.ts';

const limits = { total: 6, perOrganization: 3, failingPerOrganization: 2 };
const targetsOf = (org: string, count: number, failing = false): readonly DueTarget[] =>
  Array.from({ length: count }, (_, index) => ({ org, number: index + 1, position: failing ? 1 : 0, failing }));
const organizationsOf = (targets: readonly DueTarget[]): readonly string[] => targets.map(({ org }) => org);

describe('the schedule of deliveries', () => {
  it('serves organizations in turn', () => {
    const schedule = new DeliverySchedule(limits);
    const due = [...targetsOf('a', 10), ...targetsOf('b', 10), ...targetsOf('c', 10)];
    const taken = schedule.take(due);
    expect(organizationsOf(taken)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(schedule.isFull).toBe(true);
    const [first] = taken;
    if (first === undefined) throw new Error('six were taken');
    schedule.release(first);
    expect(schedule.take(due)).toHaveLength(1);
    expect(schedule.take(due)).toEqual([]);
  });

  it('gives the next place to the organization that has waited longest', () => {
    const schedule = new DeliverySchedule({ ...limits, total: 1 });
    const due = [...targetsOf('a', 3), ...targetsOf('b', 3), ...targetsOf('c', 3)];
    const served: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const [target] = schedule.take(due);
      if (target === undefined) throw new Error('one is taken');
      served.push(target.org);
      schedule.release(target);
    }
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('leaves places for targets that do not fail', () => {
    const schedule = new DeliverySchedule(limits);
    const taken = schedule.take([...targetsOf('a', 10, true), ...targetsOf('a', 1)]);
    expect(taken.map(({ failing }) => failing)).toEqual([true, true, false]);
  });

  it('respects every limit, and never has two deliveries in flight to one target', () => {
    const target = fc.record({
      org: fc.constantFrom('a', 'b', 'c', 'd'),
      number: fc.integer({ min: 1, max: 6 }),
      position: fc.constant(0),
      failing: fc.boolean(),
    });
    const round = fc.tuple(fc.uniqueArray(target, { selector: targetKey, maxLength: 30 }), fc.nat(8));
    fc.assert(
      fc.property(fc.array(round, { maxLength: 10 }), (rounds) => {
        const schedule = new DeliverySchedule(limits);
        let inFlight: DueTarget[] = [];
        for (const [due, ended] of rounds) {
          inFlight.push(...schedule.take(due));
          expect(inFlight.length).toBeLessThanOrEqual(limits.total);
          expect(new Set(inFlight.map(targetKey)).size).toBe(inFlight.length);
          const byOrganization = Map.groupBy(inFlight, ({ org }) => org);
          for (const targets of byOrganization.values()) {
            expect(targets.length).toBeLessThanOrEqual(limits.perOrganization);
            expect(targets.filter(({ failing }) => failing).length).toBeLessThanOrEqual(limits.failingPerOrganization);
          }
          // Whoever was left waiting without a delivery in flight waits because all places are taken.
          const waits = due.some(({ org }) => !byOrganization.has(org));
          if (waits) expect(schedule.isFull).toBe(true);
          for (const done of inFlight.slice(0, ended)) schedule.release(done);
          inFlight = inFlight.slice(ended);
        }
      }),
    );
  });
});
