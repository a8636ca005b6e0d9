import { describe, expect, it } from '@jest/globals';
import { judge, type Target } from '../../bench/target.ts';

const lower: Target = { better: 'lower', mustReach: 2.5, aimFor: 2 };
const higher: Target = { better: 'higher', mustReach: 5000, aimFor: 6000 };

describe('comparing a figure with its target', () => {
  it.each([
    [1.9, lower, 'aim'],
    [2, lower, 'aim'],
    [2.01, lower, 'must'],
    [2.5, lower, 'must'],
    [2.51, lower, 'no'],
    [6000, higher, 'aim'],
    [5999, higher, 'must'],
    [5000, higher, 'must'],
    [4999, higher, 'no'],
  ] as const)('%d with the target %j: %s', (value, target, reached) => {
    expect(judge(value, target)).toBe(reached);
  });

  it('does not count as reached if nothing was measured', () => {
    expect(judge(NaN, lower)).toBe('no');
    expect(judge(NaN, higher)).toBe('no');
  });
});
