import { buildUrl, type ServerAddress } from './server-address.ts';
import {
  type SonarCall,
  noResponse,
  notReady,
  redirectedAway,
  toStatusFailure,
  unexpectedSonarResponse,
} from './server-failure.ts';
import { authorizationHeader, type AuthorizationScheme, expiryWarning } from './sonar-token.ts';
import { type Polling, isTransientError, pollUntilResponse, type Attempt } from './sonar-polling.ts';
import { listAt, textAt } from '../../../runtime/untrusted-data.ts';
import { readJsonBody, type AnswerBody } from '../../../http/json-body.ts';
import { TransportError, type HttpAnswer } from '../../../http/transport.ts';
import { sendWithRetry, type CallContext } from '../../../http/send-with-retry.ts';
import { isPassingStatus, parseRetryAfter } from '../../../http/retry.ts';
import type { Failure } from '../../../runtime/failure.ts';
import { version } from '../../../runtime/version.ts';

/** One question to Sonar's web API. */
export interface SonarApiRequest {
  /** Below the server's address, for example `api/ce/task`. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The permission on the project that the answer takes, as Sonar's administration calls it. */
  readonly permission: string;
  /** Whether the evidence is complete without the answer, so that it is not worth a long wait. */
  readonly isBestEffort?: boolean;
  /** True to ask without the token: a public project shows visitors what it does not show every token. */
  readonly anonymously?: true;
}

/** Sonar's answer to a question. */
export type SonarApiResult =
  | { readonly ok: true; readonly body: unknown; readonly url: URL }
  /** An error status. The asker decides whether it can go on; `failure` is what to throw if not. */
  | { readonly ok: false; readonly status: number; readonly failure: Failure; readonly message: string };

/** A Sonar server's web API. */
export interface SonarServer {
  readonly address: ServerAddress;
  /** Whether questions carry a token unless they say otherwise. */
  readonly hasToken: boolean;
  /**
   * Asks, and keeps asking within the time limit while the server restarts or is overloaded.
   *
   * @throws ExternalError if no answer came in time, or a success that is not JSON, or a redirect to another origin;
   * UserError for https to a port that speaks http; the signal's reason if it is aborted
   */
  ask(question: SonarApiRequest): Promise<SonarApiResult>;
}

/** The token, and how it may be sent. */
export interface SonarCredentials {
  /** Undefined to ask anonymously, as public projects allow. */
  readonly token: string | undefined;
  /** In order; the first that the server takes is kept. */
  readonly schemes: readonly [AuthorizationScheme, ...AuthorizationScheme[]];
}

/** How many redirects within the server are followed. */
const maximumRedirects = 5;

/** Every Sonar server that is up knows this endpoint, whatever its edition. */
const taskPath = 'api/ce/task';

/**
 * Opens a server. The token goes to the address's origin only.
 *
 * @param warn called with what the reader should mend, each once
 */
export function openSonarServer(
  address: ServerAddress,
  credentials: SonarCredentials,
  context: CallContext,
  warn: (warning: string) => void,
  polling: Polling,
): SonarServer {
  const { token } = credentials;
  let schemes: readonly AuthorizationScheme[] = credentials.schemes;
  let hasWarnedOfExpiry = false;
  let hasAnswered = false;

  const send = async (call: SonarCall, timeout: number, authorization?: string): Promise<HttpAnswer> => {
    let { url } = call;
    for (let redirects = 0; redirects <= maximumRedirects; redirects += 1) {
      const answer = await sendOnce({ ...call, url }, requestHeaders(authorization), context, timeout);
      hasAnswered = true;
      const target = findRedirectTarget(answer, url);
      if (target === undefined) return answer;
      if (target === 'nowhere') throw unexpectedSonarResponse(call, `${answer.status}, a redirect without an address`);
      if (target.origin !== address.url.origin) throw redirectedAway(call, target);
      url = target;
    }
    throw unexpectedSonarResponse(call, `more than ${maximumRedirects} redirects`);
  };

  const sendWithAnyScheme = async (call: SonarCall, timeout: number, key: string): Promise<HttpAnswer> => {
    const [first = 'bearer', second] = schemes;
    const answer = await send(call, timeout, authorizationHeader(first, key));
    // Servers before 10.0 answer a bearer token with 401, or, if they allow anonymous visitors, with 403.
    if (second !== undefined && isRefused(answer)) {
      const other = await send(call, timeout, authorizationHeader(second, key));
      // Only a server that takes the other scheme shows that the first is wrong; a server that goes down meanwhile does not.
      if (isPassingStatus(other.status)) return other;
      schemes = isRefused(other) ? [first] : [second];
      return isRefused(other) ? answer : other;
    }
    if (answer.status < 300) schemes = [first];
    return answer;
  };

  const warnOfExpiry = (answer: HttpAnswer): void => {
    const header = answer.headers['sonarqube-authentication-token-expiration'];
    const warning = hasWarnedOfExpiry ? undefined : expiryWarning(header, context.clock.now());
    if (warning === undefined) return;
    hasWarnedOfExpiry = true;
    warn(warning);
  };

  const attempt = async (call: SonarCall, timeout: number): Promise<Attempt<SonarApiResult>> => {
    try {
      const key = call.hasToken ? token : undefined;
      const answer = key === undefined ? await send(call, timeout) : await sendWithAnyScheme(call, timeout, key);
      warnOfExpiry(answer);
      return toAttempt(call, answer, context.clock.now());
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const failure = noResponse(call, error);
      if (!isTransientError(error, hasAnswered)) throw failure;
      return { failure, retryAfter: undefined };
    }
  };

  const toCall = ({ path, query, permission, anonymously }: SonarApiRequest): SonarCall => {
    const url = buildUrl(address.url, path, query);
    return { url, address, permission, hasToken: token !== undefined && anonymously !== true };
  };

  /** Whether the server is done with starting: until then it knows none of its endpoints. */
  const isUp = async (timeout: number): Promise<boolean> => {
    const result = await attempt(toCall({ path: taskPath, query: {}, permission: 'Execute Analysis' }), timeout);
    return 'answer' in result && !isStarting(result.answer, taskPath, address);
  };

  return {
    address,
    hasToken: token !== undefined,
    ask(question) {
      const call = toCall(question);
      let wasUp = false;
      const attemptWhenUp = async (timeout: number): Promise<Attempt<SonarApiResult>> => {
        const result = await attempt(call, timeout);
        if (!('answer' in result) || !isStarting(result.answer, question.path, address)) return result;
        // Some editions lack some endpoints, and say so in the words of a server that is starting.
        if (wasUp) return result;
        wasUp = question.path !== taskPath && (await isUp(timeout));
        return { failure: notReady(call), retryAfter: undefined };
      };
      return pollUntilResponse(attemptWhenUp, polling, question.isBestEffort === true);
    },
  };
}

