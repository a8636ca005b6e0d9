import type { Endpoint } from '../../../../contract/endpoint.ts';
import {
  commonErrors,
  type ErrorBody,
  type ErrorResponse,
  flowNotFound,
  namedEnvironmentNotFound,
  namedFlowNotFound,
} from '../../../../contract/errors.ts';
import { policyMissing } from '../../../../contract/policy.ts';
import { truncate } from '../../../../runtime/truncate.ts';
import type { NamedReference } from '../../../naming/naming-records.ts';

export interface ApiErrorDetails {
  /** Values of the `{name}` placeholders in the message. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** The invalid fields, each with the rule that it breaks. */
  readonly errors?: readonly (readonly [field: string, rule: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error response. Thrown anywhere in a route, and sent by `sendError`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(response: ErrorResponse, details: ApiErrorDetails = {}) {
    const { values = {}, errors = [], headers = {}, cause } = details;
    const message = response.message.replace(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole));
    super(message, { cause });
    this.status = response.status;
    // Built by fromEntries, because a field can be called `__proto__`.
    const fields = errors.map(([field, rule]) => [truncate(field, maximumFieldLength), rule] as const);
    this.body = errors.length === 0 ? { message } : { message, errors: Object.fromEntries(fields) };
    this.headers = headers;
  }
}

/** In characters, because a key in a request can be as long as the document. */
const maximumFieldLength = 300;

/** Creates the error for an invalid request. */
export function validationError(...errors: readonly (readonly [field: string, rule: string])[]): ApiError {
  return new ApiError(commonErrors.validation, { errors });
}

/** What `errors` says about an environment that does not exist, if the message does not name it. */
export function missingEnvironment(
  org: string,
  environment: string,
  field = 'path.env_name',
): readonly [field: string, rule: string] {
  const rule = namedEnvironmentNotFound.message.replace('{environment}', environment).replace('{org}', org);
  return [field, rule];
}

/** The error for a flow, an environment or a policy that does not exist. */
export function namedRecordMissing({ org, kind, name }: NamedReference): ApiError {
  const errors = { flow: namedFlowNotFound, environment: namedEnvironmentNotFound, policy: policyMissing };
  return new ApiError(errors[kind], { values: { org, [kind]: name } });
}

/** The error for a flow in the path that does not exist. The interface's message does not name it; `errors` does. */
export function flowMissing(org: string, flow: string): ApiError {
  const rule = namedFlowNotFound.message.replace('{flow}', flow).replace('{org}', org);
  return new ApiError(flowNotFound, { errors: [['path.flow_name', rule]] });
}

/** @throws ApiError if a document that changes only the given fields has none: that must be a mistake. */
export function requireChange(document: object): void {
  if (Object.keys(document).length === 0) throw validationError(['body', 'must have at least one field']);
}

/**
 * Replaces the message of a validation error if the endpoint declares its own, as operation 3 does (interface, Errors).
 * Returns other errors unchanged.
 */
export function withDeclaredMessage({ errors }: Pick<Endpoint, 'errors'>, thrown: unknown): unknown {
  const { status, message } = commonErrors.validation;
  const own = errors.find((declared) => declared.status === status);
  const hasDefaultMessage = thrown instanceof ApiError && thrown.status === status && thrown.body.message === message;
  if (own === undefined || own.message === message || !hasDefaultMessage) return thrown;
  return new ApiError(own, { errors: Object.entries(thrown.body.errors ?? {}), cause: thrown });
}
