import { readJsonBody, type AnswerBody } from '../../http/answer-body.ts';
import { TransportError, type HttpAnswer } from '../../http/exchange.ts';
import { sendPersistently, type CallContext } from '../../http/persistent.ts';
import type { Failure } from '../../runtime/failure.ts';
import { version } from '../../runtime/version.ts';
import { authorizationHeader, expiryWarning, type AuthorizationScheme } from './authorization.ts';
import { redirectTarget, sonarWords } from './server-answer.ts';
import { below, type ServerAddress } from './server-address.ts';
import { noAnswer, redirectedAway, refusal, unexpectedAnswer, type Asked } from './server-failure.ts';

/** One question to Sonar's web API. */
export interface SonarQuestion {
  /** Below the server's address, for example `api/ce/task`. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The permission on the project that the answer takes, as Sonar's administration calls it. */
  readonly permission: string;
}

/** Sonar's answer to a question. */
export type SonarAnswer =
  | { readonly ok: true; readonly body: unknown; readonly url: URL }
  /** An error status. The asker decides whether it can go on; `failure` is what to throw if not. */
  | { readonly ok: false; readonly status: number; readonly failure: Failure; readonly words: string };

/** A Sonar server's web API. */
export interface SonarServer {
  readonly address: ServerAddress;
  /**
   * Asks, and repeats what is worth repeating.
   *
   * @throws TroubleError where no answer came, or a success that is not JSON, or a redirect to another origin
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
): SonarServer {
  const { token } = credentials;
  let schemes: readonly AuthorizationScheme[] = credentials.schemes;
  let expiryTold = false;

  const send = async (asked: Asked, scheme: AuthorizationScheme): Promise<HttpAnswer> => {
    let { url } = asked;
    for (let redirects = 0; redirects <= maximumRedirects; redirects += 1) {
      const answer = await sendOnce({ ...asked, url }, requestHeaders(token, scheme), context);
      const target = redirectTarget(answer, url);
      if (target === undefined) return answer;
      if (target === 'nowhere') throw unexpectedAnswer(asked, `${answer.status}, a redirect without an address`);
      if (target.origin !== address.url.origin) throw redirectedAway(asked, target);
      url = target;
    }
    throw unexpectedAnswer(asked, `more than ${maximumRedirects} redirects`);
  };

  const sendWithAnyScheme = async (asked: Asked): Promise<HttpAnswer> => {
    const [first = 'bearer', second] = schemes;
    const answer = await send(asked, first);
    // Servers before 10.0 answer a bearer token with 401, or, where they allow anonymous visitors, with 403.
    if (second !== undefined && isRefused(answer)) {
      const other = await send(asked, second);
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

  return {
    address,
    async ask(question) {
      const url = below(address.url, question.path, question.query);
      const asked: Asked = { url, address, permission: question.permission, hasToken: token !== undefined };
      const answer = token === undefined ? await send(asked, 'bearer') : await sendWithAnyScheme(asked);
      warnOfExpiry(answer);
      return answerOf(asked, answer);
    },
  };
}

function isRefused(answer: HttpAnswer): boolean {
  return answer.status === 401 || answer.status === 403;
}

function requestHeaders(token: string | undefined, scheme: AuthorizationScheme): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'user-agent': `compliance-action/${version}`,
    ...(token === undefined ? {} : { authorization: authorizationHeader(scheme, token) }),
  };
}

async function sendOnce(
  asked: Asked,
  headers: Readonly<Record<string, string>>,
  context: CallContext,
): Promise<HttpAnswer> {
  try {
    const label = `Sonar: GET ${asked.url.pathname}`;
    const { answer } = await sendPersistently(label, { method: 'GET', url: asked.url, headers }, context);
    return answer;
  } catch (error) {
    throw error instanceof TransportError ? noAnswer(asked, error) : error;
  }
}

function answerOf(asked: Asked, answer: HttpAnswer): SonarAnswer {
  const body: AnswerBody = readJsonBody(answer);
  if (answer.status >= 200 && answer.status < 300) {
    if (body.problem !== undefined) throw unexpectedAnswer(asked, `${answer.status} and ${body.problem}`);
    return { ok: true, body: body.value, url: asked.url };
  }
  const words = sonarWords(body) ?? body.problem ?? 'a JSON body without a message';
  return { ok: false, status: answer.status, failure: refusal(asked, answer.status, words), words };
}
