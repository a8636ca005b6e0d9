import { describe, expect, it } from '@jest/globals';
import { resolveInterval } from '../../../src/operations/list-snapshots/resolve-interval.ts';

const moment = { latest: 20, now: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000 };

describe('resolveInterval', () => {
  it.each([
    ['3..7', '3..7'],
    ['#3..#7', '#3..#7'],
    ['~5..NOW', '15..20'],
    ['~5..now', '15..20'],
    ['~0..NOW', '20..20'],
    ['~20..NOW', '1..20'],
    ['NOW', '20..20'],
    ['1..~19', '1..1'],
    ['@{2.hours.ago}..NOW', '@{2026-01-02T01:04:05}..20'],
    ['@{2025-12-31}..@{1.day.ago}', '@{2025-12-31}..@{2026-01-01T03:04:05}'],
  ])('reads %s as %s', (interval, fixed) => {
    expect(resolveInterval(interval, moment)).toBe(fixed);
  });

  it('leaves an interval before the first snapshot to the service', () => {
    expect(resolveInterval('~25..~20', moment)).toBe('1..~20');
  });

  it.each(['7..~15', 'NOW..3'])('leaves %s, which is empty now, to the service', (interval) => {
    expect(resolveInterval(interval, moment)).toBe(interval);
  });

  it('leaves an invalid interval to the service', () => {
    expect(resolveInterval('3..x', moment)).toBe('3..x');
  });
});
