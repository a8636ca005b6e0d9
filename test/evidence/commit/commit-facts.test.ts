import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstBytes, parseTimestamp, validTimestamp } from '../../../src/evidence/commit/commit-facts.ts';

describe('the first bytes of a text', () => {
  it('are the longest beginning that fits without splitting a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 0, max: 80 }), (text, maximum) => {
        const beginning = firstBytes(text, maximum);
        const length = Buffer.byteLength(beginning);
        expect(text.startsWith(beginning)).toBe(true);
        expect(length).toBeLessThanOrEqual(maximum);
        expect(beginning === text).toBe(Buffer.byteLength(text) <= maximum);
        if (beginning !== text) expect(length).toBeGreaterThan(maximum - 4);
      }),
    );
  });

  it('never split a character that takes two UTF-16 units', () => {
    expect(firstBytes('a🚢', 4)).toBe('a');
    expect(firstBytes('a🚢', 5)).toBe('a🚢');
  });
});

describe('a time', () => {
  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 253_402_300_800])('is not %d', (seconds) => {
    expect(validTimestamp(seconds)).toBeUndefined();
  });

  it('is anything from 1970 to the year 9999', () => {
    expect([validTimestamp(0), validTimestamp(253_402_300_799)]).toEqual([0, 253_402_300_799]);
    expect(parseTimestamp('2026-01-02T03:04:05+02:00')).toBe(1_767_315_845);
    expect(parseTimestamp('1969-12-31T23:59:59Z')).toBeUndefined();
    expect(parseTimestamp('soon')).toBeUndefined();
  });
});
