import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editDistance, findSimilarWord } from '../../src/runtime/similar-word.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: 12 });

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'flow', 4],
    ['flow', 'flow', 0],
    ['flow', 'flows', 1],
    ['flow', 'flw', 1],
    ['flow', 'flaw', 1],
    ['flow', 'folw', 1],
    ['ca', 'abc', 3],
    ['on-noncompliant', 'on-non-compliant', 1],
  ])('of %j and %j is %d', (one, other, distance) => {
    expect(editDistance(one, other)).toBe(distance);
  });

  it('is symmetric, 0 only for equal words, and not larger than the longer word', () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        const distance = editDistance(one, other);
        expect(distance).toBe(editDistance(other, one));
        expect(distance === 0).toBe(one === other);
        expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(one.length - other.length));
      }),
    );
  });

  it('grows by at most one with each edit', () => {
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('', 'x'), (text, seed, put) => {
        const at = seed % (text.length + 1);
        expect(editDistance(text, text.slice(0, at) + put + text.slice(at))).toBe(put.length);
        if (at < text.length) expect(editDistance(text, text.slice(0, at) + put + text.slice(at + 1))).toBe(1);
      }),
    );
  });
});

describe('findSimilarWord', () => {
  const inputs = [
    'flow',
    'org',
    'page',
    'comment',
    'commit-sha',
    'on-non-compliant',
    'minimum-approvals',
    'snapshot-1',
  ];

  it.each([
    ['flwo', 'flow'],
    ['flows', 'flow'],
    ['og', 'org'],
    ['on-noncompliant', 'on-non-compliant'],
    ['onnoncompliant', 'on-non-compliant'],
    ['on_non_compliant', 'on-non-compliant'],
    ['min-approvals', 'minimum-approvals'],
    ['snapshot', 'snapshot-1'],
  ])('takes %s for %s', (misspelt, meant) => {
    expect(findSimilarWord(misspelt, inputs)).toBe(meant);
  });

  it.each(['commit', 'name', 'path', 'log', 'gate', 'approvals', 'threshold', ''])('takes %j for none', (unknown) => {
    expect(findSimilarWord(unknown, inputs)).toBeUndefined();
  });

  it('prefers the closest, then the first', () => {
    expect(findSimilarWord('retry-fo', ['retry-of', 'retry-for'])).toBe('retry-of');
    expect(findSimilarWord('snapshot', ['snapshot-2', 'snapshot-1', 'snapshots'])).toBe('snapshots');
  });

  it('has a border: a quarter of the letters of the longer word', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 40 }), fc.nat({ max: 12 }), (length, changed) => {
        fc.pre(changed <= length);
        const misspelt = 'x'.repeat(changed) + 'a'.repeat(length - changed);
        const expected = changed <= Math.floor(length / 4) ? 'a'.repeat(length) : undefined;
        expect(findSimilarWord(misspelt, ['a'.repeat(length)])).toBe(expected);
      }),
    );
  });
});
