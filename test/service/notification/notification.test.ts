import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isStale, retryDelay } from '../../../src/service/notification/notification.ts';
import { sampleEvent } from '../../support/notification-samples.ts';

describe('a target that fails', () => {
  it('is retried after 10 seconds, then after twice as long each time, up to an hour', () => {
    expect([1, 2, 3, 9, 10, 1000].map(retryDelay)).toEqual([10, 20, 40, 2560, 3600, 3600]);
    fc.assert(
      fc.property(fc.nat(), (attempts) => {
        expect(retryDelay(attempts)).toBeGreaterThanOrEqual(10);
        expect(retryDelay(attempts + 1)).toBeGreaterThanOrEqual(retryDelay(attempts));
      }),
    );
  });

  it('is tried for three days after the event, by the clock and by the number of failures', () => {
    const event = sampleEvent({ timestamp: 1000 });
    const days = 3 * 86_400;
    expect(isStale(event, 1000 + days, 1000)).toBe(false);
    expect(isStale(event, 1001 + days, 1000)).toBe(true);
    // The clock is wrong.
    expect(isStale(event, 1000 + 100 * days, 1)).toBe(false);
    expect(isStale(event, 999, 1)).toBe(false);
    expect(isStale(event, 999, 1000)).toBe(true);
  });

  it('has reached the number of failures after three days of delays', () => {
    const event = sampleEvent({ timestamp: 0 });
    const series = Array.from({ length: 200 }, (_, index) => index + 1);
    const enough = series.find((attempts) => isStale(event, 1e9, attempts)) ?? 0;
    const waited = series.slice(0, enough - 1).reduce((sum, attempts) => sum + retryDelay(attempts), 0);
    expect(waited).toBeLessThanOrEqual(3 * 86_400);
    expect(waited + retryDelay(enough)).toBeGreaterThan(3 * 86_400);
  });
});
