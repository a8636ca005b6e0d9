import type { Endpoint } from '../contract/endpoint.ts';
import { environmentOrPolicyNotFound, flowNotFound, isQuotaExceeded } from '../contract/errors.ts';
import { findMissingResource, type Resource } from '../contract/not-found.ts';
import { Failure, type FailureKind } from '../runtime/failure.ts';

export interface ServiceErrorFacts {
  /** The operation; the endpoint's title if it is none of the sixteen. */
  readonly operation: string;
  readonly method: string;
  /** The path below the base address, as it was sent. */
  readonly path: string;
  readonly status: number;
  /** The service's message; undefined if it sent none. */
  readonly serviceMessage: string | undefined;
  /** What is wrong with which field, in the service's words. */
  readonly fieldErrors: Readonly<Record<string, string>>;
  /** Describes a body that is not the error body of the interface. */
  readonly bodyDescription: string | undefined;
  readonly attempts: number;
  /** True if an attempt before the last may have reached the service. */
  readonly earlierArrived?: boolean;
  /** The wait that the service asked for (`Retry-After`), in milliseconds; absent if none. */
  readonly retryAfter?: number | undefined;
  /** A note for the reader: a sentence without its full stop. */
  readonly note?: string;
  /** Replaces the remedy that the status suggests. */
  readonly remedy?: string;
}

export class ServiceError extends Failure {
  override readonly name = 'ServiceError';
  override readonly kind: FailureKind;
  readonly facts: ServiceErrorFacts;

  constructor(facts: ServiceErrorFacts) {
    super({ what: describe(facts), remedy: facts.remedy ?? remedyFor(facts) });
    this.kind = isUserError(facts.status) && !isOverQuota(facts) ? 'user' : 'external';
    this.facts = facts;
  }
}

/** The name by which an endpoint appears in logs and errors. */
export function endpointLabel(endpoint: Pick<Endpoint, 'operation' | 'title'>): string {
  return endpoint.operation ?? endpoint.title;
}

// A conflict, a timeout and a rate limit pass by themselves. Every other 3xx and 4xx means that the request must
// change, and so must the workflow.
function isUserError(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 409 && status !== 429;
}

// The workflow author cannot raise a quota.
function isOverQuota({ status, serviceMessage = '' }: ServiceErrorFacts): boolean {
  return status === 403 && isQuotaExceeded(serviceMessage);
}

function describe(facts: ServiceErrorFacts): string {
  const named = findMissing(facts)?.field;
  const attempts = facts.attempts > 1 ? ` (after ${facts.attempts} attempts)` : '';
  const fields = Object.entries(facts.fieldErrors)
    .filter((entry) => entry[0] !== named)
    .map(([field, message]) => `\n  ${field}: ${message.replaceAll('\n', '\n    ')}`);
  const words = describeAnswer(facts, named);
  const question = `${facts.operation}: ${facts.method} ${facts.path}`;
  const note = facts.note === undefined ? '' : `\n${facts.note}`;
  return `${question} returned ${facts.status}${words}${attempts}${fields.join('')}${note}`;
}

/** What does not exist, and the field whose error names it; no field if the message does. */
interface Missing {
  readonly resource: Resource;
  readonly field?: string;
}

/** Messages that do not say what is missing: the interface has the first one for an environment, too. */
const unclear: ReadonlySet<string> = new Set([flowNotFound.message, environmentOrPolicyNotFound.message]);

/** What the service says does not exist. An unclear message only counts if a field names what is missing. */
function findMissing({ status, serviceMessage, fieldErrors }: ServiceErrorFacts): Missing | undefined {
  if (status !== 404 || serviceMessage === undefined) return undefined;
  for (const [field, message] of Object.entries(fieldErrors)) {
    const resource = findMissingResource(message);
    if (resource !== undefined) return { resource, field };
  }
  const resource = unclear.has(serviceMessage) ? undefined : findMissingResource(serviceMessage);
  return resource && { resource };
}

