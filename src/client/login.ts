import type { AuthenticationMethod } from '../contract/endpoint.ts';
import { logIn, unknownSenderField } from '../contract/login.ts';
import { authorization } from '../http/authorization.ts';
import { readJsonBody } from '../http/json-body.ts';
import { isTransientStatus } from '../http/retry.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '../http/transport.ts';
import type { Clock } from '../runtime/clock.ts';
import { ExternalError, Failure, type FailureText } from '../runtime/failure.ts';
import { textAt, valueAt } from '../runtime/untrusted-data.ts';
import { fillPath } from './request-path.ts';
import { fieldErrors, successBody } from './response-body.ts';

/** Where GitHub issues identity tokens for the job (GitHub's documentation, "OpenID Connect reference"). */
export interface TokenSource {
  /** ACTIONS_ID_TOKEN_REQUEST_URL. */
  readonly url: URL;
  /** ACTIONS_ID_TOKEN_REQUEST_TOKEN. */
  readonly token: string;
}

export interface LoginOptions {
  readonly source: TokenSource;
  /** Ends in `/api/v2`. */
  readonly baseUrl: URL;
  readonly org: string;
  readonly authenticationMethod: AuthenticationMethod;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with each token and key before it is used, to mask it. */
  readonly addSecret: (secret: string) => void;
}

/** The service gives this run no key, and asking again changes nothing. */
export class LoginError extends Failure {
  override readonly name = 'LoginError';
  override readonly kind = 'user';
  /** Whether the run is simply not meant to have a key here: the service has no login, or no rule admits the run. */
  readonly isKeyless: boolean;

  constructor(text: FailureText, isKeyless: boolean) {
    super(text);
    this.isKeyless = isKeyless;
  }
}

interface Key {
  readonly text: string;
  /** When it is renewed, in milliseconds. */
  readonly renewAt: number;
}

/** How long before its end a key is renewed, in milliseconds: longer than a request takes. */
const margin = 120_000;

/** The remedy if GitHub could not be reached, or failed. */
const tokenRemedy =
  'Check that the runner can reach GitHub: its network, DNS, HTTPS_PROXY and NO_PROXY, and NODE_EXTRA_CA_CERTS if the proxy has a certificate of its own. If it can, see https://www.githubstatus.com and run the job again, or set `api-token`.';

/**
 * Exchanges identity tokens of the job for keys of the service, and renews them. Both requests use the transport of the
 * step, with its deadlines and retries. `core.getIDToken` would send the first one with another HTTP client, with settings
 * of its own, which would be a second one in the bundle.
 */
export class Login {
  readonly #options: LoginOptions;
  #key: Key | undefined;
  #running: Promise<Key | HttpResponse> | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /**
   * Wraps a transport to the service: each attempt is sent with a valid key. An answer that asks to try the login again
   * later is passed on as the answer to the request, so that it is retried like any other.
   */
  authorize(transport: Transport): Transport {
    return {
      preload: (url) => transport.preload(url),
      close: () => transport.close(),
      send: (request, signal) => this.#send(transport, request, signal),
    };
  }

  async #send(transport: Transport, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const known = this.#key;
    const key = await this.#findKey(transport, signal);
    if ('status' in key) return key;
    const answer = await transport.send(this.#withKey(request, key), signal);
    // The key was revoked, because its rule changed. Nothing was carried out.
    if (answer.status !== 401 || key !== known) return answer;
    this.#key = undefined;
    const renewed = await this.#findKey(transport, signal);
    return 'status' in renewed ? renewed : transport.send(this.#withKey(request, renewed), signal);
  }

  #withKey(request: HttpRequest, { text }: Key): HttpRequest {
    const { authenticationMethod } = this.#options;
    return { ...request, headers: { ...request.headers, authorization: authorization(authenticationMethod, text) } };
  }

