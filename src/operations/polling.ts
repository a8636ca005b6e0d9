import type { ComplianceClient } from '../client/client.ts';
import { isNotFound, isPassing, retryAfterOf, withNote } from '../client/failure-kinds.ts';
import type { CallContext } from '../http/persistent.ts';
import { backoff } from '../http/retry.ts';
import { sleep } from '../runtime/clock.ts';
import { Failure } from '../runtime/failure.ts';
import { fact, type Fact } from './report.ts';
import { summarizeList, withoutFullStop } from './sentence.ts';
import { formatDuration } from './format-time.ts';

/** A question that is asked until its answer is final. */
export interface Poll<Answer> {
  /**
   * Asks for all that the answer is made of, so that what decides is of one and the same round.
   *
   * @param client tries nothing again once the time is up
   * @param earlier the answer before; what was seen in it may be told where it cannot be asked for any more
   */
  ask(client: ComplianceClient, earlier: Answer | undefined): Promise<Answer>;
  /** What the answer waits for, a line each; empty where it is final. */
  missing(answer: Answer): readonly string[];
  /** What kept parts of the answer from coming: a service that asks to be left alone for a while says so there. */
  failures(answer: Answer): readonly Failure[];
}

/** How long an answer was waited for. */
export interface PollTiming {
  /** How many times it was asked for, at least once. */
  readonly asked: number;
  readonly milliseconds: number;
  /** True where the waiting ended without a final answer. */
  readonly timeIsUp: boolean;
}

/** What came of asking once; failures are kept, because what is not there yet is waited for, and trouble may pass. */
export type Settled<Value> =
  | { readonly value: Value; readonly failure?: never }
  | {
      readonly value?: never;
      readonly failure: Failure;
      /** What was seen the last time that there was something to see. */
      readonly last: Value | undefined;
    };

/**
 * Asks, again and again, until the answer is final or the time is up. The first pause is short, the pauses grow to 15
 * seconds, or to what the service asks for (`Retry-After`), and the last question falls on the end of the time, so that the
 * last answer is as late as it may be.
 *
 * @param seconds how long to wait; with 0 the question is asked once
 * @throws what the question throws; the signal's reason, as soon as that is aborted, with what was waited for
 */
export async function pollUntilFinal<Answer>(
  question: Poll<Answer>,
  seconds: number,
  { client, call }: { readonly client: ComplianceClient; readonly call: CallContext },
): Promise<{ readonly answer: Answer; readonly waiting: PollTiming }> {
  const { clock, random, log, signal } = call;
  const begin = clock.now();
  const end = begin + seconds * 1000;
  const patient = seconds === 0 ? client : client.until(end);
  let told: readonly string[] = [];
  let answer = await question.ask(patient, undefined);
  for (let asked = 1; ; asked += 1) {
    const missing = question.missing(answer);
    const now = clock.now();
    const timeIsUp = missing.length > 0 && now >= end;
    if (missing.length === 0 || timeIsUp) {
      return { answer, waiting: { asked, milliseconds: now - begin, timeIsUp: timeIsUp && seconds > 0 } };
    }
    const left = `${formatDuration(Math.ceil((end - now) / 1000)) ?? ''} left`;
    const news = missing.filter((line) => !told.includes(line));
    for (const line of news) log.info(`Waiting: ${line} (${left})`);
    if (news.length === 0) log.info(`Still waiting, ${left}`);
    told = missing;
    const pause = pollDelay(asked, end - now, random(), longestRetryAfter(question.failures(answer)));
    try {
      await sleep(clock, pause, signal);
      answer = await question.ask(patient, answer);
    } catch (error) {
      throw withLastSeen(error, missing, signal);
    }
  }
}

/** How many of the things that were waited for are named where the waiting is called off. */
const mostNamed = 5;

/** What ended the waiting; where that is a cancellation, with what was waited for: no more will be known of the verdict. */
function withLastSeen(error: unknown, missing: readonly string[], signal: AbortSignal | undefined): unknown {
  if (signal?.aborted !== true || !(error instanceof Failure)) return error;
  return withNote(error, `Seen last: ${withoutFullStop(summarizeList(missing, mostNamed))}.`);
}

/**
 * The pause before the next question, in milliseconds.
 *
 * @param asked how many times was asked already, from 1
 * @param left how much time is left, in milliseconds
 * @param luck a number from 0 up to 1
 * @param wanted the pause that the service asks for, in milliseconds
 */
export function pollDelay(asked: number, left: number, luck: number, wanted: number): number {
  return Math.min(Math.max(backoff(asked, luck), wanted), left);
}

function longestRetryAfter(failures: readonly Failure[]): number {
  return Math.max(0, ...failures.map(retryAfterOf));
}

/**
 * Asks once and keeps the failure, if there is one.
 *
 * @throws the signal's reason, where that was aborted
 */
export async function settle<Value>(
  ask: () => Promise<Value>,
  earlier: Settled<Value> | undefined,
  signal: AbortSignal | undefined,
): Promise<Settled<Value>> {
  try {
    return { value: await ask() };
  } catch (error) {
    // A cancelled step has nothing more to ask, though its reason looks like trouble.
    if (!(error instanceof Failure) || signal?.aborted === true) throw error;
    return { failure: error, last: lastOf(earlier) };
  }
}

function lastOf<Value>(sighting: Settled<Value> | undefined): Value | undefined {
  return sighting?.failure === undefined ? sighting?.value : sighting.last;
}

/** Whether asking again may end better: what is not there can come, and trouble can pass. All other failures are final. */
export function mayRecover(failure: Failure): boolean {
  return isNotFound(failure) || isPassing(failure);
}

/** The end of a sentence about what is awaited: `is not there yet: Flow not found`. */
export function describePending(failure: Failure): string {
  return isNotFound(failure) ? `is not there yet: ${failure.message}` : `could not be asked for: ${failure.message}`;
}

/** That the time is up, as a sentence; empty where it is not, or where nobody wanted to wait. */
export function timeoutNotice({ timeIsUp, milliseconds }: PollTiming): readonly string[] {
  if (!timeIsUp) return [];
  return [`Waited ${formatDuration(milliseconds / 1000) ?? ''} for a final verdict, and the time was up.`];
}

/** A failure with how long was waited, and what was seen last before it. */
export function withPollNotes(failure: Failure, waiting: PollTiming, last: string | undefined): Failure {
  const words = [
    ...timeoutNotice(waiting),
    ...(last === undefined ? [] : [`The last verdict that was seen: ${last}.`]),
  ];
  return words.length === 0 ? failure : withNote(failure, words.join(' '));
}

/** How long was waited, where there was a second question. */
export function pollFacts({ asked, milliseconds }: PollTiming): readonly Fact[] {
  if (asked === 1) return [];
  return fact('Waited', `${formatDuration(milliseconds / 1000) ?? ''}, asked ${asked} times`);
}