function describeAnswer(
  { serviceMessage, fieldErrors, bodyDescription = 'no body' }: ServiceErrorFacts,
  named: string | undefined,
): string {
  if (serviceMessage === undefined) return ` with ${bodyDescription}`;
  return named === undefined ? `: ${serviceMessage}` : `: ${fieldErrors[named] ?? ''} (${serviceMessage})`;
}

const correctInputs = 'Correct the inputs that the message and the fields above name.';

const remedies: Readonly<Record<number, string>> = {
  400: correctInputs,
  401: 'Check that `api-token` holds a valid API key of this service: the key may be missing, mistyped, expired or revoked, `base-url` may point to the deployment of another region, or `auth-method` may be one that the service does not accept.',
  403: 'Use an `api-token` whose owner belongs to the organization in `org` and whose role may do this. If the step logged in without one, the `role`, `permissions`, `flows` and `environments` of the login rule decide.',
  404: 'Check `base-url`: its path may be wrong, or something other than the service answered. If it is right, check `org` and the other names for typos.',
  408: 'Try again; if it happens often, raise `timeout` or send smaller files.',
  409: 'Try again: another request was changing the same resource.',
  413: 'Send less: an attachment may have at most 10 MB (10,485,760 bytes), the report of an environment 16 MiB, and the other data of a request 1 MiB.',
  422: correctInputs,
  429: 'Try again later, or raise `retry-for`: the service limits the number of requests.',
};

const namesRemedy =
  'Check `org`, `flow` and the other names for typos, and that everything they name exists (`create-flow`, `create-environment` and `create-policy` create what is missing).';

const missingRemedies: Readonly<Partial<Record<Resource, string>>> = {
  Flow: 'Create the flow first, with `create-flow`, or correct the name in `flow`.',
  Artifact:
    'Report the artifact first, to the same flow and trail, with `attest-artifact`; or correct `fingerprint` or `trail`.',
  Environment: 'Create the environment first, with `create-environment`, or correct its name.',
  Policy: 'Create the policy first, with `create-policy`, or correct its name.',
  Snapshot: 'Select a snapshot that exists: `list-snapshots` lists them.',
  'Service account': 'Correct `service-account`: `list-service-accounts` lists the names.',
  'Custom attestation type':
    'Create the type first, with a request to `/custom-attestation-types/{org}`, or correct `attestation-type`.',
  Action: 'Correct `notification-number`: an admin can list the notifications of the organization.',
};

const quotaRemedy =
  'Ask the operator of the service to raise the quota; administrators see its use on the administration page of the organization.';

const reusedKeyRemedy =
  'An earlier request with the same idempotency key had other content, so nothing was recorded now. Start a new run instead of re-running this one; if it happens again, update the action and the service, which compare different fields.';

function remedyFor(facts: ServiceErrorFacts): string {
  const { status, serviceMessage = '' } = facts;
  if (isOverQuota(facts)) return quotaRemedy;
  // Other services use this status for inputs that they do not accept.
  if (status === 422 && /idempotency.key/iu.test(serviceMessage)) return reusedKeyRemedy;
  const known = remedyForMissing(facts) ?? remedies[status];
  if (known !== undefined) return known;
  if (status >= 300 && status < 400) {
    return 'Check `base-url`: the service itself never redirects, so this is probably a login page or the wrong address.';
  }
  if (status >= 500) {
    return "Try again later; if it keeps failing, send the service's operators the time, the path and the message above.";
  }
  return 'Check the inputs and `base-url`.';
}

/** Undefined if the service does not say that something is missing. */
function remedyForMissing(facts: ServiceErrorFacts): string | undefined {
  const missing = findMissing(facts);
  if (missing !== undefined) return missingRemedies[missing.resource] ?? namesRemedy;
  return facts.status === 404 && unclear.has(facts.serviceMessage ?? '') ? namesRemedy : undefined;
}
