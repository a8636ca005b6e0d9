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

/** When the attempts of a call are made. Moments are in milliseconds since the epoch. */
export interface RetrySchedule {
  readonly attempts: number;
  /** No attempt begins later. */
  readonly lastAttempt: number;
  /** Every attempt ends here. */
  readonly end: number;
  /**
   * The pause before the next attempt, in milliseconds.
   *
   * @param failed how many attempts have failed, from 1
   * @param random a number from 0 up to 1
   * @param retryAfter the pause that the service asks for, in milliseconds
   */
  delay(failed: number, now: number, random: number, retryAfter: number | undefined): number;
  /** Why and when the next attempt is made, for the log. */
  describe(failed: number, reason: string, next: { readonly now: number; readonly delay: number }): string;
}

/** @param begin the start of the call */
export function createRetrySchedule(policy: RetryPolicy, begin: number): RetrySchedule {
  const { until = Infinity, requestTimeout, retryFor } = policy;
  const end = begin + callTimeout(policy);
  const limits = {
    attempts: limitAttempts(policy),
    lastAttempt: Math.min(retryFor === undefined ? end : begin + retryFor, until),
    end: Math.min(end, until + requestTimeout),
  };
  return retryFor === undefined ? countedSchedule(limits) : lastingSchedule(begin, limits);
}

type Limits = Pick<RetrySchedule, 'attempts' | 'lastAttempt' | 'end'>;

function countedSchedule(limits: Limits): RetrySchedule {
  const { attempts } = limits;
  return {
    ...limits,
    delay: (failed, _now, random, retryAfter) => retryAfter ?? backoff(failed, random),
    describe: (failed, reason, { delay }) =>
      `attempt ${failed} of ${attempts}: ${reason}; trying again in ${formatSeconds(delay)}`,
  };
}

/** A final pause that is shorter than this, in milliseconds, is not worth another attempt. */
const minimumFinalDelay = 1000;

/** The shortest pause, in milliseconds, that a service can ask for. */
const minimumAskedDelay = 1000;

/** For `retryFor`. The last attempt begins just before the time is up, even if the service asks for a longer pause. */
function lastingSchedule(begin: number, limits: Limits): RetrySchedule {
  const { lastAttempt } = limits;
  return {
    ...limits,
    delay(failed, now, random, retryAfter) {
      // Some services send a time in the past, because their clock differs, or 0. Obeying that would repeat requests
      // without a pause.
      const isAsked = retryAfter !== undefined && retryAfter >= minimumAskedDelay;
      const delay = isAsked ? retryAfter : backoff(failed, random, maximumOutageDelay);
      const left = lastAttempt - now;
      return left > minimumFinalDelay ? Math.min(delay, left - 1) : delay;
    },
    describe(failed, reason, { now, delay }) {
      const next = `trying again in ${formatSeconds(delay)}, at ${formatTime(now + delay)}`;
      return `attempt ${failed}, failing for ${formatSeconds(now - begin)}: ${reason}; ${next}, and then until ${formatTime(lastAttempt)}`;
    },
  };
}

/** A duration in milliseconds as seconds: `0.5 s`, `30 s`. */
export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

/** `14:05:09 UTC`. */
function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(11, 19)} UTC`;
}
