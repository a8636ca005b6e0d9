import { violations } from '../contract/check.ts';
import type { AuthenticationMethod, Endpoint, EndpointResponse, FilePartStyle } from '../contract/endpoint.ts';
import {
  formatIdempotencyKey,
  idempotencyKeyHeader,
  replayedHeader,
  supersededHeader,
} from '../contract/idempotency.ts';
import { toReplayHeaders } from '../contract/replayed-evidence.ts';
import { authorization } from '../http/authorization.ts';
import { type CallContext, type RetryRule, sendWithRetry } from '../http/send-with-retry.ts';
import { type HttpRequest, TransportError, type TransportProblem } from '../http/transport.ts';
import { ExternalError, Failure, type Problem, UserError } from '../runtime/failure.ts';
import { version } from '../runtime/version.ts';
import { DeprecationNotices } from './deprecation.ts';
import { NotSent, unsentRequest } from './dry-run.ts';
import type { EndpointCall, EndpointCaller, EndpointResult } from './endpoint-call.ts';
import type { WriteIdentity } from './idempotency-key.ts';
import { KeyExpiryWarning } from './key-expiry.ts';
import type { WriteAttempts } from './keyed-write.ts';
import { createReadRule } from './read-rule.ts';
import { loadBodyParts, requestBody } from './request-body.ts';
import { fillPath, queryString } from './request-path.ts';
import { isReliable, type RequestDescription, successBody, toServiceError } from './response-body.ts';
import { ServiceContact } from './service-contact.ts';
import { endpointLabel } from './service-error.ts';

/** How to reach the service. */
export interface Connection {
  /** Ends in `/api/v2`. */
  readonly baseUrl: URL;
  readonly apiToken: string;
  readonly authenticationMethod: AuthenticationMethod;
  readonly filePartStyle: FilePartStyle;
  /** Prepares and checks requests, but does not send them. */
  readonly dryRun?: boolean;
  /** The step that sends the requests; absent outside a GitHub run. */
  readonly identity?: WriteIdentity;
  /**
   * Checks what a request would send, before anything is sent or kept.
   *
   * @throws UserError if it must not leave the job
   */
  readonly checkUpload?: (upload: Pick<EndpointCall<Endpoint>, 'parameters' | 'document' | 'file'>) => Promise<void>;
}

/** A request that is ready to be sent, or to be shown instead. */
export interface PreparedRequest {
  readonly request: HttpRequest;
  /** The path below the base address, with its query. */
  readonly path: string;
  readonly document: unknown;
  /** The idempotency key; absent if the request only reads. */
  readonly key?: string;
}

/** The state that clients with different time limits share. */
interface SharedKnowledge {
  readonly deprecations: DeprecationNotices;
  readonly keyExpiry: KeyExpiryWarning;
  readonly contact: ServiceContact;
  /** The new keys of writes that are recorded once more, by the original keys that all attempts of the run share. */
  readonly renewedKeys: Map<string, string>;
}

export class ComplianceClient implements EndpointCaller {
  readonly #connection: Connection;
  readonly #context: CallContext;
  readonly #shared: SharedKnowledge;

  /** @param shared the state of another client, so that nothing is looked up or shown twice */
  constructor(
    connection: Connection,
    context: CallContext,
    shared: SharedKnowledge = {
      deprecations: new DeprecationNotices(context),
      keyExpiry: new KeyExpiryWarning(context),
      contact: new ServiceContact(),
      renewedKeys: new Map(),
    },
  ) {
    this.#connection = connection;
    this.#context = context;
    this.#shared = shared;
  }

