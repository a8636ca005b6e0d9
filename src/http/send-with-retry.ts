import { sleep } from '../runtime/clock.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { readRetryReason, type RetryReason } from './retry.ts';
import { formatSeconds, type RetryPolicy, RetrySchedule } from './retry-schedule.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from './transport.ts';

export interface CallContext extends Dependencies {
  readonly transport: Transport;
  readonly retryPolicy: RetryPolicy;
  /** Cancels the call, for example because the job is cancelled. */
  readonly signal?: AbortSignal;
}

export interface FinalResponse {
  readonly answer: HttpResponse;
  readonly attempts: number;
  /**
   * True if an attempt before the last may have arrived. The call may then have changed more than the answer says. An
   * answer 429 or 503 counts, too: a gateway that repeats requests itself can send it after the service carried out the
   * first one.
   */
  readonly earlierArrived: boolean;
}

/** Decides after an attempt, as long as attempts are left, why the request is sent again; undefined if it is not. */
export type RetryRule = (
  outcome: HttpResponse | TransportError,
) => RetryReason | undefined | Promise<RetryReason | undefined>;

/**
 * Sends a request until the answer is final, or until attempts or time run out: after `retries` or `retryFor`, after
 * `callTimeout`, or earlier if `until` says so.
 *
 * @param label the operation, for the log
 * @param rule by default, the rule for a request that only reads
 * @returns the last answer, whatever its status
 * @throws TransportError if the last attempt got no complete answer; its message says how many attempts there were
 */
export async function sendWithRetry(
  label: string,
  request: HttpRequest,
  context: CallContext,
  rule: RetryRule = (outcome) => readRetryReason(outcome, context.clock.now()),
): Promise<FinalResponse> {
  const { clock, retryPolicy, log } = context;
  const schedule = new RetrySchedule(retryPolicy, clock.now());
  const { lastAttempt, end } = schedule;
  let earlierArrived = false;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(request, context, Math.min(retryPolicy.requestTimeout, end - clock.now()));
    const again = attempt < schedule.attempts ? await rule(outcome) : undefined;
    // Read once: the pause before the last attempt ends a millisecond before the time is up.
    const now = clock.now();
    const delay = again === undefined ? 0 : schedule.delay(attempt, now, context.random(), again.retryAfter);
    const timeIsUp = again !== undefined && now + delay >= lastAttempt;
    if (again === undefined || timeIsUp) {
      if (timeIsUp)
        log.info(`${label}: attempt ${attempt}: ${again.reason}; ${describeTimeLeft(delay, lastAttempt - now)}`);
      if (outcome instanceof TransportError) throw withAttempts(outcome, attempt, earlierArrived);
      return { answer: outcome, attempts: attempt, earlierArrived };
    }
    earlierArrived ||= !(outcome instanceof TransportError) || outcome.mayHaveReached;
    log.info(`${label}: ${schedule.describe(attempt, again.reason, { now, delay })}`);
    await sleep(clock, delay, context.signal);
  }
}

async function tryOnce(
  request: HttpRequest,
  context: CallContext,
  timeout: number,
): Promise<HttpResponse | TransportError> {
  if (timeout <= 0) return new TransportError('timeout', false, 'the time ran out before the request could be sent');
  const deadline = new AbortController();
  const late = new TransportError('timeout', true, `no complete answer within ${formatSeconds(timeout)}`);
  const callOff = context.clock.after(timeout, () => {
    deadline.abort(late);
  });
  const onCancel = (): void => {
    deadline.abort(context.signal?.reason);
  };
  // Not `AbortSignal.any`, which would add a reference to the job's signal with every request.
  context.signal?.addEventListener('abort', onCancel, { once: true });
  if (context.signal?.aborted === true) onCancel();
  try {
    return await context.transport.send(request, deadline.signal);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  } finally {
    callOff();
    context.signal?.removeEventListener('abort', onCancel);
  }
}

function withAttempts(error: TransportError, attempts: number, earlierArrived: boolean): TransportError {
  if (attempts === 1) return error;
  return new TransportError(error.problem, error.mayHaveReached, `${error.message} (after ${attempts} attempts)`, {
    cause: error,
    earlierArrived,
    sentInPart: error.sentInPart,
    remedy: error.remedy,
  });
}

function describeTimeLeft(delay: number, left: number): string {
  return `the next attempt in ${formatSeconds(delay)} would be too late: only ${formatSeconds(Math.max(0, left))} left`;
}
