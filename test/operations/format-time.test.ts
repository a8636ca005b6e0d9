import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, formatTime } from '../../src/operations/format-time.ts';

describe('formatTime', () => {
  it.each([
    [0, '1970-01-01T00:00:00Z'],
    [1_767_323_045, '2026-01-02T03:04:05Z'],
    [1_767_323_045.999, '2026-01-02T03:04:05Z'],
  ])('reads %d as %s', (seconds, text) => {
    expect(formatTime(seconds)).toBe(text);
  });

  it('is undefined for an invalid time', () => {
    expect([undefined, null, Number.NaN, Infinity, 1e15].map(formatTime)).toEqual(Array(5).fill(undefined));
  });

  it('drops only fractions', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        expect(Date.parse(formatTime(seconds) ?? '') / 1000).toBe(seconds);
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 s'],
    [0.4, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3601, '1 h'],
    [3660, '1 h 1 min'],
    [90_061, '1 d 1 h'],
    [86_400 * 400, '400 d'],
  ])('reads %d as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it('is undefined for an invalid duration', () => {
    expect([undefined, Number.NaN, -1].map(formatDuration)).toEqual([undefined, undefined, undefined]);
  });
});
