import { TransportError } from '../http/exchange.ts';
import { isPassingProblem, isPassingStatus } from '../http/retry.ts';
import { TroubleError, type Failure } from '../runtime/failure.ts';
import { ServiceError } from './service-error.ts';

/** Whether the same call may succeed later, though nobody changes anything: no answer, a busy or a broken service. */
export function isPassing(failure: Failure): boolean {
  if (failure instanceof ServiceError) return isPassingStatus(failure.facts.status);
  return failure.cause instanceof TransportError && isPassingProblem(failure.cause.problem);
}

/** Whether the service itself says that something is not there. A page of another server says so without its words. */
export function isNotFound(failure: Failure): boolean {
  return failure instanceof ServiceError && failure.facts.status === 404 && failure.facts.serviceMessage !== undefined;
}

/** How long the service asked to be left alone with its answer, in milliseconds; 0 where it did not. */
export function retryAfterOf(failure: Failure): number {
  return failure instanceof ServiceError ? (failure.facts.retryAfter ?? 0) : 0;
}

/** The same failure with something else that its reader has to know. */
export function withNote(failure: Failure, note: string): Failure {
  if (failure instanceof ServiceError) return new ServiceError({ ...failure.facts, note });
  return new TroubleError({ what: `${failure.message}\n${note}`, remedy: failure.remedy }, { cause: failure });
}
