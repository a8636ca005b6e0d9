import type { TransportError, TransportProblem } from '../../../http/transport.ts';
import { errorCode, ExternalError, type Failure, type Problem, UserError } from '../../../runtime/failure.ts';
import { buildUrl, type ServerAddress, serverName } from './server-address.ts';
import type { TokenKind } from './sonar-token.ts';

export interface SonarCall {
  readonly url: URL;
  readonly address: ServerAddress;
  /** The permission on the project that the request needs, as Sonar's administration calls it. */
  readonly permission: 'Browse' | 'Execute Analysis';
  readonly token: TokenKind;
}

/**
 * The failure for a response with an error status.
 *
 * @param message Sonar's message, or a description of the body
 * @param isSonarError whether the message is in the format of Sonar's own errors
 */
export function toStatusFailure(call: SonarCall, status: number, message: string, isSonarError: boolean): Failure {
  if (status === 404 && !isSonarError) return createNoWebApiError(call, message);
  const cause = isForeignToken(call, status)
    ? '; `sonar-token` is the analysis token of another project, or of an owner who may not analyse this one'
    : '';
  const what = `Sonar answered GET ${displayUrl(call.url)} with ${status}: ${message}${cause}`;
  const problem = remedyFor(call, status);
  return status >= 400 && status < 500 && status !== 408 && status !== 429
    ? new UserError({ what, ...problem })
    : new ExternalError({ what, remedy: problem.remedy });
}

/** There is no Sonar server at the address, most likely because the context path is missing. */
function createNoWebApiError({ url, address }: SonarCall, answer: string): UserError {
  return new UserError({
    input: 'sonar-host-url',
    what: `there is no Sonar web API at ${serverName(address.url)}: GET ${displayUrl(url)} was answered with 404 and ${answer}`,
    remedy: `${contextPathRemedy(address)} Check the host and the port, too.`,
  });
}

function contextPathRemedy({ url, namedBy }: ServerAddress): string {
  if (namedBy === 'report') {
    return `The address comes from the scan: set \`sonar-host-url\` to the address of the Sonar server, with its context path if it has one (${url.origin}/sonarqube).`;
  }
  return url.pathname === '/'
    ? `Add the server's context path to \`sonar-host-url\` (${url.origin}/sonarqube): its web pages have the same one.`
    : `Correct the context path ${url.pathname} in \`sonar-host-url\`, or leave it out if the server has none.`;
}

function remedyFor(call: SonarCall, status: number): Pick<Problem, 'input' | 'remedy'> {
  const { address } = call;
  if (status === 401 || status === 403) return { input: 'sonar-token', remedy: tokenRemedy(call, status) };
  if (status === 429) return { remedy: 'Try again later: the Sonar server limits the number of requests.' };
  if (status === 408 || status >= 500) {
    return { remedy: 'Try again later; if the error persists, ask the administrators of the Sonar server.' };
  }
  return {
    input: 'sonar-host-url',
    remedy: `Check that ${addressSource(address)} (${displayUrl(address.url)}) is the Sonar server of this scan, with its context path if it has one (https://host/sonarqube), and that it has the project and the branch.`,
  };
}

/** Sonar answers a project's token about another project like a token without permission. */
function isForeignToken({ token }: SonarCall, status: number): boolean {
  return status === 403 && token === 'project';
}

function tokenRemedy(call: SonarCall, status: number): string {
  const { token, permission } = call;
  const also = permission === 'Browse' ? '' : ' ("Browse" alone is not enough)';
  if (isForeignToken(call, status)) {
    return `Use the analysis token of this project, or a user token whose owner has the permission "${permission}" on it${also}.`;
  }
  if (token === 'none') {
    return `Set \`sonar-token\` to a token whose owner has the permission "${permission}" on the project${also}.`;
  }
  return status === 401
    ? 'Check that `sonar-token` is a token of this Sonar server: it may be mistyped, expired or revoked.'
    : `Give the owner of \`sonar-token\` the permission "${permission}" on the project${also}.`;
}

