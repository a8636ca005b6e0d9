import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mapConcurrently } from '../../src/runtime/concurrent.ts';

describe('mapConcurrently', () => {
  it('returns the results in the order of the items, and respects the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        async (turns, most) => {
          let working = 0;
          let peak = 0;
          const begun: number[] = [];
          const results = await mapConcurrently([...turns.entries()], most, async ([index, count]) => {
            begun.push(index);
            peak = Math.max(peak, (working += 1));
            for (let turn = 0; turn < count; turn += 1) await nextTurn();
            working -= 1;
            return index;
          });
          expect(results).toEqual([...turns.keys()]);
          expect(begun).toEqual([...turns.keys()]);
          expect(peak).toBe(Math.min(most, turns.length));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('starts nothing after a failure, and throws it', async () => {
    const begun: number[] = [];
    const failure = new Error('the second');
    const work = async (item: number): Promise<void> => {
      begun.push(item);
      await nextTurn();
      if (item === 2) throw failure;
      await nextTurn();
    };
    await expect(mapConcurrently([1, 2, 3, 4, 5], 2, work)).rejects.toBe(failure);
    await nextTurn();
    await nextTurn();
    expect(begun).toEqual([1, 2]);
  });
});
