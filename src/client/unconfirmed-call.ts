import type { Endpoint } from '../contract/endpoint.ts';
import { mayHaveBeenCarriedOut } from '../http/retry.ts';
import { TransportError } from '../http/transport.ts';
import { ExternalError, type Failure } from '../runtime/failure.ts';
import { isNotFound } from './failure-kinds.ts';
import { ServiceError } from './service-error.ts';

/**
 * Whether the service may have recorded what a failed call sent. Matters only for endpoints that record another copy
 * each time; any other call can simply be repeated.
 */
export function mayBeOnRecord({ repetition }: Endpoint, failure: unknown): boolean {
  if (repetition.effect !== 'appends') return false;
  if (failure instanceof ServiceError) return mayHaveBeenCarriedOut(failure.facts.status, failure.facts.retryAfter);
  // An external error without a transport error is a success whose body cannot be read.
  if (!(failure instanceof ExternalError)) return false;
  return !(failure.cause instanceof TransportError) || failure.cause.mayHaveReached;
}

/**
 * Adds a note to a failure: the service may have recorded the write, and what to do. `isKeyed`: the service honours the
 * key of the request. `isAbsent`: a look-up showed that there is no record.
 */
export function withRecordNote(
  failure: Failure,
  { remedy: check, isHarmlessTwice = false }: { readonly remedy: string; readonly isHarmlessTwice?: boolean },
  { isKeyed, isAbsent }: { readonly isKeyed: boolean; readonly isAbsent: boolean },
): Failure {
  const looked = isAbsent ? ' It was not found there yet.' : '';
  const unsent = isKeyed || isHarmlessTwice ? '' : ' It was not sent again, because that could record it twice.';
  const note = `The service may still have recorded it.${looked}${unsent}`;
  const advice = isKeyed
    ? 'Run the job again: the request has an idempotency key, so the service does not record it twice.'
    : check;
  const remedy = `${advice} ${failure.remedy}`;
  if (failure instanceof ServiceError) return new ServiceError({ ...failure.facts, note, remedy });
  return new ExternalError({ what: `${failure.message}.\n${note}`, remedy, cause: failure.cause });
}

/**
 * Whether a deletion failed because an earlier attempt already did it: that attempt may have arrived, and the last one
 * found nothing. On a first attempt, it is a real error.
 */
export function isDoneAlready(failure: unknown): failure is ServiceError {
  return failure instanceof ServiceError && failure.facts.earlierArrived === true && isNotFound(failure);
}
