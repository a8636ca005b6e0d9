import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isStale, waitAfter } from '../../../src/service/domain/notifications.ts';
import { sampleEvent } from '../../support/notification-samples.ts';

describe('a target that fails', () => {
  it('is left alone for 10 seconds, then twice as long each time, up to an hour', () => {
    expect([1, 2, 3, 9, 10, 1000].map(waitAfter)).toEqual([10, 20, 40, 2560, 3600, 3600]);
    fc.assert(
      fc.property(fc.nat(), (attempts) => {
        expect(waitAfter(attempts)).toBeGreaterThanOrEqual(10);
        expect(waitAfter(attempts + 1)).toBeGreaterThanOrEqual(waitAfter(attempts));
      }),
    );
  });

  it('is tried for three days after the event', () => {
    const event = sampleEvent({ timestamp: 1000 });
    expect(isStale(event, 1000 + 3 * 86_400)).toBe(false);
    expect(isStale(event, 1001 + 3 * 86_400)).toBe(true);
  });
});
