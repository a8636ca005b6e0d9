import { violations } from '../contract/check.ts';
import type {
  EndpointResponse,
  AuthenticationMethod,
  EndpointDocument,
  Endpoint,
  FilePartStyle,
  MultipartBody,
  EndpointParameters,
  EndpointQuery,
} from '../contract/endpoint.ts';
import { TransportError, type HttpRequest, type TransportProblem } from '../http/transport.ts';
import { sendWithRetry, type CallContext } from '../http/send-with-retry.ts';
import { UserError, type Problem, ExternalError } from '../runtime/failure.ts';
import { version } from '../runtime/version.ts';
import { successBody } from './response-body.ts';
import { authorization } from './authorization.ts';
import { loadBodyParts, requestBody, type FilePart } from './request-body.ts';
import { DeprecationNotices } from './deprecation.ts';
import { NotSent, unsentRequest } from './dry-run.ts';
import { fillPath, queryString } from './request-path.ts';
import { failedCall } from './unconfirmed-call.ts';
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
}

/** The arguments of a call, typed by the declaration of the endpoint. */
export interface EndpointCall<E extends Endpoint> {
  readonly parameters: EndpointParameters<E>;
  readonly query?: EndpointQuery<E>;
  readonly document?: EndpointDocument<E>;
  readonly file?: E['body'] extends MultipartBody ? FilePart : never;
}

/** The answer to a successful call. */
export interface EndpointResult<E extends Endpoint> {
  readonly status: number;
  readonly body: EndpointResponse<E>;
  /**
   * True if an attempt before the last may have been carried out. The answer then says only what the last attempt
   * changed.
   */
  readonly earlierArrived: boolean;
}

/** A request that is ready to be sent, or to be shown instead. */
export interface PreparedRequest {
  readonly request: HttpRequest;
  /** The path below the base address, with its query. */
  readonly path: string;
}

/** Calls any endpoint of the contract. */
export class ComplianceClient {
  readonly #connection: Connection;
  readonly #context: CallContext;
  readonly #deprecations: DeprecationNotices;

  /** @param deprecations the notices of another client, so that none is shown twice */
  constructor(connection: Connection, context: CallContext, deprecations = new DeprecationNotices(context)) {
    this.#connection = connection;
    this.#context = context;
    this.#deprecations = deprecations;
  }

  /** The same client with a time limit: see `RetryPolicy.until`, in milliseconds since the epoch. */
  until(moment: number): ComplianceClient {
    const { retryPolicy } = this.#context;
    const context = { ...this.#context, retryPolicy: { ...retryPolicy, until: moment } };
    return new ComplianceClient(this.#connection, context, this.#deprecations);
  }

  /**
   * Loads the modules that a call of an endpoint needs, while the evidence is gathered. A failure is ignored here: the
   * call fails in the same way and reports it.
   */
  async preload(endpoint: Endpoint): Promise<void> {
    const { baseUrl } = this.#connection;
    await Promise.allSettled([this.#context.transport.preload(baseUrl), loadBodyParts(endpoint)]);
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
    const { request, path } = await this.prepare(endpoint, call);
    if (this.#connection.dryRun === true) {
      this.#deprecations.report(endpoint, request.url);
      throw new NotSent(unsentRequest(endpoint, request, { ...call, filePartStyle: this.#connection.filePartStyle }));
    }
    try {
      const { answer, attempts, earlierArrived } = await sendWithRetry(endpointLabel(endpoint), request, this.#context);
      this.#deprecations.report(endpoint, request.url, answer.headers);
      const answeredAt = this.#context.clock.now();
      const body = successBody(answer, { endpoint, path, attempts, earlierArrived, answeredAt });
      // `successBody` has checked the body against the schema that this type is made from.
      return { status: answer.status, body: body as EndpointResponse<E>, earlierArrived };
    } catch (error) {
      if (this.#context.signal?.aborted === true) throw error;
      throw failedCall(
        error instanceof TransportError ? toUnansweredError(error, endpoint, path, request.url) : error,
        endpoint,
      );
    }
  }

  /**
   * Makes the request of a call without sending it.
   *
   * @throws UserError if the call does not have the declared form
   */
  async prepare<E extends Endpoint>(endpoint: E, call: EndpointCall<E>): Promise<PreparedRequest> {
    checkCall(endpoint, call);
    const { baseUrl, apiToken, authenticationMethod, filePartStyle } = this.#connection;
    const path = fillPath(endpoint.path, call.parameters) + queryString(call.query ?? {});
    const body = await requestBody(endpoint, {
      document: call.document,
      file: call.file,
      filePartStyle,
      random: this.#context.random,
    });
    const request: HttpRequest = {
      method: endpoint.method,
      url: new URL(baseUrl.href.replace(/\/$/u, '') + path),
      headers: {
        accept: 'application/json',
        authorization: authorization(authenticationMethod, apiToken),
        'user-agent': `compliance-action/${version} (node ${process.versions.node}; ${process.platform})`,
      },
      ...(body === undefined ? {} : { body }),
      idempotent: endpoint.repetition.effect !== 'appends',
    };
    return { request, path };
  }
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
function toUnansweredError(error: TransportError, endpoint: Endpoint, path: string, url: URL): ExternalError {
  const sent = error.mayHaveReached
    ? ''
    : `; ${error.earlierArrived ? 'the last attempt' : 'the request'} was not sent${error.sentInPart ? ' completely' : ''}`;
  return new ExternalError(
    {
      what: `${endpointLabel(endpoint)}: ${endpoint.method} ${path} got no answer from ${url.origin}: ${error.message}${sent}`,
      remedy: remedies[error.problem],
    },
    { cause: error },
  );
}

const remedies: Readonly<Record<TransportProblem, string>> = {
  unreachable:
    'Check `base-url` and that the runner can reach that host: its network, DNS, and HTTPS_PROXY and NO_PROXY if there is a proxy.',
  untrusted:
    "Check `base-url`; if the service's certificate comes from a private authority, set NODE_EXTRA_CA_CERTS to its PEM file in the `env` of the job or step.",
  interrupted: 'Try again; if it keeps failing, look for a proxy or load balancer that closes connections.',
  timeout: 'Try again later, or raise `timeout` (seconds for one request) if the service is known to be slow.',
  malformed: 'Check that `base-url` points to the service, with the right protocol and port.',
};
