import { isMapping, listAt, textAt } from './untrusted-data.ts';

/**
 * What went wrong, and who can mend it. A verdict is not a failure: a gate that says "non-compliant" did its work, so it
 * is a result (`src/operations/operation.ts`), not an error.
 */
export type FailureKind =
  /** The user's mistake: an input, a file, a workflow setting. Trying again changes nothing. */
  | 'user'
  /** The service's, Sonar's or the network's trouble. The same step may pass later. */
  | 'external'
  /** The runner's: its disk is full, or closed to the job (`runner-file.ts`). */
  | 'runner';

/** The words of a failure. `remedy` is an instruction to the reader, as a whole sentence. */
export interface FailureText {
  /** What was wrong and where, as a sentence without secrets. */
  readonly what: string;
  /** What the reader can do about it. */
  readonly remedy: string;
}

/** The base of every error this project throws on purpose; anything else that is thrown is a defect of ours. */
export abstract class Failure extends Error {
  abstract readonly kind: FailureKind;
  readonly remedy: string;

  constructor(text: FailureText, options?: ErrorOptions) {
    super(text.what, options);
    this.remedy = text.remedy;
  }
}

/** One thing that the user has to correct. */
export interface Problem extends FailureText {
  /** The input's name as a workflow author types it (`flow`), where one input is to blame. */
  readonly input?: string;
}

/** The user's mistake, found before anything was sent. Holds every problem that was seen, so that one run shows them all. */
export class UserError extends Failure {
  override readonly name = 'UserError';
  override readonly kind = 'user';
  readonly problems: readonly Problem[];

  constructor(problems: Problem | readonly [Problem, ...Problem[]], options?: ErrorOptions) {
    const all: readonly Problem[] = 'what' in problems ? [problems] : problems;
    super(
      { what: all.map((problem) => problem.what).join('\n'), remedy: all.map((p) => p.remedy).join('\n') },
      options,
    );
    this.problems = all;
  }
}

/** The trouble of a service or of the way to it. */
export class ExternalError extends Failure {
  override readonly name: string = 'ExternalError';
  override readonly kind = 'external';
}

/**
 * The words of anything that was thrown, its chain of causes included, because `fetch failed` or `write EPIPE` alone say
 * nothing. Foreign errors can hold anything, so the chain is cut at five.
 */
export function describeError(thrown: unknown): string {
  const words: string[] = [];
  let current: unknown = thrown;
  for (let depth = 0; depth < 5 && current !== undefined && current !== null; depth += 1) {
    const text = errorMessage(current);
    if (text !== '' && !words.some((earlier) => earlier.includes(text))) words.push(text);
    current = isError(current) ? current.cause : undefined;
  }
  return words.length === 0 ? 'unknown error' : words.join(': ');
}

/** The message of anything that was thrown, without its causes. */
export function errorMessage(thrown: unknown): string {
  if (isError(thrown)) {
    if (thrown.message !== '') return thrown.message;
    // Node puts the refused addresses of a host with several of them in an AggregateError without a message of its own.
    return listAt(thrown, 'errors').map(errorMessage).join(', ') || thrown.name;
  }
  // Not `String`, which calls a method of the object that can be missing or throw.
  return typeof thrown === 'string' ? thrown : Object.prototype.toString.call(thrown);
}

/** The code of an error of Node.js or Fastify, such as `ENOENT`; undefined if it has none. */
export function errorCode(thrown: unknown): string | undefined {
  return textAt(thrown, 'code');
}

/** Whether it is an error, be it of another realm, as those of Node's own modules are under a test runner. */
function isError(thrown: unknown): thrown is Error {
  if (thrown instanceof Error) return true;
  return isMapping(thrown) && typeof thrown['message'] === 'string' && typeof thrown['name'] === 'string';
}
