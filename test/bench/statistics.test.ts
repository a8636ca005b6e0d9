import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { median } from '../../bench/statistics.ts';

describe('the median', () => {
  it('is the middle of an odd number of values, and between the middle two of an even number', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 3])).toBe(4);
  });

  it('has as many values above it as below it', () => {
    const values = fc.array(fc.integer(), { minLength: 1 });
    fc.assert(
      fc.property(values, (all) => {
        const middle = median(all);
        const below = all.filter((value) => value < middle).length;
        const above = all.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(all.length / 2);
      }),
    );
  });

  it('is refused where nothing was measured', () => {
    expect(() => median([])).toThrow('nothing was measured');
  });
});