/** Whether the answer is what a server says until it has started: that it does not know its own endpoint. */
function isStarting(answer: SonarApiResult, path: string, { url }: ServerAddress): boolean {
  return !answer.ok && answer.status === 404 && isUnknownUrl(answer.message, path, url);
}

function isRefused(answer: HttpAnswer): boolean {
  return answer.status === 401 || answer.status === 403;
}

function requestHeaders(authorization: string | undefined): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'user-agent': `compliance-action/${version}`,
    ...(authorization === undefined ? {} : { authorization }),
  };
}

/** @param timeout in milliseconds; the context's own limit holds, too */
async function sendOnce(
  call: SonarCall,
  headers: Readonly<Record<string, string>>,
  context: CallContext,
  timeout: number,
): Promise<HttpAnswer> {
  const requestTimeout = Math.min(context.retryPolicy.requestTimeout, timeout);
  const label = `Sonar: GET ${call.url.pathname}`;
  const request = { method: 'GET', url: call.url, headers } as const;
  const { answer } = await sendWithRetry(label, request, {
    ...context,
    retryPolicy: { requestTimeout, retries: 0 },
  });
  return answer;
}

function toAttempt(call: SonarCall, answer: HttpAnswer, now: number): Attempt<SonarApiResult> {
  const body: AnswerBody = readJsonBody(answer);
  const { status } = answer;
  if (status >= 200 && status < 300) {
    if (body.problem !== undefined) throw unexpectedSonarResponse(call, `${status} and ${body.problem}`);
    return { answer: { ok: true, body: body.value, url: call.url } };
  }
  const message = findSonarMessage(body);
  const displayedMessage = message ?? body.problem ?? 'a JSON body without a message';
  const failure = toStatusFailure(call, status, displayedMessage, message !== undefined);
  if (isPassingStatus(status)) {
    return { failure, retryAfter: parseRetryAfter(answer.headers['retry-after'], now) };
  }
  return { answer: { ok: false, status, failure, message: displayedMessage } };
}

/** Sonar's own words in an error answer (`{"errors":[{"msg":"…"}]}`); undefined if there are none. */
export function findSonarMessage(body: AnswerBody): string | undefined {
  const message = listAt(body.problem === undefined ? body.value : undefined, 'errors').flatMap(
    (error) => textAt(error, 'msg') ?? [],
  );
  return message.length === 0 ? undefined : message.join('; ');
}

/** Where a redirect leads: an address, or nothing that can be read as one; undefined if it is not a redirect. */
export function findRedirectTarget(answer: HttpAnswer, call: URL): URL | 'nowhere' | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  const location = answer.headers['location'] ?? '';
  return location === '' ? 'nowhere' : (URL.parse(location, call.href) ?? 'nowhere');
}

/**
 * Whether Sonar's words are those for a path that it has no endpoint for, without (or with) its context path. An address
 * that already ends in `/api` is not the server's, so that its paths are never known.
 */
export function isUnknownUrl(message: string, path: string, server: URL): boolean {
  const contextPath = server.pathname.replace(/\/$/u, '');
  if (contextPath.endsWith('/api')) return false;
  return message === `Unknown url : /${path}` || message === `Unknown url : ${contextPath}/${path}`;
}
