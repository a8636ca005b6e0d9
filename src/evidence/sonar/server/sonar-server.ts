import type { AuthenticationMethod } from '../../../contract/endpoint.ts';
import { authorization } from '../../../http/authorization.ts';
import { type ParsedBody, readJsonBody } from '../../../http/json-body.ts';
import { isTransientStatus, parseRetryAfter } from '../../../http/retry.ts';
import { type CallContext, sendWithRetry } from '../../../http/send-with-retry.ts';
import { type HttpResponse, TransportError } from '../../../http/transport.ts';
import type { Failure } from '../../../runtime/failure.ts';
import { omitUndefined } from '../../../runtime/omit-undefined.ts';
import { listAt, textAt } from '../../../runtime/untrusted-data.ts';
import { version } from '../../../runtime/version.ts';
import { buildUrl, type ServerAddress } from './server-address.ts';
import {
  createNoResponseError,
  createRedirectError,
  createStartingError,
  type SonarCall,
  toStatusFailure,
  unexpectedSonarResponse,
} from './server-failure.ts';
import { type Attempt, isTransientError, type Polling, pollUntilResponse } from './sonar-polling.ts';
import { expiryWarning, tokenKind } from './sonar-token.ts';

export interface SonarApiRequest {
  /** Relative to the server's address, for example `api/ce/task`. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Whether the evidence is complete without the response, so that it is not worth a long wait. */
  readonly isBestEffort?: boolean;
  /** True to send no token: anonymous requests may see more of a public project than some tokens. */
  readonly anonymously?: true;
}

export type SonarApiResult =
  | { readonly ok: true; readonly body: unknown; readonly url: URL }
  /** An error status. The caller decides whether it can continue; if not, it throws `failure`. */
  | { readonly ok: false; readonly status: number; readonly failure: Failure; readonly message: string };

export interface SonarServer {
  readonly address: ServerAddress;
  /** Whether requests carry a token by default. */
  readonly hasToken: boolean;
  /**
   * Sends a request, and repeats it within the time limit while the server restarts or is overloaded.
   *
   * @throws ExternalError if no response arrived in time, if a success is not JSON, or for a redirect to another
   * origin; UserError for https to a port that speaks http; the signal's reason if it is aborted
   */
  ask(request: SonarApiRequest): Promise<SonarApiResult>;
}

export interface SonarCredentials {
  /** Undefined for anonymous requests, as public projects allow. */
  readonly token: string | undefined;
  /** The schemes to try, in order; the first that the server accepts is kept. */
  readonly schemes: readonly [AuthenticationMethod, ...AuthenticationMethod[]];
}

const maximumRedirects = 5;

/** An endpoint that every running Sonar server has, whatever its edition. */
const taskPath = 'api/ce/task';

/** Creates access to a server. The token is sent only to the origin of the address. */
export function openSonarServer(
  address: ServerAddress,
  credentials: SonarCredentials,
  context: CallContext,
  polling: Polling,
): SonarServer {
  const { token } = credentials;
  let schemes: readonly AuthenticationMethod[] = credentials.schemes;
  let hasWarnedOfExpiry = false;
  let hasAnswered = false;

  const send = async (call: SonarCall, timeout: number, authorization?: string): Promise<HttpResponse> => {
    let { url } = call;
    for (let redirects = 0; redirects <= maximumRedirects; redirects += 1) {
      const answer = await sendOnce({ ...call, url }, requestHeaders(authorization), context, timeout);
      hasAnswered = true;
      const target = findRedirectTarget(answer, url);
      if (target === undefined) return answer;
      if (target === 'nowhere') throw unexpectedSonarResponse(call, `${answer.status}, a redirect without an address`);
      if (target.origin !== address.url.origin) throw createRedirectError(call, target);
      url = target;
    }
    throw unexpectedSonarResponse(call, `more than ${maximumRedirects} redirects`);
  };

  const sendWithAnyScheme = async (call: SonarCall, timeout: number, key: string): Promise<HttpResponse> => {
    const [first = 'bearer', second] = schemes;
    const answer = await send(call, timeout, authorization(first, key));
    // Servers before 10.0 answer a bearer token with 401, or, if they allow anonymous visitors, with 403.
    if (second !== undefined && isRefused(answer)) {
      const other = await send(call, timeout, authorization(second, key));
      // The first scheme is wrong only if the server accepts the other one, not if it goes down meanwhile.
      if (isTransientStatus(other.status)) return other;
      // 403 after 401: the server knows the token, which lacks a permission.
      const isKnown = !isRefused(other) || (answer.status === 401 && other.status === 403);
      schemes = isKnown ? [second] : [first];
      return isKnown ? other : answer;
    }
    if (answer.status < 300) schemes = [first];
    return answer;
  };

  const warnOfExpiry = (answer: HttpResponse): void => {
    const header = answer.headers['sonarqube-authentication-token-expiration'];
    const warning = hasWarnedOfExpiry ? undefined : expiryWarning(header, context.clock.now());
    if (warning === undefined) return;
    hasWarnedOfExpiry = true;
    context.log.warning(warning);
  };

  const attempt = async (call: SonarCall, timeout: number): Promise<Attempt<SonarApiResult>> => {
    try {
      const key = call.token === 'none' ? undefined : token;
      const answer = key === undefined ? await send(call, timeout) : await sendWithAnyScheme(call, timeout, key);
      warnOfExpiry(answer);
      return toAttempt(call, answer, context.clock.now());
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const failure = createNoResponseError(call, error);
      if (!isTransientError(error, hasAnswered)) throw failure;
      return { failure, retryAfter: undefined };
    }
  };

  const toCall = ({ path, query, anonymously }: SonarApiRequest): SonarCall => {
    const url = buildUrl(address.url, path, query);
    const permission = path === taskPath ? 'Execute Analysis' : 'Browse';
    return { url, address, permission, token: anonymously === true ? 'none' : tokenKind(token) };
  };

  /** Whether the server has started: until then it knows none of its endpoints. */
  const isUp = async (timeout: number): Promise<boolean> => {
    const result = await attempt(toCall({ path: taskPath, query: {} }), timeout);
    return 'answer' in result && !isStarting(result.answer, taskPath, address);
  };

  return {
    address,
    hasToken: token !== undefined,
    ask(request) {
      const call = toCall(request);
      let wasUp = false;
      const attemptWhenUp = async (timeout: number): Promise<Attempt<SonarApiResult>> => {
        const result = await attempt(call, timeout);
        if (!('answer' in result) || !isStarting(result.answer, request.path, address)) return result;
        // Some editions lack some endpoints, and respond like a server that is starting.
        if (wasUp) return result;
        wasUp = request.path !== taskPath && (await isUp(timeout));
        return { failure: createStartingError(call), retryAfter: undefined };
      };
      return pollUntilResponse(attemptWhenUp, polling, request.isBestEffort === true);
    },
  };
}

