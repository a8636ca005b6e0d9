import { readJsonBody } from '../http/json-body.ts';
import { readRetryReason } from '../http/retry.ts';
import type { RetryRule } from '../http/send-with-retry.ts';
import { type HttpResponse, TransportError } from '../http/transport.ts';
import type { Now } from '../runtime/clock.ts';
import type { ServiceContact } from './service-contact.ts';

/** How many times a garbled answer is followed by another attempt if the service has not answered this step before. */
const maximumRepetitions = 5;

/**
 * Decides whether a request that only reads is sent again. It is after every temporary failure, and also after an
 * answer that is not from the service: the page of a proxy with a status of success, or something that is not HTTP. If
 * the service has not answered before, `base-url` may be wrong, so the number of attempts is limited.
 */
export function createReadRule(contact: ServiceContact, now: Now): RetryRule {
  let repetitions = 0;
  return (outcome) => {
    const again = readRetryReason(outcome, now());
    const garbled = again === undefined ? describeGarbled(outcome) : undefined;
    if (garbled === undefined) return again;
    repetitions += 1;
    return contact.hasAnswered || repetitions <= maximumRepetitions ? { reason: garbled } : undefined;
  };
}

/** Why an answer cannot be read; undefined if it can be, or if its status is an error. */
function describeGarbled(outcome: HttpResponse | TransportError): string | undefined {
  if (outcome instanceof TransportError) return outcome.problem === 'malformed' ? outcome.message : undefined;
  if (outcome.status < 200 || outcome.status >= 300) return undefined;
  const { problem } = readJsonBody(outcome);
  return problem === undefined ? undefined : `the answer was ${outcome.status} with ${problem}`;
}
