import { describe, expect, it } from '@jest/globals';
import { fact, link, abbreviate } from '../../src/operations/report.ts';

describe('fact', () => {
  it('is nothing where its text is not known', () => {
    expect([undefined, null, ''].map((text) => fact('Commit', text, 'https://example.com'))).toEqual([[], [], []]);
  });

  it('is one line with its link where the text is known', () => {
    expect(fact('Commit', 'abc', 'https://example.com')).toEqual([
      { label: 'Commit', value: link('abc', 'https://example.com') },
    ]);
    expect(fact('Commit', 'abc', null)).toEqual([{ label: 'Commit', value: link('abc', undefined) }]);
  });
});

describe('short', () => {
  it('keeps the digits that people compare', () => {
    expect(abbreviate('0123456789abcdef')).toBe('0123456789ab');
    expect(abbreviate('abc')).toBe('abc');
  });
});
