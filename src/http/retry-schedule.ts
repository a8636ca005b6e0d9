import { backoff, maximumOutageDelay } from './retry.ts';

export interface RetryPolicy {
  /** The deadline of one request, from connecting to the end of the answer, in milliseconds. */
  readonly requestTimeout: number;
  /** How many times a request is repeated after the first; without effect if `retryFor` is set. */
  readonly retries: number;
  /** For how long a request is repeated, in milliseconds. An attempt in flight ends at most `requestTimeout` later. */
  readonly retryFor?: number;
  /**
   * No attempt is repeated after this time (milliseconds since the epoch). An attempt in flight ends at most
   * `requestTimeout` later. Without it, only `callTimeout` applies.
   */
  readonly until?: number;
}

/** The deadline of a whole call, all attempts and waits together, in milliseconds. */
export function callTimeout({ requestTimeout, retries, retryFor }: Omit<RetryPolicy, 'until'>): number {
  return retryFor === undefined ? requestTimeout * (retries + 1) : retryFor + requestTimeout;
}

/** The maximum number of attempts of a call; infinite if only the time limits it. */
export function limitAttempts({ retries, retryFor }: RetryPolicy): number {
  return retryFor === undefined ? retries + 1 : Number.POSITIVE_INFINITY;
}

/** A final pause that is shorter than this, in milliseconds, is not worth another attempt. */
const minimumFinalDelay = 1000;

/** The shortest pause, in milliseconds, that a service can ask for during `retryFor`. */
const minimumAskedDelay = 1000;

/** When the attempts of a call are made. Moments are in milliseconds since the epoch. */
export class RetrySchedule {
  readonly attempts: number;
  /** No attempt begins later. */
  readonly lastAttempt: number;
  /** Every attempt ends here. */
  readonly end: number;
  readonly #begin: number;
  readonly #isCounted: boolean;

  /** @param begin the start of the call */
  constructor(policy: RetryPolicy, begin: number) {
    const { until = Infinity, requestTimeout, retryFor } = policy;
    const end = begin + callTimeout(policy);
    this.attempts = limitAttempts(policy);
    this.lastAttempt = Math.min(retryFor === undefined ? end : begin + retryFor, until);
    this.end = Math.min(end, until + requestTimeout);
    this.#begin = begin;
    this.#isCounted = retryFor === undefined;
  }

  /**
   * The pause before the next attempt, in milliseconds. With `retryFor`, the last attempt begins just before the time is
   * up, even if the service asks for a longer pause.
   *
   * @param failed how many attempts have failed, from 1
   * @param random a number from 0 up to 1
   * @param retryAfter the pause that the service asks for, in milliseconds
   */
  delay(failed: number, now: number, random: number, retryAfter: number | undefined): number {
    if (this.#isCounted) return retryAfter ?? backoff(failed, random);
    // Some services send a time in the past, because their clock differs, or 0. Obeying that would repeat requests
    // without a pause.
    const isAsked = retryAfter !== undefined && retryAfter >= minimumAskedDelay;
    const delay = isAsked ? retryAfter : backoff(failed, random, maximumOutageDelay);
    const left = this.lastAttempt - now;
    return left > minimumFinalDelay ? Math.min(delay, left - 1) : delay;
  }

  /** Why and when the next attempt is made, for the log. */
  describe(failed: number, reason: string, { now, delay }: { readonly now: number; readonly delay: number }): string {
    const next = `${reason}; trying again in ${formatSeconds(delay)}`;
    if (this.#isCounted) return `attempt ${failed} of ${this.attempts}: ${next}`;
    return `attempt ${failed}, failing for ${formatSeconds(now - this.#begin)}: ${next}, at ${formatTime(now + delay)}, and then until ${formatTime(this.lastAttempt)}`;
  }
}

/** A duration in milliseconds as seconds: `0.5 s`, `30 s`. */
export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

/** `14:05:09 UTC`. */
function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(11, 19)} UTC`;
}
