import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareLines } from '../../../src/service/policy/text-difference.ts';

const show = (first: string, second: string): readonly string[] =>
  compareLines(first, second).map(({ change, text }) => ({ same: ' ', removed: '-', added: '+' })[change] + text);

describe('the difference between two texts', () => {
  it('keeps as many lines as possible', () => {
    expect(show('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
    expect(show('a', 'b')).toEqual(['-a', '+b']);
    expect(show('same', 'same')).toEqual([' same']);
  });

  it('contains both texts, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const compared = compareLines(one.join('\n'), other.join('\n'));
        const without = (change: string): readonly string[] =>
          compared.filter((line) => line.change !== change).map(({ text }) => text);
        expect(without('added')).toEqual(one);
        expect(without('removed')).toEqual(other);
      }),
    );
  });

  it('does not match the lines of very long texts that differ everywhere', () => {
    const lines = (letter: string): string =>
      Array.from({ length: 2500 }, (_, index) => `${letter}${index}`).join('\n');
    const compared = compareLines(lines('a'), lines('b'));
    expect(compared.slice(0, 2500).every(({ change }) => change === 'removed')).toBe(true);
    expect(compared).toHaveLength(5000);
    const long = lines('b').split('\n');
    expect(show('b1000', long.join('\n'))).toEqual(['-b1000', ...long.map((line) => `+${line}`)]);
  });
});
