import type { HttpResponse, TransportError } from '../http/transport.ts';
import type { Failure } from '../runtime/failure.ts';
import { isTransientFailure } from './failure-kinds.ts';
import { isErrorOfService } from './response-body.ts';
import { ServiceError } from './service-error.ts';

/** What the calls of a step know about the service together, so that no call has to learn it anew. */
export class ServiceContact {
  #hasAnswered = false;
  #failingSince: number | undefined;

  /** Whether the service has answered in its own form. An answer in another form is then not its last word. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /**
   * When the first call began that gave up waiting for the service, in milliseconds since the epoch; undefined if no
   * call gave up, or if a later one was answered.
   */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  noteAttempt(outcome: HttpResponse | TransportError): void {
    this.#hasAnswered ||= 'status' in outcome && isErrorOfService(outcome);
  }

  /** An answer that can be relied on, a refusal included. */
  noteAnswer(): void {
    this.#hasAnswered = true;
    this.#failingSince = undefined;
  }

  /** @param begin when the call began, in milliseconds since the epoch */
  noteFailure(failure: Failure, begin: number): void {
    if (failure instanceof ServiceError && !isTransientFailure(failure)) {
      if (failure.facts.serviceMessage !== undefined) this.noteAnswer();
    } else if (failure.kind === 'external') {
      this.#failingSince = Math.min(this.#failingSince ?? begin, begin);
    }
  }
}
