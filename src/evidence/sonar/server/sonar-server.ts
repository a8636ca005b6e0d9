import { below, type ServerAddress } from './server-address.ts';
import { type Asked, noAnswer, notReady, redirectedAway, refusal, unexpectedAnswer } from './server-failure.ts';
import { authorizationHeader, type AuthorizationScheme, expiryWarning } from './sonar-token.ts';
import { type Polling, isTransientError, pollUntilAnswered, type Attempt } from './polling.ts';
import { listAt, textAt } from '../../../runtime/untrusted-data.ts';
import { readJsonBody, type AnswerBody } from '../../../http/json-body.ts';
import { TransportError, type HttpAnswer } from '../../../http/transport.ts';
import { sendWithRetry, type CallContext } from '../../../http/send-with-retry.ts';
import { isPassingStatus, parseRetryAfter } from '../../../http/retry.ts';
import type { Failure } from '../../../runtime/failure.ts';
import { version } from '../../../runtime/version.ts';

/** One question to Sonar's web API. */
export interface SonarQuestion {
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
export type SonarAnswer =
  | { readonly ok: true; readonly body: unknown; readonly url: URL }
  /** An error status. The asker decides whether it can go on; `failure` is what to throw if not. */
  | { readonly ok: false; readonly status: number; readonly failure: Failure; readonly words: string };

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
  ask(question: SonarQuestion): Promise<SonarAnswer>;
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
  let expiryTold = false;
  let hasAnswered = false;

  const send = async (asked: Asked, timeout: number, authorization?: string): Promise<HttpAnswer> => {
    let { url } = asked;
    for (let redirects = 0; redirects <= maximumRedirects; redirects += 1) {
      const answer = await sendOnce({ ...asked, url }, requestHeaders(authorization), context, timeout);
      hasAnswered = true;
      const target = redirectTarget(answer, url);
      if (target === undefined) return answer;
      if (target === 'nowhere') throw unexpectedAnswer(asked, `${answer.status}, a redirect without an address`);
      if (target.origin !== address.url.origin) throw redirectedAway(asked, target);
      url = target;
    }
    throw unexpectedAnswer(asked, `more than ${maximumRedirects} redirects`);
  };

  const sendWithAnyScheme = async (asked: Asked, timeout: number, key: string): Promise<HttpAnswer> => {
    const [first = 'bearer', second] = schemes;
    const answer = await send(asked, timeout, authorizationHeader(first, key));
    // Servers before 10.0 answer a bearer token with 401, or, if they allow anonymous visitors, with 403.
    if (second !== undefined && isRefused(answer)) {
      const other = await send(asked, timeout, authorizationHeader(second, key));
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
    const warning = expiryTold ? undefined : expiryWarning(header, context.clock.now());
    if (warning === undefined) return;
    expiryTold = true;
    warn(warning);
  };

  const attempt = async (asked: Asked, timeout: number): Promise<Attempt<SonarAnswer>> => {
    try {
      const key = asked.hasToken ? token : undefined;
      const answer = key === undefined ? await send(asked, timeout) : await sendWithAnyScheme(asked, timeout, key);
      warnOfExpiry(answer);
      return judge(asked, answer, context.clock.now());
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const failure = noAnswer(asked, error);
      if (!isTransientError(error, hasAnswered)) throw failure;
      return { failure, retryAfter: undefined };
    }
  };

  const askedFor = ({ path, query, permission, anonymously }: SonarQuestion): Asked => {
    const url = below(address.url, path, query);
    return { url, address, permission, hasToken: token !== undefined && anonymously !== true };
  };

  /** Whether the server is done with starting: until then it knows none of its endpoints. */
  const isUp = async (timeout: number): Promise<boolean> => {
    const seen = await attempt(askedFor({ path: taskPath, query: {}, permission: 'Execute Analysis' }), timeout);
    return 'answer' in seen && !isStarting(seen.answer, taskPath, address);
  };

  return {
    address,
    hasToken: token !== undefined,
    ask(question) {
      const asked = askedFor(question);
      let wasUp = false;
      const attemptWhenUp = async (timeout: number): Promise<Attempt<SonarAnswer>> => {
        const seen = await attempt(asked, timeout);
        if (!('answer' in seen) || !isStarting(seen.answer, question.path, address)) return seen;
        // Some editions lack some endpoints, and say so in the words of a server that is starting.
        if (wasUp) return seen;
        wasUp = question.path !== taskPath && (await isUp(timeout));
        return { failure: notReady(asked), retryAfter: undefined };
      };
      return pollUntilAnswered(attemptWhenUp, polling, question.isBestEffort === true);
    },
  };
}

/** Whether the answer is what a server says until it has started: that it does not know its own endpoint. */
function isStarting(answer: SonarAnswer, path: string, { url }: ServerAddress): boolean {
  return !answer.ok && answer.status === 404 && isUnknownUrl(answer.words, path, url);
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
  asked: Asked,
  headers: Readonly<Record<string, string>>,
  context: CallContext,
  timeout: number,
): Promise<HttpAnswer> {
  const requestTimeout = Math.min(context.retryPolicy.requestTimeout, timeout);
  const label = `Sonar: GET ${asked.url.pathname}`;
  const request = { method: 'GET', url: asked.url, headers } as const;
  const { answer } = await sendWithRetry(label, request, {
    ...context,
    retryPolicy: { requestTimeout, retries: 0 },
  });
  return answer;
}

function judge(asked: Asked, answer: HttpAnswer, now: number): Attempt<SonarAnswer> {
  const body: AnswerBody = readJsonBody(answer);
  const { status } = answer;
  if (status >= 200 && status < 300) {
    if (body.problem !== undefined) throw unexpectedAnswer(asked, `${status} and ${body.problem}`);
    return { answer: { ok: true, body: body.value, url: asked.url } };
  }
  const words = sonarWords(body);
  const shown = words ?? body.problem ?? 'a JSON body without a message';
  const failure = refusal(asked, status, shown, words !== undefined);
  if (isPassingStatus(status)) {
    return { failure, retryAfter: parseRetryAfter(answer.headers['retry-after'], now) };
  }
  return { answer: { ok: false, status, failure, words: shown } };
}

/** Sonar's own words in an error answer (`{"errors":[{"msg":"…"}]}`); undefined if there are none. */
export function sonarWords(body: AnswerBody): string | undefined {
  const words = listAt(body.problem === undefined ? body.value : undefined, 'errors').flatMap(
    (error) => textAt(error, 'msg') ?? [],
  );
  return words.length === 0 ? undefined : words.join('; ');
}

/** Where a redirect leads: an address, or nothing that can be read as one; undefined if it is not a redirect. */
export function redirectTarget(answer: HttpAnswer, asked: URL): URL | 'nowhere' | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  const location = answer.headers['location'] ?? '';
  return location === '' ? 'nowhere' : (URL.parse(location, asked.href) ?? 'nowhere');
}

/**
 * Whether Sonar's words are those for a path that it has no endpoint for, without (or with) its context path. An address
 * that already ends in `/api` is not the server's, so that its paths are never known.
 */
export function isUnknownUrl(words: string, path: string, server: URL): boolean {
  const contextPath = server.pathname.replace(/\/$/u, '');
  if (contextPath.endsWith('/api')) return false;
  return words === `Unknown url : /${path}` || words === `Unknown url : ${contextPath}/${path}`;
}
