import type { Endpoint } from '../contract/endpoint.ts';
import { replayedHeader, supersededHeader } from '../contract/idempotency.ts';
import {
  backoff,
  describeStatus,
  isTransientStatus,
  mayHaveBeenCarriedOut,
  parseRetryAfter,
  type RetryReason,
} from '../http/retry.ts';
import { callTimeout, limitAttempts } from '../http/retry-schedule.ts';
import type { CallContext } from '../http/send-with-retry.ts';
import { type HttpResponse, TransportError } from '../http/transport.ts';
import { sleep } from '../runtime/clock.ts';
import { ExternalError, Failure } from '../runtime/failure.ts';
import type { EndpointCaller } from './endpoint-call.ts';
import { isNotFound, isTransientFailure } from './failure-kinds.ts';
import type { SentWrite } from './find-record.ts';
import { isErrorOfService } from './response-body.ts';
import type { ServiceContact } from './service-contact.ts';
import { endpointLabel, ServiceError } from './service-error.ts';
import { mayBeOnRecord, withRecordNote } from './unconfirmed-call.ts';

/** What the outcome of an attempt says about the record. */
type AttemptKind =
  /** A success that can be relied on. */
  | 'confirmed'
  /** Certainly not received completely. */
  | 'unsent'
  /** The service says that it did not carry it out, but a gateway may have repeated the request itself. */
  | 'refused'
  /** It may have been carried out. */
  | 'unclear'
  /** Another attempt would end in the same way. */
  | 'final';

type Look = { readonly record: unknown } | 'absent' | 'unknown' | 'impossible';

/** A write, and the dependencies of `WriteAttempts`. */
interface WriteOptions {
  readonly endpoint: Endpoint;
  readonly sent: SentWrite;
  readonly contact: ServiceContact;
  readonly context: CallContext;
  /** For looking the record up. */
  readonly client: EndpointCaller;
  /** Whether an answer with a status of success has the form that the service gives it. */
  readonly isReliable: (answer: HttpResponse) => boolean;
  /** Whether the key is shared with earlier attempts of the run and was derived now, not when the write was kept. */
  readonly mayRenewKey: boolean;
}

/** The maximum number of look-ups after an attempt, if none of them gets an answer from the service. */
const maximumLooks = 6;

/**
 * The attempts of one write, and the decision after each of them. A write that sets a state is repeated until it is
 * confirmed. One that appends a record is repeated after an unclear attempt if the service honours its idempotency key.
 * Otherwise it is first checked whether the record exists. If not, the write is sent again if a second record does no
 * harm, or if the service refused the first attempt.
 */
export class WriteAttempts {
  readonly #options: WriteOptions;
  readonly #label: string;
  /** Whether an attempt so far may have been carried out. */
  #isUnclear = false;
  /** Whether an attempt so far may have reached the service or a gateway, which may repeat it. */
  #wasSent = false;
  /** The result of the look-up after the latest attempt; undefined if there was no look-up. */
  #look: Look | undefined;
  /** Why the latest look-up failed; undefined if it did not. */
  #lookFailure: Failure | undefined;

  constructor(options: WriteOptions) {
    this.#options = options;
    this.#label = endpointLabel(options.endpoint);
  }

  /** The record that was found; undefined if none was looked for or found. */
  get found(): { readonly record: unknown } | undefined {
    return typeof this.#look === 'object' ? this.#look : undefined;
  }

  /**
   * Looks for the record of an earlier call before the first attempt, unless the service honours keys.
   *
   * @returns undefined if the write can be sent
   * @throws ExternalError if it is unknown whether there is a record
   */
  async findEarlier(): Promise<{ readonly record: unknown } | undefined> {
    const { contact, context } = this.#options;
    if (!contact.honoursKeys) context.log.info(`${this.#label}: checking whether an earlier attempt was recorded`);
    const look = contact.honoursKeys ? 'absent' : await this.#lookUp();
    if (contact.honoursKeys || look === 'absent' || look === 'impossible') return undefined;
    if (look !== 'unknown') return look;
    throw new ExternalError({
      what: `${this.#label}: it could not be checked whether an earlier attempt was recorded, so it was not sent: ${this.#lookFailure?.message ?? 'unknown error'}`,
      remedy: 'Try again later; the key must be allowed to list attestations.',
    });
  }

  /** Why the write is sent again after an attempt; undefined if it is not. */
  async retryReason(outcome: HttpResponse | TransportError): Promise<RetryReason | undefined> {
    const { endpoint, contact } = this.#options;
    const kind = this.#kindOf(outcome);
    if (kind === 'confirmed' || kind === 'final') return undefined;
    const reason = this.#describe(outcome);
    if (kind === 'unsent') return reason;
    this.#wasSent = true;
    const isRefused = kind === 'refused' && !this.#isUnclear;
    this.#isUnclear = true;
    if (endpoint.repetition.effect !== 'appends') return reason;
    if (!contact.honoursKeys) this.#look = await this.#lookAfterAttempt();
    if (contact.honoursKeys) {
      this.#look = undefined;
      return { ...reason, reason: `${reason.reason}; the same idempotency key keeps it from being recorded twice` };
    }
    return this.#repeatWithoutKey(reason, isRefused, endpoint.repetition.isHarmlessTwice === true);
  }

