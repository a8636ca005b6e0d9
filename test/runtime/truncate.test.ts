import { describe, expect, it } from '@jest/globals';
import { truncate } from '../../src/runtime/truncate.ts';

describe('truncate', () => {
  it.each([
    ['abc', 'abc'],
    ['abcd', 'ab…'],
    ['', ''],
  ])('makes %j at most three characters: %j', (text, expected) => {
    expect(truncate(text, 3)).toBe(expected);
  });

  it('leaves no half of a surrogate pair', () => {
    expect(truncate('a\u{1f600}bc', 3)).toBe('a…');
    expect(truncate('\ud800bcd', 3)).toBe('\ufffdb…');
  });
});
