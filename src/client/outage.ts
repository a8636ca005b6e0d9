import { ExternalError, type Failure } from '../runtime/failure.ts';
import { ServiceError } from './service-error.ts';

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