/** The failure for a server that is still starting and does not have its endpoints yet. */
export function createStartingError({ url, address }: SonarCall): ExternalError {
  return new ExternalError({
    what: `Sonar is still starting: it answered GET ${displayUrl(url)} with 404: Unknown url`,
    remedy: `If it does not start, see its log, and ${displayUrl(buildUrl(address.url, 'setup'))} if the database has to be upgraded; if it is already running, check that ${addressSource(address)} (${displayUrl(address.url)}) has its context path.`,
  });
}

export function createNoResponseError(call: SonarCall, error: TransportError): Failure {
  if (call.url.protocol === 'https:' && isPlainHttp(error)) return createPlainHttpError(call, error);
  return new ExternalError({
    what: `no answer from Sonar to GET ${displayUrl(call.url)}: ${error.message}`,
    remedy: transportRemedy(error.problem, call.address),
    cause: error,
  });
}

/** OpenSSL's codes for a response that is not TLS: it reads the text `HTTP` as the version or length of a record. */
function isPlainHttp({ cause }: TransportError): boolean {
  const code = errorCode(cause) ?? '';
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

function createPlainHttpError({ url, address }: SonarCall, error: TransportError): UserError {
  return new UserError({
    input: 'sonar-host-url',
    what: `${url.origin} responds with plain http, not https (${errorCode(error.cause) ?? ''})`,
    remedy: `Set \`sonar-host-url\` to http://${url.host}${address.url.pathname === '/' ? '' : address.url.pathname}, or to the https port of the server.`,
    cause: error,
  });
}

function transportRemedy(problem: TransportProblem, address: ServerAddress): string {
  switch (problem) {
    case 'unreachable':
    case 'timeout':
      return address.namedBy === 'report'
        ? 'The address comes from the scan and may be valid only in the network of the scanner: set `sonar-host-url` to an address of the Sonar server that this runner can reach. If the runner uses a proxy, check HTTPS_PROXY and NO_PROXY.'
        : 'Check `sonar-host-url`, and that this runner can reach the host (network, DNS). If the runner uses a proxy, check HTTPS_PROXY and NO_PROXY.';
    case 'untrusted':
      return "Check the address; if the server's certificate comes from a private authority, set NODE_EXTRA_CA_CERTS to its PEM file in the `env` of the job.";
    case 'interrupted':
      return 'Try again; if the error persists, look for a proxy or load balancer that cuts connections.';
    case 'malformed':
      return 'Check that the address has the right protocol and port, and is that of a Sonar server.';
  }
}

/** The failure for a success response that is not as Sonar documents it. */
export function unexpectedSonarResponse(call: Pick<SonarCall, 'url' | 'address'>, what: string): ExternalError {
  return new ExternalError({
    what: `Sonar answered GET ${displayUrl(call.url)} with ${what}`,
    remedy: `Check that no proxy or login page responds in place of Sonar at ${addressSource(call.address)} (${displayUrl(call.address.url)}). ${contextPathRemedy(call.address)}`,
  });
}

/** The failure for a redirect to another origin, to which the token must not be sent. */
export function createRedirectError(call: SonarCall, target: URL): ExternalError {
  const sameHost = target.hostname === call.url.hostname && target.protocol === 'https:';
  return new ExternalError({
    what: `Sonar redirected GET ${displayUrl(call.url)} to ${target.origin}, which is another origin; the redirect was not followed, so that no token goes there`,
    remedy: sameHost
      ? `Set \`sonar-host-url\` to the server's https URL, ${target.origin}${call.address.url.pathname === '/' ? '' : call.address.url.pathname}.`
      : "If that is a login page (single sign-on in front of Sonar), exempt the runner's requests to the web API from it; if Sonar has moved, set `sonar-host-url` to its new address.",
  });
}

function addressSource(address: ServerAddress): string {
  return address.namedBy === 'input' ? '`sonar-host-url`' : 'the address that the scan names';
}

/** A URL without credentials; Sonar's own queries contain only ids and keys. */
function displayUrl(url: URL): string {
  return `${url.origin}${url.pathname === '/' ? '' : url.pathname}${url.search}`;
}
