import { type HttpResponse, TransportError } from '../http/transport.ts';
import type { Failure } from '../runtime/failure.ts';
import { isTransientFailure } from './failure-kinds.ts';
import { isErrorOfService, saysKeysAreHonoured } from './response-body.ts';
import { ServiceError } from './service-error.ts';

/** What the calls of a step have learned about the service, and share. */
export class ServiceContact {
  #hasAnswered = false;
  #honoursKeys = false;
  #failingSince: number | undefined;

  /** Whether the service has answered in its own form. If it has, an answer in another form is probably temporary. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /**
   * Whether the service honours idempotency keys. Every answer of such a service says so, including errors; once it is
   * known, an answer that does not say so is not from the service.
   */
  get honoursKeys(): boolean {
    return this.#honoursKeys;
  }

  /**
   * When the first call that gave up waiting for the service began, in milliseconds since the epoch; undefined if no
   * call gave up, or if a later call was answered.
   */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  noteAttempt(outcome: HttpResponse | TransportError): void {
    if (outcome instanceof TransportError) return;
    this.#hasAnswered ||= isErrorOfService(outcome);
    this.#honoursKeys ||= saysKeysAreHonoured(outcome);
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
