import type { Endpoint } from '../contract/endpoint.ts';
import { TransportError } from '../http/transport.ts';
import { mayHaveBeenCarriedOut } from '../http/retry.ts';
import { type Failure, ExternalError } from '../runtime/failure.ts';
import { isNotFound } from './failure-kinds.ts';
import { ServiceError } from './service-error.ts';

/**
 * Whether the service may have recorded what a failed call sent. Matters only for endpoints that record another copy
 * each time; any other call can simply be repeated.
 */
export function mayBeOnRecord({ repetition }: Endpoint, failure: unknown): failure is Failure {
  if (repetition.effect !== 'appends') return false;
  if (failure instanceof ServiceError) return mayHaveBeenCarriedOut(failure.facts.status, failure.facts.retryAfter);
  // An external error without a transport error is a success whose body cannot be read.
  if (!(failure instanceof ExternalError)) return false;
  return !(failure.cause instanceof TransportError) || failure.cause.mayHaveReached;
}

/** Adds a note and a remedy to the failure of a call if the service may have recorded what was sent. */
export function failedCall(failure: unknown, endpoint: Endpoint): unknown {
  const { repetition } = endpoint;
  if (repetition.effect !== 'appends' || !mayBeOnRecord(endpoint, failure)) return failure;
  const note = 'The service may still have recorded it. It was not sent again, because that could record it twice.';
  const remedy = `${repetition.remedy} ${failure.remedy}`;
  if (failure instanceof ServiceError) return new ServiceError({ ...failure.facts, note, remedy });
  return new ExternalError({ what: `${failure.message}.\n${note}`, remedy }, { cause: failure.cause });
}

/**
 * Whether a failure means that an earlier attempt already did the work: that attempt may have arrived, and the last one
 * got the error that the endpoint declares for this case (`alreadyDone`). On a first attempt, it is a real error.
 */
export function isDoneAlready({ repetition }: Endpoint, failure: unknown): failure is ServiceError {
  if (repetition.effect !== 'idempotent' || repetition.alreadyDone === undefined) return false;
  if (!(failure instanceof ServiceError) || failure.facts.earlierArrived !== true) return false;
  return failure.facts.status === repetition.alreadyDone.status && isNotFound(failure);
}