  /**
   * The same client with a time limit: see `RetryPolicy.until`, in milliseconds since the epoch.
   *
   * @param timeout the longest time for one request, in milliseconds
   */
  until(moment: number, timeout = Infinity): ComplianceClient {
    const { retryPolicy } = this.#context;
    const requestTimeout = Math.min(retryPolicy.requestTimeout, timeout);
    const context = { ...this.#context, retryPolicy: { ...retryPolicy, requestTimeout, until: moment } };
    return new ComplianceClient(this.#connection, context, this.#shared);
  }

  /** The URL of a page of the service, outside its API. */
  pageUrl(...segments: readonly string[]): string {
    const host = this.#connection.baseUrl.href.replace(/\/api\/v2\/*$/u, '');
    return [host, ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  }

  /**
   * Loads the modules that a call of an endpoint needs, while the evidence is gathered. A failure is ignored: the call
   * itself fails in the same way and reports it.
   */
  async preload(endpoint: Endpoint): Promise<void> {
    const { baseUrl } = this.#connection;
    await Promise.allSettled([
      this.#context.transport.preload(baseUrl),
      loadBodyParts(endpoint),
      ...(isWrite(endpoint) ? [loadWrites()] : []),
    ]);
  }

  /**
   * Calls an endpoint and checks its answer.
   *
   * @throws UserError if the call does not have the declared form, before anything is sent
   * @throws NotSent with the request, in a dry run
   * @throws ServiceError if the service answers with an error
   * @throws ExternalError if no answer comes, or one that does not have the declared form
   */
  async call<E extends Endpoint>(endpoint: E, call: EndpointCall<E>): Promise<EndpointResult<E>> {
    const { contact } = this.#shared;
    const begin = this.#context.clock.now();
    try {
      const result = await this.#duringOutage().#call(endpoint, call);
      contact.noteAnswer();
      return result;
    } catch (error) {
      if (error instanceof Failure) contact.noteFailure(error, begin);
      throw error;
    }
  }

  /** The client for the next call. It does not wait again for an outage that an earlier call gave up on. */
  #duringOutage(): ComplianceClient {
    const { clock, retryPolicy } = this.#context;
    const { failingSince } = this.#shared.contact;
    if (failingSince === undefined || retryPolicy.until !== undefined) return this;
    return this.until(retryPolicy.retryFor === undefined ? clock.now() : failingSince + retryPolicy.retryFor);
  }

  async #call<E extends Endpoint>(endpoint: E, call: EndpointCall<E>): Promise<EndpointResult<E>> {
    const prepared = await this.prepare(endpoint, call);
    const { request, document, key } = prepared;
    if (this.#connection.dryRun === true) {
      this.#shared.deprecations.report(endpoint, { url: request.url, document });
      const { filePartStyle } = this.#connection;
      throw new NotSent(unsentRequest(endpoint, request, { file: call.file, document, filePartStyle }));
    }
    const attempts = await this.#createAttempts(endpoint, call, prepared);
    const earlier = call.since === undefined ? undefined : await attempts?.findEarlier();
    if (earlier !== undefined) return toFoundResult(earlier.record, key);
    try {
      const result = await this.#send(endpoint, prepared, attempts);
      if (result !== undefined) return result;
    } catch (error) {
      if (this.#context.signal?.aborted === true || attempts === undefined || !(error instanceof Failure)) throw error;
      const { record } = await attempts.settle(error);
      return toFoundResult(record, key);
    }
    await this.#renewKey(endpoint, call, prepared);
    return this.#call(endpoint, call);
  }

  /**
   * Downloads a resource of the service that is outside its API, with the key of the step.
   *
   * @param title the name of the resource, for errors
   * @param segments the segments of its path
   * @param rule when to retry; by default, the rule for requests that only read
   * @throws ServiceError for any answer but 200; ExternalError if no answer comes
   */
  async download(title: string, segments: readonly string[], rule?: RetryRule): Promise<Buffer> {
    const { clock, signal } = this.#context;
    const url = new URL(this.pageUrl(...segments));
    const endpoint = { title, method: 'GET' } as const;
    const path = url.pathname;
    try {
      const request = { method: endpoint.method, url, headers: this.#headers(), isBinary: true } as const;
      const { answer, attempts } = await sendWithRetry(title, request, this.#context, rule);
      if (answer.status !== 200) throw toServiceError(answer, { endpoint, path, attempts, answeredAt: clock.now() });
      return Buffer.from(answer.text, 'latin1');
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof TransportError)) throw error;
      throw toUnansweredError(error, endpoint, path, url);
    }
  }

  #headers(): HttpRequest['headers'] {
    const { apiToken, authenticationMethod } = this.#connection;
    return {
      authorization: authorization(authenticationMethod, apiToken),
      'user-agent': `compliance-action/${version} (node ${process.versions.node}; ${process.platform})`,
    };
  }

  /** Gives a write another key, for all of its attempts, and also if it is kept for later. */
  async #renewKey(endpoint: Endpoint, call: EndpointCall<Endpoint>, { key }: PreparedRequest): Promise<void> {
    if (key !== undefined) this.#shared.renewedKeys.set(key, await this.#createKey(endpoint, call, true));
  }

