import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstSince, lastBefore, mergeByTime, type TimeSeries } from '../../../src/service/platform/time-series.ts';

function seriesOf(times: readonly number[]): TimeSeries {
  const stepsBack = times.flatMap((time, index) => (index > 0 && time < (times[index - 1] ?? time) ? [index + 1] : []));
  return createTimeSeries(times.length, stepsBack, (number) => times[number - 1] ?? NaN);
}

function createTimeSeries(
  length: number,
  stepsBack: readonly number[],
  timeOf: (number: number) => number,
): TimeSeries {
  return {
    length,
    listStepsBack: () => Promise.resolve(stepsBack),
    listTimes: (wanted) => Promise.resolve(wanted.map(timeOf)),
  };
}

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
const spanOf = async (times: readonly number[], from: number, to: number, now: number): Promise<number[]> =>
  numbers(await firstSince(seriesOf(times), from, now), await lastBefore(seriesOf(times), to + 1, now));

/** Records of a right clock, one a second from 1, of which some stretches were recorded by a wrong one. */
const disturbed = fc
  .record({
    length: fc.integer({ min: 1, max: 30 }),
    steps: fc.array(fc.record({ at: fc.nat(30), for: fc.nat(10), by: fc.integer({ min: -40, max: 40 }) }), {
      maxLength: 3,
    }),
  })
  .map(({ length, steps }) =>
    numbers(1, length).map((right) => ({
      right,
      shown: steps.reduce(
        (time, { at, for: long, by }) => (right >= at && right < at + long ? time + by : time),
        right,
      ),
    })),
  );

describe('a selection by time', () => {
  it('is exact while the clock is right', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50)), fc.nat(50), fc.nat(50), async (unordered, from, to) => {
        const times = unordered.toSorted((one, other) => one - other);
        const expected = times.flatMap((time, index) => (time >= from && time <= to ? [index + 1] : []));
        expect(await spanOf(times, from, to, 50)).toEqual(expected);
      }),
    );
  });

  it('is complete up to the present, and from the beginning', async () => {
    await fc.assert(
      fc.asyncProperty(disturbed, async (records) => {
        const times = records.map(({ shown }) => shown);
        const now = records.length + 1;
        expect(await lastBefore(seriesOf(times), now + 1, now)).toBe(times.length);
        expect(await firstSince(seriesOf(times), Math.min(...times), now)).toBe(1);
      }),
    );
  });

  it('misses nothing that a correct clock would have included, if all wrong times are contradicted', async () => {
    const once = fc.record({
      length: fc.integer({ min: 1, max: 30 }),
      at: fc.integer({ min: 1, max: 30 }),
      for: fc.nat(10),
      // Further than the series is long. A smaller step can give times that look right, and nothing tells them apart.
      by: fc.oneof(fc.integer({ min: -200, max: -40 }), fc.integer({ min: 40, max: 200 })),
    });
    await fc.assert(
      fc.asyncProperty(once, fc.nat(31), fc.nat(31), async ({ length, at, for: long, by }, from, to) => {
        const times = numbers(1, length).map((right) => (right >= at && right < at + long ? right + by : right));
        // A step that no later or earlier time contradicts cannot be seen.
        const isSeen = (number: number): boolean =>
          times.some((time, index) => (index + 1 < number ? time > (times[number - 1] ?? 0) : false)) ||
          times.slice(number).some((time) => time < (times[number - 1] ?? 0)) ||
          (times[number - 1] ?? 0) > length + 1;
        const span = new Set(await spanOf(times, from, to, length));
        for (const number of numbers(from, Math.min(to, length))) {
          const isRight = times[number - 1] === number;
          if (number > 0 && (isRight || isSeen(number))) expect(span).toContain(number);
        }
      }),
    );
  });

  it('takes few lookups, however long the series is', async () => {
    let lookups = 0;
    const series = createTimeSeries(1_000_000, [500_001], (number) => {
      lookups += 1;
      return number > 500_000 ? number - 250_000 : number;
    });
    expect(await lastBefore(series, 300_000.5, 1_000_000)).toBe(550_000);
    expect(await firstSince(series, 100_000, 1_000_000)).toBe(100_000);
    expect(lookups).toBeLessThan(150);
  });

  it('finds nothing in an empty series', async () => {
    expect(await lastBefore(seriesOf([]), 5, 9)).toBe(0);
    expect(await firstSince(seriesOf([]), 5, 9)).toBe(1);
  });

  it.each([
    ['the clock was ahead', [10, 9000, 20], 25, 30, 3],
    ['the clock was ahead, and nothing was recorded since', [10, 9000], 25, 30, 2],
    ['the clock was ahead by a second', [3], 2, 2, 1],
    ['the clock was behind', [100, 200, 50, 300], 250, 400, 3],
    ['the clock was behind at first', [5, 100], 50, 200, 1],
  ])('in the past finds the record that was the last one then: %s', async (_what, times, time, now, expected) => {
    expect(await lastBefore(seriesOf(times), time + 1, now)).toBe(expected);
  });
});

describe('merging by time', () => {
  it('sorts by time, and keeps the order of each list', () => {
    const entry = (timestamp: number, name: string): { timestamp: number; name: string } => ({ timestamp, name });
    const namesOf = (lists: { timestamp: number; name: string }[][]): string =>
      mergeByTime(lists)
        .map(({ name }) => name)
        .join('');
    expect(namesOf([[entry(1, 'a'), entry(4, 'd')], [entry(2, 'b'), entry(3, 'c')], []])).toBe('abcd');
    expect(namesOf([[entry(5, 'a')], [entry(5, 'b')]])).toBe('ab');
    expect(namesOf([[entry(90, 'a'), entry(20, 'b')], [entry(30, 'c')]])).toBe('cab');
  });
});
