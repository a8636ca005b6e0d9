import type { ComplianceClient } from '../client/client.ts';
import { isNotFound, isTransientFailure, requestedDelay, withNote } from '../client/failure-kinds.ts';
import { backoff } from '../http/retry.ts';
import type { CallContext } from '../http/send-with-retry.ts';
import { sleep } from '../runtime/clock.ts';
import { Failure } from '../runtime/failure.ts';
import type { Log } from '../runtime/log.ts';
import { formatDuration } from './format-time.ts';
import { type Fact, fact } from './report.ts';
import { summarizeList, withoutFullStop } from './sentences.ts';

export interface Poll<Answer> {
  /**
   * Fetches everything again, so that the decision rests on one poll.
   *
   * @param client stops retrying when the time is up
   * @param previous the answer of the previous poll, to report the last known state if fetching fails now
   */
  fetch(client: ComplianceClient, previous: Answer | undefined): Promise<Answer>;
  /** What the answer still waits for, a line each; empty if the answer is final. */
  pending(answer: Answer): readonly string[];
  /** The failures in the answer; their `Retry-After` delays the next poll. */
  failures(answer: Answer): readonly Failure[];
}

/** How often and how long was polled. */
export interface PollTiming {
  /** At least 1. */
  readonly polls: number;
  readonly milliseconds: number;
  /** True if the time was up before an answer was final. */
  readonly timedOut: boolean;
}

/** The last answer, and how long it took. */
export interface PollResult<Answer> {
  readonly answer: Answer;
  readonly timing: PollTiming;
}

/** The value of one fetch, or its failure. Failures are kept because a later poll may succeed. */
export type Settled<Value> =
  | { readonly value: Value; readonly failure?: never }
  | {
      readonly value?: never;
      readonly failure: Failure;
      /** The value of the latest poll that had one. */
      readonly last: Value | undefined;
    };

/**
 * Polls until the answer is final or the time is up. Pauses grow from half a second to 15 seconds, or to the service's
 * `Retry-After`. The last poll happens exactly when the time is up.
 *
 * @param seconds how long to poll; 0 polls once
 * @throws what `fetch` throws; if the step is cancelled, the signal's reason with what was pending
 */
export async function pollUntilFinal<Answer>(
  poll: Poll<Answer>,
  seconds: number,
  { client, call }: { readonly client: ComplianceClient; readonly call: CallContext },
): Promise<PollResult<Answer>> {
  const { clock, random, log, signal } = call;
  const begin = clock.now();
  const end = begin + seconds * 1000;
  const limitedClient = seconds === 0 ? client : client.until(end);
  const progress = new WaitingLog(log, begin);
  let answer = await poll.fetch(limitedClient, undefined);
  for (let polls = 1; ; polls += 1) {
    const pending = poll.pending(answer);
    const now = clock.now();
    const isOver = pending.length > 0 && now >= end;
    if (pending.length === 0 || isOver) {
      return { answer, timing: { polls, milliseconds: now - begin, timedOut: isOver && seconds > 0 } };
    }
    progress.report(pending, now, end);
    const delay = pollDelay(polls, end - now, random(), Math.max(0, ...poll.failures(answer).map(requestedDelay)));
    try {
      await sleep(clock, delay, signal);
      answer = await poll.fetch(limitedClient, answer);
    } catch (error) {
      throw withPending(error, pending, signal);
    }
  }
}

/** The longest time without a line in the log while nothing changes, in milliseconds. */
const maximumSilence = 60_000;

/** Logs what is new among what is pending; if nothing is, a line a minute. */
class WaitingLog {
  readonly #log: Log;
  #shown: readonly string[] = [];
  #shownAt: number;

  /** @param begin in milliseconds since the epoch */
  constructor(log: Log, begin: number) {
    this.#log = log;
    this.#shownAt = begin;
  }

  /**
   * @param now in milliseconds since the epoch, as is `end`
   * @param end when polling ends
   */
  report(pending: readonly string[], now: number, end: number): void {
    const left = `${formatDuration(Math.ceil((end - now) / 1000)) ?? ''} left`;
    const news = pending.filter((line) => !this.#shown.includes(line));
    this.#shown = pending;
    if (news.length === 0 && now - this.#shownAt < maximumSilence) return;
    for (const line of news) this.#log.info(`Waiting: ${line} (${left})`);
    if (news.length === 0) this.#log.info(`Still waiting, ${left}`);
    this.#shownAt = now;
  }
}

/** How many pending things the error of a cancelled step names. */
const maximumNamed = 5;

/** The error that ended polling; for a cancelled step, with what was pending, because no verdict will follow. */
function withPending(error: unknown, pending: readonly string[], signal: AbortSignal | undefined): unknown {
  if (signal?.aborted !== true || !(error instanceof Failure)) return error;
  return withNote(error, `Last seen: ${withoutFullStop(summarizeList(pending, maximumNamed))}.`);
}

/**
 * The pause before the next poll, in milliseconds.
 *
 * @param polls how many polls there were, from 1
 * @param left how much time is left, in milliseconds
 * @param luck a random number in [0, 1)
 * @param retryAfter the pause that the service asks for, in milliseconds
 */
export function pollDelay(polls: number, left: number, luck: number, retryAfter: number): number {
  return Math.min(Math.max(backoff(polls, luck), retryAfter), left);
}

/**
 * Fetches once and keeps a failure as a value.
 *
 * @param previous the result of the previous poll
 * @throws the signal's reason if the step is cancelled; any error that is not a Failure
 */
export async function settle<Value>(
  fetch: () => Promise<Value>,
  previous: Settled<Value> | undefined,
  signal: AbortSignal | undefined,
): Promise<Settled<Value>> {
  try {
    return { value: await fetch() };
  } catch (error) {
    // The reason of a cancelled step is a Failure, too, but ends the polling.
    if (!(error instanceof Failure) || signal?.aborted === true) throw error;
    return { failure: error, last: previous?.failure === undefined ? previous?.value : previous.last };
  }
}

/** Whether a later poll may succeed: a missing record can appear, an outage can end. All other failures are final. */
export function mayRecover(failure: Failure): boolean {
  return isNotFound(failure) || isTransientFailure(failure);
}

/** The end of a sentence about something pending: `does not exist yet: Flow not found`. */
export function describePending(failure: Failure): string {
  return isNotFound(failure) ? `does not exist yet: ${failure.message}` : `could not be fetched: ${failure.message}`;
}

/** Timeout notice, as a list of sentences; empty if polling did not time out. */
export function timeoutNotice({ timedOut, milliseconds }: PollTiming): readonly string[] {
  if (!timedOut) return [];
  return [`Waited ${formatDuration(milliseconds / 1000) ?? ''} for a final verdict and timed out.`];
}

/** The failure with the timeout notice and the last verdict before it, if there are any. */
export function withPollNotes(failure: Failure, timing: PollTiming, last: string | undefined): Failure {
  const notes = [...timeoutNotice(timing), ...(last === undefined ? [] : [`Last verdict seen: ${last}.`])];
  return notes.length === 0 ? failure : withNote(failure, notes.join(' '));
}

/** How long polling took; empty if there was only one poll. */
export function pollFacts({ polls, milliseconds }: PollTiming): readonly Fact[] {
  if (polls === 1) return [];
  return fact('Waited', `${formatDuration(milliseconds / 1000) ?? ''}, polled ${polls} times`);
}
