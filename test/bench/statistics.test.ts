import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { median, quantile } from '../../bench/statistics.ts';

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

  it('throws if nothing was measured', () => {
    expect(() => median([])).toThrow('nothing was measured');
  });
});

describe('a quantile', () => {
  it('is the value that so great a part of the values does not exceed', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([0, 0.5, 0.99, 1].map((part) => quantile(values, part))).toEqual([1, 101, 199, 200]);
  });

  it('throws if nothing was measured', () => {
    expect(() => quantile([], 0.5)).toThrow('nothing was measured');
  });
});