  /** @returns undefined if a second record could do harm, or the record was found */
  #repeatWithoutKey(reason: RetryReason, isRefused: boolean, isHarmlessTwice: boolean): RetryReason | undefined {
    const isAbsent = this.#look === 'absent';
    const mayRepeat = isHarmlessTwice ? this.found === undefined : isRefused && isAbsent;
    if (!mayRepeat) return undefined;
    this.#look = undefined;
    this.#isUnclear = !(isRefused && isAbsent);
    const checked = isAbsent ? ', and it is not on record' : '';
    const twice = this.#isUnclear
      ? '; it may be recorded twice then, which does no harm, because the newest counts'
      : '';
    return { ...reason, reason: `${reason.reason}${checked}${twice}` };
  }

  /**
   * Whether an answer says that an earlier attempt of the run recorded the same, but that other evidence has replaced
   * it, so that the write must be recorded once more. If an attempt of this write may have arrived, that record may be
   * its own, and what replaced it is newer.
   */
  isOutdated({ headers }: HttpResponse): boolean {
    const isSuperseded = headers[replayedHeader] === 'true' && headers[supersededHeader] === 'true';
    const { endpoint, mayRenewKey } = this.#options;
    return isSuperseded && endpoint.repetition.effect === 'appends' && mayRenewKey && !this.#wasSent;
  }

  /**
   * Settles a write whose last attempt failed, by looking for its record if it may have one.
   *
   * @returns the record
   * @throws the failure, with a note if the write may be on record
   */
  async settle(failure: Failure): Promise<{ readonly record: unknown }> {
    const { endpoint, contact } = this.#options;
    if (endpoint.repetition.effect !== 'appends') throw failure;
    const isRefused = failure instanceof ServiceError && isTransientStatus(failure.facts.status);
    const isUnclear = this.#isUnclear || mayBeOnRecord(endpoint, failure);
    if (!isUnclear && !isRefused) throw failure;
    this.#look ??= await this.#lookAfterAttempt();
    if (this.found !== undefined) {
      this.#options.context.log.info(`${this.#label}: it is on record, so it is not sent again`);
      return this.found;
    }
    if (!isUnclear) throw failure;
    throw withRecordNote(failure, endpoint.repetition, {
      isKeyed: contact.honoursKeys,
      isAbsent: this.#look === 'absent',
    });
  }

  #kindOf(outcome: HttpResponse | TransportError): AttemptKind {
    if (outcome instanceof TransportError) return kindOfError(outcome);
    const { status, headers } = outcome;
    if (status >= 200 && status < 300) return this.#options.isReliable(outcome) ? 'confirmed' : 'unclear';
    // An earlier attempt of this write may have caused this failure, so the answer is final only if it is an error of
    // the service.
    if (!isTransientStatus(status)) return this.#isUnclear && !isErrorOfService(outcome) ? 'unclear' : 'final';
    const retryAfter = parseRetryAfter(headers['retry-after'], this.#options.context.clock.now());
    return mayHaveBeenCarriedOut(status, retryAfter) ? 'unclear' : 'refused';
  }

  #describe(outcome: HttpResponse | TransportError): RetryReason {
    if (outcome instanceof TransportError) return { reason: outcome.message };
    const { status, headers } = outcome;
    if (status < 300) return { reason: `the answer was ${status}, but not as the service answers` };
    const retryAfter = parseRetryAfter(headers['retry-after'], this.#options.context.clock.now());
    return describeStatus(status, retryAfter);
  }

  /** Looks for the record once. The requests for that are repeated like all that only read. */
  async #lookUp(): Promise<Look> {
    const { endpoint, sent, client, context } = this.#options;
    const { repetition } = endpoint;
    if (repetition.effect !== 'appends' || repetition.recordedIn === undefined) return 'impossible';
    // Loaded only if an answer was lost.
    const { findRecord } = await import(/* webpackChunkName: 'others' */ './find-record.ts');
    this.#lookFailure = undefined;
    try {
      const record = await findRecord(repetition.recordedIn, sent, client);
      return record === undefined ? 'absent' : { record };
    } catch (error) {
      if (!(error instanceof Failure) || context.signal?.aborted === true) throw error;
      if (isNotFound(error)) return 'absent';
      this.#lookFailure = error;
      context.log.info(`${this.#label}: could not check whether it was recorded: ${error.message}`);
      return 'unknown';
    }
  }

  /**
   * Like `#lookUp`, after an attempt without a clear answer. If a second record could do harm, it tries several times to
   * get an answer from the service itself.
   */
  async #lookAfterAttempt(): Promise<Look> {
    const { endpoint, context, contact } = this.#options;
    const { repetition } = endpoint;
    if (repetition.effect !== 'appends' || repetition.recordedIn === undefined) return 'impossible';
    context.log.info(`${this.#label}: no clear answer; checking whether it was recorded`);
    const { clock, random, signal, retryPolicy } = context;
    const end = retryPolicy.until ?? clock.now() + callTimeout(retryPolicy);
    const looks = repetition.isHarmlessTwice === true ? 1 : Math.min(maximumLooks, limitAttempts(retryPolicy));
    for (let look = 1; ; look += 1) {
      const seen = await this.#lookUp();
      const isRefused = this.#lookFailure instanceof ServiceError && !isTransientFailure(this.#lookFailure);
      if (seen !== 'unknown' || isRefused || contact.honoursKeys || look >= looks) return seen;
      const delay = backoff(look, random());
      if (clock.now() + delay >= end) return seen;
      await sleep(clock, delay, signal);
    }
  }
}

/** A response that is not HTTP may come from a proxy, so the request may still have been carried out. */
function kindOfError({ problem, mayHaveReached }: TransportError): AttemptKind {
  if (mayHaveReached) return 'unclear';
  return problem === 'untrusted' ? 'final' : 'unsent';
}
