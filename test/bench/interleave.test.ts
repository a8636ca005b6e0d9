import { describe, expect, it } from '@jest/globals';
import { interleave, interleavedMedians } from '../../bench/interleave.ts';

describe('measuring in turn', () => {
  it('measures everything once per round, in the same order, and drops the first round', async () => {
    const order: string[] = [];
    const probe = (name: string) => (): number => order.push(name);
    const samples = await interleave({ one: probe('one'), other: probe('other') }, 2);
    expect(order).toEqual(['one', 'other', 'one', 'other', 'one', 'other']);
    expect(samples).toEqual({ one: [3, 5], other: [4, 6] });
  });

  it('returns the median of each, without the first round', async () => {
    const figures = [1000, 7, 5, 9];
    const medians = await interleavedMedians({ only: () => Promise.resolve(figures.shift() ?? NaN) }, 3);
    expect(medians).toEqual({ only: 7 });
  });
});
