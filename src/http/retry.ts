import { type HttpResponse, TransportError, type TransportProblem } from './transport.ts';

export interface RetryReason {
  /** In words, for the log. */
  readonly reason: string;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfter?: number;
}

/**
 * Why a request that only reads is sent again; undefined if the outcome is final.
 *
 * @param now milliseconds since the epoch
 */
export function readRetryReason(outcome: HttpResponse | TransportError, now: number): RetryReason | undefined {
  if (outcome instanceof TransportError) {
    return isTransientProblem(outcome.problem) ? { reason: outcome.message } : undefined;
  }
  const { status, headers } = outcome;
  return isTransientStatus(status) ? describeStatus(status, parseRetryAfter(headers['retry-after'], now)) : undefined;
}

/** A status as the reason for another attempt. */
export function describeStatus(status: number, retryAfter: number | undefined): RetryReason {
  return { reason: `the answer was ${status}`, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/**
 * Whether a request may have been carried out although its answer is an error. It was not if it was refused: by a 4xx,
 * including a conflict (409) and a rate limit (429), or by 503 with `Retry-After`. A gateway's 5xx says nothing about
 * what the service behind it has done, and neither does 408, which a proxy may send when the service is slow.
 *
 * @param retryAfter the wait that the answer asks for; undefined if it asks for none
 */
export function mayHaveBeenCarriedOut(status: number, retryAfter: number | undefined): boolean {
  if (status === 503) return retryAfter === undefined;
  return status === 408 || (status >= 500 && status !== 501);
}

/** Whether a later attempt may get another answer although nothing was changed. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501);
}

/** Whether a later attempt may get an answer although nothing was changed. */
export function isTransientProblem(problem: TransportProblem): boolean {
  return problem !== 'untrusted' && problem !== 'malformed';
}

/**
 * The wait that a `Retry-After` header asks for (RFC 9110, 10.2.3), in milliseconds: whole seconds, or an HTTP date.
 * Undefined if the header is missing or malformed; 0 for a date in the past.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,10}$/u.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/**
 * Reads an HTTP date in any of its three forms (RFC 9110, 5.6.7).
 *
 * @returns milliseconds since the epoch; undefined if the text is not an HTTP date
 */
export function parseHttpDate(text: string): number | undefined {
  // HTTP dates start with the day's name; `Date.parse` alone would accept nearly any text with digits.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/u.test(text)) return undefined;
  // The oldest form (asctime) names no zone and means UTC; `Date.parse` would assume the machine's zone.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : date;
}

const initialDelay = 500;
const maximumDelay = 15_000;

/** The longest pause between attempts that go on for minutes or hours (`retry-for`), in milliseconds. */
export const maximumOutageDelay = 60_000;

/**
 * The wait before the next attempt, in milliseconds. It doubles from half a second to 15 s and is shortened by up to
 * half at random, so that jobs that failed together do not retry together.
 *
 * @param failed how many attempts have failed, from 1
 * @param random a number from 0 up to 1
 * @param maximum the longest wait, in milliseconds
 */
export function backoff(failed: number, random: number, maximum = maximumDelay): number {
  const ceiling = Math.min(maximum, initialDelay * 2 ** (failed - 1));
  return Math.round(ceiling * (1 - random / 2));
}
