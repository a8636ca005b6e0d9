import { describe, expect, it } from '@jest/globals';
import { fact, link, abbreviate } from '../../src/operations/report.ts';

describe('fact', () => {
  it('is empty without a text', () => {
    expect([undefined, null, ''].map((text) => fact('Commit', text, 'https://example.com'))).toEqual([[], [], []]);
  });

  it('is one entry with its link if it has a text', () => {
    expect(fact('Commit', 'abc', 'https://example.com')).toEqual([
      { label: 'Commit', value: link('abc', 'https://example.com') },
    ]);
    expect(fact('Commit', 'abc', null)).toEqual([{ label: 'Commit', value: link('abc', undefined) }]);
  });
});

describe('abbreviate', () => {
  it('keeps the first 12 digits', () => {
    expect(abbreviate('0123456789abcdef')).toBe('0123456789ab');
    expect(abbreviate('abc')).toBe('abc');
  });
});