/** Whether the response is that of a starting server: it does not know its own endpoint. */
function isStarting(answer: SonarApiResult, path: string, { url }: ServerAddress): boolean {
  return !answer.ok && answer.status === 404 && isUnknownUrl(answer.message, path, url);
}

function isRefused(answer: HttpResponse): boolean {
  return answer.status === 401 || answer.status === 403;
}

function requestHeaders(authorization: string | undefined): Readonly<Record<string, string>> {
  return omitUndefined({ accept: 'application/json', 'user-agent': `compliance-action/${version}`, authorization });
}

/** @param timeout in milliseconds; the context's own limit applies, too */
async function sendOnce(
  call: SonarCall,
  headers: Readonly<Record<string, string>>,
  context: CallContext,
  timeout: number,
): Promise<HttpResponse> {
  const requestTimeout = Math.min(context.retryPolicy.requestTimeout, timeout);
  const label = `Sonar: GET ${call.url.pathname}`;
  const request = { method: 'GET', url: call.url, headers } as const;
  const { answer } = await sendWithRetry(label, request, {
    ...context,
    retryPolicy: { requestTimeout, retries: 0 },
  });
  return answer;
}

function toAttempt(call: SonarCall, answer: HttpResponse, now: number): Attempt<SonarApiResult> {
  const body: ParsedBody = readJsonBody(answer);
  const { status } = answer;
  if (status >= 200 && status < 300) {
    if (body.problem !== undefined) throw unexpectedSonarResponse(call, `${status} and ${body.problem}`);
    return { answer: { ok: true, body: body.value, url: call.url } };
  }
  const message = findSonarMessage(body);
  const displayedMessage = message ?? body.problem ?? 'a JSON body without a message';
  const failure = toStatusFailure(call, status, displayedMessage, message !== undefined);
  if (isTransientStatus(status)) {
    return { failure, retryAfter: parseRetryAfter(answer.headers['retry-after'], now) };
  }
  return { answer: { ok: false, status, failure, message: displayedMessage } };
}

/** Sonar's own message in an error response (`{"errors":[{"msg":"…"}]}`); undefined if there is none. */
export function findSonarMessage(body: ParsedBody): string | undefined {
  const message = listAt(body.problem === undefined ? body.value : undefined, 'errors').flatMap(
    (error) => textAt(error, 'msg') ?? [],
  );
  return message.length === 0 ? undefined : message.join('; ');
}

/** The target of a redirect, `nowhere` if it has no valid URL; undefined if the response is not a redirect. */
export function findRedirectTarget(answer: HttpResponse, call: URL): URL | 'nowhere' | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  const location = answer.headers['location'] ?? '';
  return location === '' ? 'nowhere' : (URL.parse(location, call.href) ?? 'nowhere');
}

/**
 * Whether Sonar's message says that the path, with or without the context path, has no endpoint. An address that
 * already ends in `/api` is not the server's, so its paths never exist.
 */
export function isUnknownUrl(message: string, path: string, server: URL): boolean {
  const contextPath = server.pathname.replace(/\/$/u, '');
  if (contextPath.endsWith('/api')) return false;
  return message === `Unknown url : /${path}` || message === `Unknown url : ${contextPath}/${path}`;
}
