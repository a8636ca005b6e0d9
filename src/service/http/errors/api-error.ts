import type { Endpoint, ErrorAnswer } from '../../../contract/endpoint.ts';
import type { ErrorBody } from '../../../contract/error-body.ts';
import { commonErrors } from '../../../contract/errors.ts';

/** What goes with an error answer. */
export interface ApiErrorDetails {
  /** What fills the `{name}`s of the message. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** What is wrong with which field, in words. */
  readonly errors?: readonly (readonly [field: string, rule: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request that is answered with an error: thrown anywhere in a route, turned into an answer in one place. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(answer: ErrorAnswer, details: ApiErrorDetails = {}) {
    const { values = {}, errors = [], headers = {}, cause } = details;
    const message = answer.message.replace(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole));
    super(message, { cause });
    this.status = answer.status;
    // Through fromEntries, because a field can be called `__proto__`.
    const told = errors.map(([field, rule]) => [shortened(field), rule] as const);
    this.body = errors.length === 0 ? { message } : { message, errors: Object.fromEntries(told) };
    this.headers = headers;
  }
}

/** In characters; a key that a sender made up can be as long as a document. */
const longestField = 300;

function shortened(field: string): string {
  return field.length <= longestField ? field : `${field.slice(0, longestField - 1).toWellFormed()}…`;
}

/** A request that does not have the declared form. */
export function validationError(...errors: readonly (readonly [field: string, rule: string])[]): ApiError {
  return new ApiError(commonErrors.validation, { errors });
}

/**
 * What was thrown, in the words that an endpoint has for a request without the declared form: those of operation 3 are its
 * own (interface, Errors).
 */
export function withDeclaredMessage({ errors }: Pick<Endpoint, 'errors'>, thrown: unknown): unknown {
  const { status, message } = commonErrors.validation;
  const own = errors.find((declared) => declared.status === status);
  const isOfForm = thrown instanceof ApiError && thrown.status === status && thrown.body.message === message;
  if (own === undefined || own.message === message || !isOfForm) return thrown;
  return new ApiError(own, { errors: Object.entries(thrown.body.errors ?? {}), cause: thrown });
}

/**
 * The answers that no endpoint declares, because every HTTP service gives them. The interface does not show their words;
 * the statuses are HTTP's (RFC 9110, RFC 6585, RFC 4918).
 */
export const httpErrors = {
  badRequest: { status: 400, message: 'The request is not valid HTTP', when: 'Its head or address is malformed.' },
  notFound: { status: 404, message: 'There is nothing at {method} {path}', when: 'No endpoint has this address.' },
  methodNotAllowed: {
    status: 405,
    message: '{method} is not possible here; use {allowed}',
    when: 'The address exists with another method.',
  },
  timeout: { status: 408, message: 'The request took too long to arrive', when: 'A head or body came too slowly.' },
  tooLarge: { status: 413, message: 'The request is too large', when: 'A JSON document is over its limit.' },
  unsupportedType: {
    status: 415,
    message: 'The body must be sent as {type}, without Content-Encoding',
    when: 'The Content-Type or the Content-Encoding is another.',
  },
  expectation: { status: 417, message: 'The expectation cannot be met; leave Expect out', when: 'Expect is unknown.' },
  tooManyFailures: {
    status: 429,
    message: 'Too many failed authentications; check the API key, and try again later',
    when: 'Wrong keys were sent too often; `Retry-After` says when to try again. A right key is always accepted.',
  },
  headersTooLarge: { status: 431, message: 'The head of the request is too large', when: 'The headers are too long.' },
  internal: {
    status: 500,
    message: 'The service has failed; its log names this request as {id}',
    when: 'The service has a defect.',
  },
  notImplemented: {
    status: 501,
    message: 'The service does not know this method',
    when: 'The method is not one of HTTP, or is CONNECT.',
  },
  draining: {
    status: 503,
    message: 'The service is stopping',
    when: '`/ready` is asked while the service stops.',
  },
  attachmentDamaged: {
    status: 500,
    message:
      "The file '{filename}' of attestation '{id}' is {fault}: the service no longer has the content with the SHA-256 {digest}",
    when: 'The file that is kept is missing, truncated or altered.',
  },
  overloaded: {
    status: 503,
    message: 'Too much is being sent and answered at once for this organization; try again later',
    when: 'The requests and answers of an organization, or of all, would take too much memory.',
  },
  busy: {
    status: 503,
    message: 'The storage is in use by another process; try again later',
    when: 'Something else holds the database for long.',
  },
  storageUnavailable: {
    status: 503,
    message: 'The service cannot use its storage; nothing was recorded; try again later',
    when: 'The disk or the file system fails, is read-only, or is not there.',
  },
  notReady: {
    status: 503,
    message: 'Not ready: the storage is {reason}',
    when: 'Nothing can be recorded now.',
  },
  storageFull: {
    status: 507,
    message: 'The service has no room left to record this; nothing was recorded',
    when: 'The disk is full.',
  },
} as const satisfies Record<string, ErrorAnswer>;

/** The header of an answer to a request that may be repeated, in seconds. */
export const retryAfterHeader = { 'retry-after': '10' };
