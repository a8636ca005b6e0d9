import type { HttpAnswer, Method, TransportError, TransportProblem } from './exchange.ts';

/** Why an attempt is worth repeating. */
export interface RetryReason {
  /** In words, for the log. */
  readonly reason: string;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfter?: number;
}

// RFC 9110, 9.2.2. Repeating a PUT or DELETE that had arrived changes nothing.
const idempotent: ReadonlySet<Method> = new Set(['GET', 'PUT', 'DELETE']);

/** Whether an answer is worth asking again; undefined where it is final. `now` is in milliseconds since the epoch. */
export function retryReasonOfAnswer(method: Method, answer: HttpAnswer, now: number): RetryReason | undefined {
  const retryAfter = parseRetryAfter(answer.headers['retry-after'], now);
  const reason: RetryReason = {
    reason: `the answer was ${answer.status}`,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
  const { status } = answer;
  // These say that the request was not taken on, so that even a POST can be repeated.
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return reason;
  return idempotent.has(method) && isPassingStatus(status) ? reason : undefined;
}

/** Whether an error answer may be another one soon, though nothing is changed. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501);
}

/** Whether what kept an answer from coming may be gone soon, though nothing is changed. */
export function isPassingProblem(problem: TransportProblem): boolean {
  return problem !== 'untrusted' && problem !== 'malformed';
}

/** Whether an attempt without an answer is worth repeating; undefined where that is unsafe or pointless. */
export function retryReasonOfError(method: Method, error: TransportError): RetryReason | undefined {
  if (!isPassingProblem(error.problem)) return undefined;
  return idempotent.has(method) || !error.mayHaveReached ? { reason: error.message } : undefined;
}

/**
 * The wait that a `Retry-After` header asks for (RFC 9110, 10.2.3), in milliseconds: whole seconds, or an HTTP date.
 * Undefined where the header is missing or malformed; 0 for a date in the past.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,10}$/u.test(text)) return Number(text) * 1000;
  // HTTP dates start with the day's name; `Date.parse` alone would take nearly any text with digits.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/u.test(text)) return undefined;
  // The oldest of the three forms names no zone and means UTC; `Date.parse` would take the machine's.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const firstDelay = 500;
const longestDelay = 15_000;

/**
 * The wait before the next attempt, in milliseconds: doubling from half a second up to 15 s, of which a random half is
 * taken off, so that jobs that failed together do not come back together.
 *
 * @param failed how many attempts have failed, from 1
 * @param random a number from 0 up to 1
 */
export function backoff(failed: number, random: number): number {
  const ceiling = Math.min(longestDelay, firstDelay * 2 ** (failed - 1));
  return Math.round(ceiling * (1 - random / 2));
}