  async #findKey(transport: Transport, signal: AbortSignal): Promise<Key | HttpResponse> {
    const { clock } = this.#options;
    if (this.#key !== undefined && clock.now() < this.#key.renewAt) return this.#key;
    // Requests at the same time share one login.
    this.#running ??= this.#exchange(transport, signal).finally(() => {
      this.#running = undefined;
    });
    const result = await this.#running;
    if (!('status' in result)) this.#key = result;
    return result;
  }

  /** @throws LoginError; TransportError if the answer is not the service's */
  async #exchange(transport: Transport, signal: AbortSignal): Promise<Key | HttpResponse> {
    const { baseUrl, org, clock, addSecret } = this.#options;
    const token = await this.#fetchToken(transport, signal);
    addSecret(token);
    const path = fillPath(logIn.path, { org });
    const url = new URL(baseUrl.href.replace(/\/$/u, '') + path);
    const headers = { accept: 'application/json', authorization: authorization('bearer', token) };
    const answer = await transport
      .send({ method: logIn.method, url, headers }, signal)
      .catch(rethrowAsUnsent('the login got no answer'));
    if (isTransientStatus(answer.status)) return answer;
    if (answer.status >= 300) throw toLoginError(answer, { origin: url.origin, path });
    const { problem } = readJsonBody(answer);
    if (problem !== undefined) {
      throw new TransportError('malformed', false, `the login returned ${answer.status} with ${problem}`);
    }
    const call = { endpoint: logIn, path, attempts: 1, answeredAt: clock.now() };
    const body = successBody(answer, call);
    const key = textAt(body, 'key') ?? '';
    addSecret(key);
    const lifetime = Number(valueAt(body, 'expires_at')) - Number(valueAt(body, 'created_at'));
    return { text: key, renewAt: clock.now() + lifetime * 1000 - margin };
  }

  /**
   * Asks GitHub for an identity token, through the action's own transport, with its proxies and time limits.
   *
   * @throws ExternalError if GitHub refuses; TransportError if it may work later
   */
  async #fetchToken(transport: Transport, signal: AbortSignal): Promise<string> {
    const { source, baseUrl } = this.#options;
    const url = new URL(source.url);
    url.searchParams.set('audience', toAudience(baseUrl));
    const headers = { accept: 'application/json', authorization: `Bearer ${source.token}` };
    const answer = await transport
      .send({ method: 'GET', url, headers }, signal)
      .catch(rethrowAsUnsent('GitHub gave no identity token', tokenRemedy));
    const what = `GitHub gave no identity token: it returned ${answer.status}`;
    if (isTransientStatus(answer.status)) throw new TransportError('interrupted', false, what, { remedy: tokenRemedy });
    const token = textAt(readJson(answer), 'value');
    if (answer.status !== 200 || token === undefined) {
      const remedy = 'Run the job again; if it keeps failing, see https://www.githubstatus.com, or set `api-token`.';
      throw new ExternalError({ what, remedy });
    }
    return token;
  }
}

/** Without a key, the request itself was not sent: it can be sent again, and nothing is on record. */
function rethrowAsUnsent(what: string, remedy?: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof TransportError)) throw thrown;
    throw new TransportError(thrown.problem, false, `${what}: ${thrown.message}`, { cause: thrown.cause, remedy });
  };
}

function readJson(answer: HttpResponse): unknown {
  const body = readJsonBody(answer);
  return body.problem === undefined ? body.value : undefined;
}

/** The audience of the token: the service's address without `/api/v2`. */
function toAudience(baseUrl: URL): string {
  return baseUrl.href.replace(/\/api\/v2\/*$/u, '');
}

function toLoginError(answer: HttpResponse, { origin, path }: { origin: string; path: string }): LoginError {
  const value = readJson(answer);
  const fields = fieldErrors(value);
  const texts = Object.entries(fields).map(([field, rule]) => `\n  ${field}: ${rule}`);
  const words = `${textAt(value, 'message') ?? 'no message'}${texts.join('')}`;
  const asked = `POST ${path} returned ${answer.status}: ${words}`;
  // The token is valid and no rule admits the run; or nothing about the organization is told to the sender.
  if (answer.status === 403 || (answer.status === 401 && textAt(fields, unknownSenderField) !== undefined)) {
    const what = `the service does not let this run log in: ${asked}`;
    const remedy =
      'Ask an admin of the organization for a login rule that admits this repository, ref and event (docs/login.md), or set `api-token`.';
    return new LoginError({ what, remedy }, true);
  }
  // A service without login may reject the token before it looks for the path.
  if (answer.status === 401 && words.includes('identity token')) {
    const what = `the service rejected the identity token of this run: ${asked}`;
    const remedy =
      "Set `base-url` to the service's own address (its `--public-url`), which the token is made for, and check the `issuer` and the organization of its login rules; or set `api-token`.";
    return new LoginError({ what, remedy }, false);
  }
  const what = `there is no \`api-token\`, and the service at ${origin} does not support login with identity tokens: ${asked}`;
  const remedy =
    'Set `api-token`, or update the service: only the service of this project supports login without a stored key.';
  return new LoginError({ what, remedy }, true);
}