  async #deriveKey(endpoint: Endpoint, call: EndpointCall<Endpoint>): Promise<string> {
    const key = await this.#createKey(endpoint, call, false);
    return this.#shared.renewedKeys.get(key) ?? key;
  }

  async #createKey(endpoint: Endpoint, call: EndpointCall<Endpoint>, recordsAgain: boolean): Promise<string> {
    const { createKey } = await loadWrites();
    const { identity } = this.#connection;
    return createKey(endpoint, call, { identity, random: this.#context.random, recordsAgain });
  }

  async #createAttempts(
    endpoint: Endpoint,
    call: EndpointCall<Endpoint>,
    { key, path, document }: PreparedRequest,
  ): Promise<WriteAttempts | undefined> {
    if (key === undefined) return undefined;
    const { WriteAttempts } = await loadWrites();
    const { clock, retryPolicy } = this.#context;
    const { retryFor, until = Infinity } = retryPolicy;
    // Look-ups do not get a time limit of their own.
    const limited = retryFor === undefined ? this : this.until(Math.min(until, clock.now() + retryFor));
    const isRenewed = [...this.#shared.renewedKeys.values()].includes(key);
    return new WriteAttempts({
      endpoint,
      sent: { key, parameters: call.parameters, document, file: call.file, since: call.since ?? clock.now() },
      contact: this.#shared.contact,
      context: limited.#context,
      client: limited,
      isReliable: (answer) =>
        isReliable(answer, {
          endpoint,
          path,
          attempts: 1,
          answeredAt: clock.now(),
          isKeyed: this.#shared.contact.honoursKeys,
        }),
      mayRenewKey: this.#connection.identity?.runId !== undefined && call.key === undefined && !isRenewed,
    });
  }

  /** @returns undefined if the write must be sent again, with another key (`WriteAttempts.isOutdated`) */
  async #send<E extends Endpoint>(
    endpoint: E,
    { request, path, key, document }: PreparedRequest,
    writing: WriteAttempts | undefined,
  ): Promise<EndpointResult<E> | undefined> {
    const label = endpointLabel(endpoint);
    const { clock, log, signal } = this.#context;
    const { deprecations, keyExpiry, contact } = this.#shared;
    try {
      const rule = this.#retryRule(writing);
      const { answer, attempts, earlierArrived } = await sendWithRetry(label, request, this.#context, rule);
      deprecations.report(endpoint, { url: request.url, document }, answer.headers);
      keyExpiry.report(answer.headers);
      contact.noteAttempt(answer);
      const isKeyed = contact.honoursKeys;
      const body = successBody(answer, { endpoint, path, attempts, earlierArrived, answeredAt: clock.now(), isKeyed });
      if (writing?.isOutdated(answer) === true) {
        log.info(
          `${label}: an earlier attempt had sent the same, but it no longer counts, so it is recorded once more`,
        );
        return undefined;
      }
      const isReplayed = answer.headers[replayedHeader] === 'true';
      const note = answer.headers[supersededHeader] === 'true' ? '; what was recorded since counts instead' : '';
      if (isReplayed) log.info(`${label}: ${describeReplay(attempts)}${note}`);
      return {
        status: answer.status,
        // `successBody` has checked the body against the schema that this type is made from.
        body: body as EndpointResponse<E>,
        source: isReplayed ? 'replay' : 'answer',
        // With keys, an answer is about all attempts.
        earlierArrived: earlierArrived && !isKeyed,
        key,
      };
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof TransportError)) throw error;
      throw toUnansweredError(error, endpoint, path, request.url);
    }
  }

  #retryRule(writing: WriteAttempts | undefined): RetryRule {
    const { contact } = this.#shared;
    const ruleForReads = createReadRule(contact, () => this.#context.clock.now());
    return (outcome) => {
      contact.noteAttempt(outcome);
      return writing === undefined ? ruleForReads(outcome) : writing.retryReason(outcome);
    };
  }

  /**
   * Makes the request of a call without sending it.
   *
   * @throws UserError if the call does not have the declared form, or must not leave the job
   */
  async prepare<E extends Endpoint>(endpoint: E, call: EndpointCall<E>): Promise<PreparedRequest> {
    const { baseUrl, filePartStyle, checkUpload } = this.#connection;
    checkCall(endpoint, call);
    if (endpoint.body.kind !== 'none') await checkUpload?.(call);
    const path = fillPath(endpoint.path, call.parameters) + queryString(call.query ?? {});
    const key = isWrite(endpoint) ? (call.key ?? (await this.#deriveKey(endpoint, call))) : undefined;
    const document =
      key === undefined ? call.document : (await loadWrites()).withRecordedKey(endpoint, call.document, key);
    const body = await requestBody(endpoint, {
      document,
      file: call.file,
      filePartStyle,
      random: this.#context.random,
    });
    const request: HttpRequest = {
      method: endpoint.method,
      url: new URL(baseUrl.href.replace(/\/$/u, '') + path),
      headers: {
        accept: 'application/json',
        ...this.#headers(),
        ...(key === undefined ? {} : { [idempotencyKeyHeader]: formatIdempotencyKey(key) }),
        // The evidence is from an earlier run, so the key of this run does not prove what it says about its run.
        ...(call.replayed === undefined ? {} : toReplayHeaders(call.replayed)),
      },
      ...(body === undefined ? {} : { body }),
    };
    return { request, path, document, ...(key === undefined ? {} : { key }) };
  }
}

function toFoundResult<E extends Endpoint>(record: unknown, key: string | undefined): EndpointResult<E> {
  return {
    status: 200,
    // The look-up returns a record in the form of the endpoint's answer.
    body: record as EndpointResponse<E>,
    source: 'look-up',
    earlierArrived: true,
    key,
  };
}

function isWrite({ repetition }: Endpoint): boolean {
  return repetition.effect !== 'safe';
}

const loadWrites = () => import('./keyed-write.ts');

/** Why the service did not carry out the request that it answered. */
function describeReplay(attempts: number): string {
  return attempts === 1
    ? 'an earlier attempt of this step had already sent the same; nothing was done twice'
    : 'an earlier attempt had arrived; nothing was done twice';
}

function checkCall(endpoint: Endpoint, call: EndpointCall<Endpoint>): void {
  const { body } = endpoint;
  const wrong = [
    ...violations(endpoint.parameters, call.parameters),
    ...violations(endpoint.query, call.query ?? {}),
    ...(body.kind === 'json' ? violations(body.schema, call.document) : []),
    ...(body.kind === 'multipart' ? violations(body.json.schema, call.document) : []),
  ];
  const [first, ...rest] = wrong.map(({ field, rule }): Problem => ({
    what: `${endpointLabel(endpoint)}: ${field === '' ? 'the request' : field} ${rule}`,
    remedy: 'Correct the value; nothing was sent.',
  }));
  if (first !== undefined) throw new UserError([first, ...rest]);
}

/** The error of a call that got no complete answer. */
function toUnansweredError(
  error: TransportError,
  endpoint: RequestDescription['endpoint'],
  path: string,
  url: URL,
): ExternalError {
  const sent = error.mayHaveReached
    ? ''
    : `; ${error.earlierArrived ? 'the last attempt' : 'the request'} was not sent${error.sentInPart ? ' completely' : ''}`;
  return new ExternalError({
    what: `${endpointLabel(endpoint)}: ${endpoint.method} ${path} got no answer from ${url.origin}: ${error.message}${sent}`,
    remedy: error.remedy ?? remedies[error.problem],
    cause: error,
  });
}

const remedies: Readonly<Record<TransportProblem, string>> = {
  unreachable:
    'Check `base-url` and that the runner can reach that host: its network, DNS, and HTTPS_PROXY and NO_PROXY if there is a proxy.',
  untrusted:
    "Check `base-url`, also that its port speaks https; if the service's certificate comes from a private authority, set NODE_EXTRA_CA_CERTS to its PEM file in the `env` of the job or step.",
  interrupted: 'Try again; if it keeps failing, look for a proxy or load balancer that closes connections.',
  timeout: 'Try again later, or raise `timeout` (seconds for one request) if the service is known to be slow.',
  malformed: 'Check that `base-url` points to the service, with the right protocol and port.',
};
