import { maximumFileBytes } from './limits.ts';
import { type Static, Type } from './schema.ts';

/** The body of every error response (interface, Errors). */
export const errorBody = Type.Object(
  {
    message: Type.String(),
    errors: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])),
  },
  { description: 'What was wrong, and with which field.' },
);

export type ErrorBody = Static<typeof errorBody>;

/** An error response; its body is always an `errorBody`. */
export interface ErrorResponse {
  readonly status: number;
  /** The `message` of the body. The service fills in each `{name}`. */
  readonly message: string;
  readonly when: string;
}

/**
 * The error responses that every endpoint can send. The interface does not show their statuses; they follow HTTP and
 * what a real service was observed to send.
 */
export const commonErrors = {
  validation: {
    status: 400,
    message: 'Input payload validation failed',
    when: 'A path parameter, query parameter or body does not conform to the schema; `errors` names the fields.',
  },
  unauthenticated: {
    status: 401,
    message: 'Authentication is required',
    when: 'No API key was sent, or the service does not know it.',
  },
  forbidden: {
    status: 403,
    message: "You don't have permission to access this resource",
    when: "The API key gives no access to the organization, or its owner's role there may not do this; then `errors` names the role, and those that may.",
  },
} as const satisfies Record<string, ErrorResponse>;

/** The error responses of every endpoint of an organization. */
export const accessErrors = [commonErrors.validation, commonErrors.unauthenticated, commonErrors.forbidden] as const;

/** The interface does not know quotas. */
export const quotaExceeded = {
  status: 403,
  message:
    "The quota '{quota}' of organization '{org}' is {limit}, and this request would exceed it; nothing was recorded; ask the operator of the service to raise it",
  when: 'The operator limits what the organization may have. The quotas are `records`, `attachment-bytes`, `login-rules` and `keys`.',
} as const satisfies ErrorResponse;

/** Whether a message of the service says that a quota would be exceeded. */
export const isQuotaExceeded = (message: string): boolean => message.startsWith("The quota '");

/** The error responses of every endpoint of an organization that adds something to it. */
export const additionErrors = [...accessErrors, quotaExceeded] as const;

/** The error of operations 9, 10 and 12 for a flow that does not exist (interface, Errors). */
export const flowNotFound = {
  status: 404,
  message: 'Flow not found',
  when: 'The organization has no flow of that name.',
} as const satisfies ErrorResponse;

/** The same outside of the interface, in the words that the public client's tests expect. */
export const namedFlowNotFound = {
  status: 404,
  message: "Flow named '{flow}' does not exist for organization '{org}'",
  when: 'The organization has no flow of that name.',
} as const satisfies ErrorResponse;

/** The error for a file over the limit (interface, Errors, shown for the policy upload; used for both uploads). */
export const fileTooLarge = {
  status: 413,
  message: 'File size exceeds 10MB limit',
  when: `The file has more than ${maximumFileBytes} bytes.`,
} as const satisfies ErrorResponse;

/** The error for an environment that does not exist (interface, Errors). */
export const environmentNotFound = {
  status: 404,
  message: 'Environment not found',
  when: 'The organization has no environment of that name.',
} as const satisfies ErrorResponse;

/** The error of endpoints beyond the interface for an environment that does not exist (observed on the wire). */
export const namedEnvironmentNotFound = {
  status: 404,
  message: "Environment named '{environment}' does not exist for organization '{org}'",
  when: 'The organization has no environment of that name.',
} as const satisfies ErrorResponse;

/** The error for a snapshot that an environment does not have (read in the public client's tests). */
export const noSuchSnapshot = {
  status: 404,
  message:
    "Org: '{org}'. Snapshot '{environment}{expression}' resolves to '{environment}#{number}'. len(snapshots) == {count}. Indexes are 1-based",
  when: 'The environment has no snapshot with that number.',
} as const satisfies ErrorResponse;

/** The error of operations 4 and 5 (interface, Errors, shown for detaching). */
export const environmentOrPolicyNotFound = {
  status: 404,
  message: 'Environment or policy not found',
  when: 'The organization has no environment or no policy of that name; `errors` says which.',
} as const satisfies ErrorResponse;
