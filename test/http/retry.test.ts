import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoff, parseRetryAfter, readRetryReason } from '../../src/http/retry.ts';
import { TransportError, type TransportProblem } from '../../src/http/transport.ts';
import { startOfTime } from '../support/clock.ts';
import { codePoint } from '../support/code-point.ts';

describe('whether a request that only reads is repeated', () => {
  it.each([200, 201, 302, 400, 401, 403, 404, 413, 422, 501])('it is not after %d', (status) => {
    expect(readRetryReason({ status, headers: { 'retry-after': '1' }, text: '' }, startOfTime)).toBeUndefined();
  });

  it.each([408, 409, 429, 500, 502, 503, 504])('it is after %d, and as late as the service asks', (status) => {
    const reason = `the answer was ${status}`;
    expect(readRetryReason({ status, headers: {}, text: '' }, startOfTime)).toEqual({ reason });
    const headers = { 'retry-after': '7' };
    expect(readRetryReason({ status, headers, text: '' }, startOfTime)).toEqual({ reason, retryAfter: 7000 });
  });

  it.each<[TransportProblem, boolean]>([
    ['unreachable', true],
    ['timeout', true],
    ['interrupted', true],
    ['untrusted', false],
    ['malformed', false],
  ])('without an answer, %s: %p', (problem, isRepeated) => {
    const reason = readRetryReason(new TransportError(problem, true, 'it broke'), startOfTime);
    expect(reason).toEqual(isRepeated ? { reason: 'it broke' } : undefined);
  });
});

describe('Retry-After', () => {
  it('is a number of seconds', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('', ' ', '\t'), (seconds, space) => {
        expect(parseRetryAfter(`${space}${seconds}${space}`, startOfTime)).toBe(seconds * 1000);
      }),
    );
  });

  it('is an HTTP date, and 0 once that has passed', () => {
    const whole = fc.date({
      min: new Date('1971-01-01T00:00:00Z'),
      max: new Date('2099-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(whole, (date) => {
        const seconds = Math.floor(date.getTime() / 1000) * 1000;
        expect(parseRetryAfter(date.toUTCString(), startOfTime)).toBe(Math.max(0, seconds - startOfTime));
      }),
    );
  });

  it.each([
    ['the preferred form', 'Fri, 02 Jan 2026 03:05:05 GMT'],
    ['the form of RFC 850', 'Friday, 02-Jan-26 03:05:05 GMT'],
    ['the form of asctime, which names no zone and means UTC', 'Fri Jan  2 03:05:05 2026'],
  ])('takes an HTTP date in %s', (_form, date) => {
    expect(parseRetryAfter(date, startOfTime)).toBe(60_000);
  });

  it.each(['', 'soon', '-1', '1.5', '1e3', '0x10', '1 2', '99999999999', 'Monday', '2026-01-02T03:05:05Z'])(
    'is ignored if it is %j',
    (value) => {
      expect(parseRetryAfter(value, startOfTime)).toBeUndefined();
    },
  );

  it('is undefined without the header', () => {
    expect(parseRetryAfter(undefined, startOfTime)).toBeUndefined();
  });

  it('is a finite wait or undefined, whatever the header says', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (value) => {
        const wait = parseRetryAfter(value, startOfTime);
        expect(wait === undefined || (Number.isFinite(wait) && wait >= 0)).toBe(true);
      }),
    );
  });
});

describe('the wait before the next attempt', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('lies between half of its ceiling and its ceiling, which doubles from 0.5 s to 15 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), random, (failed, luck) => {
        const ceiling = Math.min(15_000, 500 * 2 ** (failed - 1));
        const wait = backoff(failed, luck);
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(ceiling / 2);
        expect(wait).toBeLessThanOrEqual(ceiling);
      }),
    );
  });

  it('never gets shorter with the attempts, given the same luck', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), random, (failed, luck) => {
        expect(backoff(failed + 1, luck)).toBeGreaterThanOrEqual(backoff(failed, luck));
      }),
    );
  });

  it('differs between jobs that failed together', () => {
    expect(backoff(3, 0.1)).not.toBe(backoff(3, 0.9));
  });
});
