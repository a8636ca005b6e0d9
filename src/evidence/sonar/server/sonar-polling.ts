import { isTransientProblem } from '../../../http/retry.ts';
import type { TransportError } from '../../../http/transport.ts';
import { type Clock, sleep } from '../../../runtime/clock.ts';
import { ExternalError, type Failure } from '../../../runtime/failure.ts';
import type { Log } from '../../../runtime/log.ts';
import { isMapping } from '../../../runtime/untrusted-data.ts';

/** One time limit for the background task and for all requests after it. */
export interface Polling {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly progress: ProgressLog;
  /** The limit, for errors, in milliseconds. */
  readonly timeoutMilliseconds: number;
  /** When the limit is reached, in milliseconds since the epoch. */
  readonly end: number;
}

export function startPolling(
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal?: AbortSignal },
  timeoutMilliseconds: number,
): Polling {
  const start = clock.now();
  const progress = new ProgressLog(clock, log);
  return { clock, signal, progress, timeoutMilliseconds, end: start + timeoutMilliseconds };
}

/** The longest time without a log line, in milliseconds. */
const maximumSilence = 30_000;

/** Logs what the step waits for: every change at once, and again every 30 seconds. */
export class ProgressLog {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #start: number;
  #lastLogged = { state: '', at: 0 };
  #task: string | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#start = clock.now();
  }

  /** The state of the background task when it was last seen, as a clause. */
  get lastTask(): string | undefined {
    return this.#task;
  }

  /** @param task the background task and its state, as a clause */
  logTask(task: string): void {
    this.#task = task;
    this.#logOnChange(task, `${task} after ${seconds(this.#clock.now() - this.#start)}`);
  }

  /** @param left how long the request will be repeated, in milliseconds */
  logFailure(what: string, left: number): void {
    this.#logOnChange(what, `${what}; asking again for up to ${seconds(left)}`);
  }

  #logOnChange(state: string, line: string): void {
    const now = this.#clock.now();
    if (state === this.#lastLogged.state && now - this.#lastLogged.at < maximumSilence) return;
    this.#log.info(line);
    this.#lastLogged = { state, at: now };
  }
}

/** The pauses between attempts, in milliseconds: each is 1.5 times the previous one, up to the maximum. */
const firstPause = 1000;
const maximumPause = 10_000;

/** The pause after `previous`; the first pause if there was none. In milliseconds. */
export function nextPause(previous: number | undefined): number {
  return previous === undefined ? firstPause : Math.min(maximumPause, previous * 1.5);
}

/** The result of one attempt, unless it failed permanently. */
export type Attempt<Answer> =
  | { readonly answer: Answer }
  | {
      /** A failure that may pass, such as a restart of the server. */
      readonly failure: Failure;
      /** The pause that Sonar requested (`Retry-After`), in milliseconds. */
      readonly retryAfter: number | undefined;
    };

/** The minimum timeout of a request, even near the time limit, in milliseconds. */
const minimumRequestTimeout = 10_000;

/** The maximum time for a request that the evidence does not depend on, in milliseconds. */
const maximumBestEffortTime = 10_000;

/**
 * Repeats a request until there is a response, as long as the failures are transient, like those of a restarting
 * server.
 *
 * @param attempt gets its time limit in milliseconds
 * @param isBestEffort whether the evidence is complete without the response, so that it is not worth a long wait
 * @throws ExternalError if the limit is reached first, with what was seen last; whatever `attempt` throws; the signal's
 * reason
 */
export async function pollUntilResponse<Answer>(
  attempt: (timeout: number) => Promise<Attempt<Answer>>,
  polling: Polling,
  isBestEffort: boolean,
): Promise<Answer> {
  const { clock, signal, progress } = polling;
  const end = isBestEffort ? Math.min(polling.end, clock.now() + maximumBestEffortTime) : polling.end;
  let pause: number | undefined;
  for (;;) {
    const result = await attempt(Math.max(minimumRequestTimeout, end - clock.now()));
    if ('answer' in result) return result.answer;
    const left = end - clock.now();
    if (left <= 0) throw createTimeoutError(result.failure, polling);
    const wanted = result.retryAfter ?? 0;
    if (wanted > left) throw createRetryTooLateError(result.failure, wanted, left);
    progress.logFailure(result.failure.message, left);
    pause = nextPause(pause);
    await sleep(clock, Math.min(Math.max(pause, wanted), left), signal);
  }
}

function createTimeoutError(failure: Failure, { timeoutMilliseconds, progress }: Polling): ExternalError {
  const before = progress.lastTask === undefined ? '' : ` Before that: ${progress.lastTask}.`;
  return new ExternalError({
    what: `Sonar did not answer within ${seconds(timeoutMilliseconds)} (\`sonar-timeout\`). Last error: ${failure.message}.${before}`,
    remedy: `If Sonar is being restarted or updated, run the job again when it is up, or raise \`sonar-timeout\`. ${failure.remedy}`,
    cause: failure,
  });
}

function createRetryTooLateError(failure: Failure, wanted: number, left: number): ExternalError {
  return new ExternalError({
    what: `${failure.message}; Sonar asks to wait ${seconds(wanted)} before the next request, but only ${seconds(left)} of \`sonar-timeout\` are left`,
    remedy: `Run the job again later, or raise \`sonar-timeout\`. ${failure.remedy}`,
    cause: failure,
  });
}

/**
 * Whether the error is transient, so that retrying may help.
 *
 * @param hasAnswered whether the server has answered before; if not, an unknown host name is taken for a typo
 */
export function isTransientError(error: TransportError, hasAnswered: boolean): boolean {
  if (!isTransientProblem(error.problem)) return false;
  // undici's message for a proxy that requires a password; there is no error code for it.
  if (error.message.includes('Proxy response (407)')) return false;
  return hasAnswered || !isUnknownHost(error);
}

/** Errors nest: an AggregateError, undici's error, the system's. */
function isUnknownHost(error: unknown): boolean {
  for (let current = error, depth = 0; isMapping(current) && depth < 5; current = current['cause'], depth += 1) {
    if (current['code'] === 'ENOTFOUND') return true;
  }
  return false;
}

export function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
