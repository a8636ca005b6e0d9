import { saysNotFound } from '../contract/not-found.ts';
import { TransportError } from '../http/transport.ts';
import { isPassingProblem, isPassingStatus } from '../http/retry.ts';
import { ExternalError, type Failure } from '../runtime/failure.ts';
import { ServiceError } from './service-error.ts';

/**
 * Whether the same call may succeed later, though nobody changes anything: no answer, a busy or a broken service. A host
 * name that does not exist is probably a mistake in `base-url`; repeating the call has already bridged a hiccup of DNS.
 */
export function isPassing(failure: Failure): boolean {
  if (failure instanceof ServiceError) return isPassingStatus(failure.facts.status);
  return (
    failure.cause instanceof TransportError && isPassingProblem(failure.cause.problem) && !isUnknownHost(failure.cause)
  );
}

/** Whether DNS says that there is no such name. A failure of DNS itself has another code (EAI_AGAIN). */
function isUnknownHost(error: TransportError): boolean {
  // Repeated attempts are told as one error, whose cause is the last attempt's.
  const last = error.cause instanceof TransportError ? error.cause : error;
  return last.cause instanceof Error && 'code' in last.cause && last.cause.code === 'ENOTFOUND';
}

/**
 * Whether the service itself says that something is not on record. A wrong path, or another server, is answered 404 as
 * well, in other words.
 */
export function isNotFound(failure: Failure): boolean {
  if (!(failure instanceof ServiceError) || failure.facts.status !== 404) return false;
  return failure.facts.serviceMessage !== undefined && saysNotFound(failure.facts.serviceMessage);
}

/** The wait that the service asked for (`Retry-After`), in milliseconds; 0 if none. */
export function retryAfterOf(failure: Failure): number {
  return failure instanceof ServiceError ? (failure.facts.retryAfter ?? 0) : 0;
}

/** The same failure with a note for its reader. */
export function withNote(failure: Failure, note: string): Failure {
  if (failure instanceof ServiceError) return new ServiceError({ ...failure.facts, note });
  return new ExternalError({ what: `${failure.message}\n${note}`, remedy: failure.remedy }, { cause: failure });
}
