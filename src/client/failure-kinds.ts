import { findMissingResource, type Resource } from '../contract/not-found.ts';
import { isTransientProblem, isTransientStatus } from '../http/retry.ts';
import { TransportError } from '../http/transport.ts';
import { errorCode, ExternalError, type Failure } from '../runtime/failure.ts';
import { ServiceError } from './service-error.ts';

/**
 * Whether the same call may succeed later without a change to the workflow: there was no answer, or the service is busy
 * or broken. A host name that does not exist is probably a mistake in `base-url`; a short DNS outage was already
 * covered by the retries.
 */
export function isTransientFailure(failure: Failure): boolean {
  if (failure instanceof ServiceError) return isTransientStatus(failure.facts.status);
  return (
    failure.cause instanceof TransportError &&
    isTransientProblem(failure.cause.problem) &&
    !isUnknownHost(failure.cause)
  );
}

/** Whether DNS says that there is no such name. A failure of DNS itself has another code (EAI_AGAIN). */
function isUnknownHost(error: TransportError): boolean {
  // The error of several attempts has the error of the last one as its cause.
  const last = error.cause instanceof TransportError ? error.cause : error;
  return errorCode(last.cause) === 'ENOTFOUND';
}

/** Refusals that are temporary: a timeout, a conflict with another request, too early, too many requests. */
const transientRefusals: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * Whether the same request may be delivered later without a change to it or to the workflow: there was no answer that
 * can be relied on, or the service is busy or broken. A redirect counts, because the service itself never redirects,
 * but a load balancer does so when it is down. Every other refusal (4xx) is the user's or the operator's to correct.
 */
export function mayBeDeliveredLater(failure: unknown): failure is Failure {
  if (failure instanceof ServiceError) {
    const { status } = failure.facts;
    return status < 400 || status >= 500 || transientRefusals.has(status);
  }
  return failure instanceof ExternalError;
}

/**
 * The resource that the service itself says does not exist; undefined for any other failure. A wrong path or another
 * server also returns 404, but with another message.
 *
 * @param named text that the message must contain, so that it is about the requested resource
 */
export function missingResource(failure: Failure, named = ''): Resource | undefined {
  if (!(failure instanceof ServiceError) || failure.facts.status !== 404) return undefined;
  const { serviceMessage: message = '' } = failure.facts;
  return message.includes(named) ? findMissingResource(message) : undefined;
}

/** Whether the service itself says that something does not exist. */
export function isNotFound(failure: Failure): boolean {
  return missingResource(failure) !== undefined;
}

/** The wait that the service asked for (`Retry-After`), in milliseconds; 0 if none. */
export function requestedDelay(failure: Failure): number {
  return failure instanceof ServiceError ? (failure.facts.retryAfter ?? 0) : 0;
}

export function withNote(failure: Failure, note: string): Failure {
  if (failure instanceof ServiceError) return new ServiceError({ ...failure.facts, note });
  return new ExternalError({ what: `${failure.message}\n${note}`, remedy: failure.remedy, cause: failure });
}
