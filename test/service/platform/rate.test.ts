import { describe, expect, it } from '@jest/globals';
import { measureSpans, toPercent, toPeriods, toTrend } from '../../../src/service/platform/rate.ts';

const day = 86_400;

describe('a trend', () => {
  it('has the days before, and weeks, of which the oldest can be shorter', () => {
    const now = 100 * day - 1;
    expect(toPeriods(30, now).map(({ from, to }) => [from / day, to / day])).toEqual([
      [40, 70],
      [70, 72],
      [72, 79],
      [79, 86],
      [86, 93],
      [93, 100],
    ]);
  });

  it('measures how long a verdict was compliant, without the time that was not judged', () => {
    const now = 100 * day - 1;
    const spans = [
      { compliant: false, from: 99 * day, to: undefined },
      { compliant: true, from: 90 * day, to: 99 * day },
      { compliant: null, from: 79 * day, to: 90 * day },
      // The clock was set back.
      { compliant: false, from: 85 * day, to: 80 * day },
      { compliant: false, from: 60 * day, to: 79 * day },
    ];
    const { current, before, weeks } = toTrend(toPeriods(30, now), (period) => measureSpans(spans, period, now));
    expect(weeks.map(toPercent)).toEqual([0, 0, undefined, 100, 85]);
    expect(current).toEqual({ good: 9 * day, total: 19 * day - 1 });
    expect(before).toEqual({ good: 0, total: 10 * day });
    expect(toPercent({ good: 999, total: 1000 })).toBe(99);
  });
});
