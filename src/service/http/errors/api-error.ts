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
