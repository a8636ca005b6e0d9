import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoSeconds } from '../../src/contract/snapshot-expression.ts';

describe('isoSeconds', () => {
  it.each([
    ['2026-01-02T03:04:05Z', 1_767_323_045],
    ['2026-01-02T03:04:05', 1_767_323_045],
    ['2026-01-02T03:04:05.999Z', 1_767_323_045],
    ['2026-01-02T05:04:05+02:00', 1_767_323_045],
    ['2026-01-02T03:04', 1_767_323_040],
    ['2026-01-02', 1_767_312_000],
    ['2028-02-29', 1_835_395_200],
  ])('reads %s as %d', (text, seconds) => {
    expect(isoSeconds(text)).toBe(seconds);
  });

  it.each(['2026-02-30', '2026-02-29', '2026-04-31T00:00:00Z', '2026-13-01', '2026-00-01', '2026-01-00'])(
    'rejects the date %s, which does not exist',
    (text) => {
      expect(isoSeconds(text)).toBeUndefined();
    },
  );

  it.each([
    '',
    'today',
    '2026',
    '2026-1-2',
    '2026-01-02 03:04:05',
    '2026-01-02T25:00',
    '2026-01-02T03:04:05z',
    ' 2026-01-02',
  ])('takes %p for no time', (text) => {
    expect(isoSeconds(text)).toBeUndefined();
  });

  it('reads back what JavaScript writes, to the second', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(isoSeconds(date.toISOString())).toBe(Math.floor(date.getTime() / 1000));
      }),
    );
  });
});
