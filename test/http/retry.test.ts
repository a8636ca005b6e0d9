import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TransportError, type Method, type TransportProblem } from '../../src/http/transport.ts';
import {
  backoff,
  isIdempotent,
  parseRetryAfter,
  retryReasonOfAnswer,
  retryReasonOfError,
} from '../../src/http/retry.ts';
import { startOfTime } from '../support/clock.ts';
import { codePoint } from '../support/code-point.ts';

const methods = ['GET', 'PUT', 'DELETE', 'POST'] as const;

function retriedAnswer(method: Method, status: number, headers: Record<string, string> = {}): boolean {
  return retryReasonOfAnswer(isIdempotent({ method }), { status, headers, text: '' }, startOfTime) !== undefined;
}

function retriedError(method: Method, problem: TransportProblem, mayHaveReached: boolean): boolean {
  return (
    retryReasonOfError(isIdempotent({ method }), new TransportError(problem, mayHaveReached, 'it broke')) !== undefined
  );
}

describe('whether a request is repeated after an answer', () => {
  // GET, PUT and DELETE change nothing when they are repeated; POST adds another record.
  it.each([
    { status: 200, idempotent: false, post: false },
    { status: 201, idempotent: false, post: false },
    { status: 302, idempotent: false, post: false },
    { status: 400, idempotent: false, post: false },
    { status: 401, idempotent: false, post: false },
    { status: 403, idempotent: false, post: false },
    { status: 404, idempotent: false, post: false },
    { status: 408, idempotent: true, post: false },
    { status: 409, idempotent: true, post: true },
    { status: 413, idempotent: false, post: false },
    { status: 422, idempotent: false, post: false },
    { status: 429, idempotent: true, post: true },
    { status: 500, idempotent: true, post: false },
    { status: 501, idempotent: false, post: false },
    { status: 502, idempotent: true, post: false },
    { status: 503, idempotent: true, post: false },
    { status: 504, idempotent: true, post: false },
  ])('$status: for GET, PUT and DELETE $idempotent, for POST $post', ({ status, idempotent, post }) => {
    expect(methods.map((method) => retriedAnswer(method, status))).toEqual([idempotent, idempotent, idempotent, post]);
  });

  it.each([503, 429])('repeats any method on %s with a Retry-After', (status) => {
    expect(methods.map((method) => retriedAnswer(method, status, { 'retry-after': '2' }))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('repeats no POST on another status because of a Retry-After', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), (status) => {
        fc.pre(status !== 409 && status !== 429 && status !== 503);
        expect(retriedAnswer('POST', status, { 'retry-after': '1' })).toBe(false);
      }),
    );
  });

  it('repeats no POST on 503 with a Retry-After that cannot be read', () => {
    expect(retriedAnswer('POST', 503, { 'retry-after': 'soon' })).toBe(false);
  });

  it('names the status and the requested wait', () => {
    const answer = { status: 429, headers: { 'retry-after': '7' }, text: '' };
    expect(retryReasonOfAnswer(false, answer, startOfTime)).toEqual({
      reason: 'the answer was 429',
      retryAfter: 7000,
    });
  });
});

describe('whether a request is repeated without an answer', () => {
  it.each<{ problem: TransportProblem; mayHaveReached: boolean; idempotent: boolean; post: boolean }>([
    { problem: 'unreachable', mayHaveReached: false, idempotent: true, post: true },
    { problem: 'timeout', mayHaveReached: false, idempotent: true, post: true },
    { problem: 'timeout', mayHaveReached: true, idempotent: true, post: false },
    { problem: 'interrupted', mayHaveReached: true, idempotent: true, post: false },
    { problem: 'untrusted', mayHaveReached: false, idempotent: false, post: false },
    { problem: 'malformed', mayHaveReached: true, idempotent: false, post: false },
  ])(
    '$problem, may have reached the service: $mayHaveReached: for GET, PUT and DELETE $idempotent, for POST $post',
    ({ problem, mayHaveReached, idempotent, post }) => {
      expect(methods.map((method) => retriedError(method, problem, mayHaveReached))).toEqual([
        idempotent,
        idempotent,
        idempotent,
        post,
      ]);
    },
  );
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
