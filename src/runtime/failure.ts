import { isMapping, listAt, textAt } from './untrusted-data.ts';

/**
 * Who can fix a failure. A verdict is not a failure: a gate that says "non-compliant" worked, so that is a result
 * (`src/operations/operation.ts`), not an error.
 */
export type FailureKind =
  /** The workflow author: an input, a file or a workflow setting is wrong. Retrying does not help. */
  | 'user'
  /** A service or network error: the compliance service, Sonar, GitHub or the way to them. Retrying may help. */
  | 'external'
  /** The runner: its disk is full, or the job may not write there (`runner-file.ts`). */
  | 'runner';

export interface FailureText {
  /** What is wrong and where. Never contains secrets. */
  readonly what: string;
  /** What the reader can do about it, as a full sentence. */
  readonly remedy: string;
  /** The error that led to it, if there is one. */
  readonly cause?: unknown;
}

/** Base class of every error that this project throws on purpose. Anything else that is thrown is a bug. */
export abstract class Failure extends Error {
  abstract readonly kind: FailureKind;
  readonly remedy: string;

  constructor({ what, remedy, cause }: FailureText) {
    super(what, cause === undefined ? undefined : { cause });
    this.remedy = remedy;
  }
}

/** One thing that the workflow author has to correct. */
export interface Problem extends FailureText {
  /** The name of the input that is wrong, as the workflow author types it (`flow`); absent if it is not one input. */
  readonly input?: string;
}

/**
 * The workflow author has to change something. Holds every problem that was found, so that one run shows them all. Its
 * cause is that of the first problem.
 */
export class UserError extends Failure {
  override readonly name = 'UserError';
  override readonly kind = 'user';
  readonly problems: readonly Problem[];

  constructor(problems: Problem | readonly [Problem, ...Problem[]]) {
    const all = 'what' in problems ? ([problems] as const) : problems;
    const [{ cause }] = all;
    super({ what: all.map(({ what }) => what).join('\n'), remedy: all.map((one) => one.remedy).join('\n'), cause });
    this.problems = all;
  }
}

/** Service or network error. */
export class ExternalError extends Failure {
  override readonly name: string = 'ExternalError';
  override readonly kind = 'external';
}

/** The remedy for a bug. */
export const defectRemedy =
  'Report this to the authors of compliance-action, with the log of a run that has step debug logging enabled.';

/**
 * The message of anything that was thrown, with its causes, because `fetch failed` or `write EPIPE` alone says little.
 * At most five causes: errors of other packages can contain anything, even a cycle.
 */
export function describeError(thrown: unknown): string {
  const messages: string[] = [];
  let current: unknown = thrown;
  for (let depth = 0; depth < 5 && current !== undefined && current !== null; depth += 1) {
    const text = errorMessage(current);
    if (text !== '' && !messages.some((earlier) => earlier.includes(text))) messages.push(text);
    current = isError(current) ? current.cause : undefined;
  }
  return messages.length === 0 ? 'unknown error' : messages.join(': ');
}

/** The message of anything that was thrown, without its causes. */
export function errorMessage(thrown: unknown): string {
  if (isError(thrown)) {
    // The message of OpenSSL holds the address of a thread, and a line of its sources.
    if (textAt(thrown, 'library') === 'SSL routines') return `TLS failed: ${textAt(thrown, 'reason') ?? thrown.name}`;
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

/** The reason of an aborted signal as an error. */
export function toAbortError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

/** Whether it is an error, even from another realm, like those of Node.js's own modules in a test runner. */
function isError(thrown: unknown): thrown is Error {
  if (thrown instanceof Error) return true;
  return isMapping(thrown) && typeof thrown['message'] === 'string' && typeof thrown['name'] === 'string';
}
