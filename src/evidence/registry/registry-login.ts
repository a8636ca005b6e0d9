import type { HttpRequest, HttpResponse, RequestBody } from '../../http/transport.ts';
import { ExternalError } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import type { DockerCredentials } from './docker-credentials.ts';
import type { RegistryImage } from './image-name.ts';

/** What a registry asks for with a status 401 (RFC 9110, 11.6.1). */
export type Challenge = 'basic' | { readonly realm: URL; readonly service: string | undefined };

/**
 * Parses `WWW-Authenticate`. A token is preferred, because it opens one image only.
 *
 * @returns undefined if the registry asks for neither a token nor a password
 * @throws ExternalError if the address for tokens may not get credentials: it must be https, or be on the loopback like
 * the registry
 */
export function parseChallenge(header: string, image: RegistryImage): Challenge | undefined {
  const [, parameters] = /(?:^|,)\s*bearer\s+(.*)$/isu.exec(header) ?? [];
  if (parameters === undefined) return /(?:^|,)\s*basic(?:\s|$)/iu.test(header) ? 'basic' : undefined;
  const realm = URL.parse(readParameter(parameters, 'realm') ?? '');
  if (realm === null || !isTrustedUrl(realm, image) || realm.username !== '' || realm.password !== '') {
    throw new ExternalError({
      what: `the registry ${image.host} issues its tokens at an address that is not an https URL`,
      remedy: 'Correct the configuration of the registry, or give the image with its digest: `name@sha256:…`.',
    });
  }
  return { realm, service: readParameter(parameters, 'service') };
}

/** Whether a registry may send a client to this URL: https only, unless the registry itself is on the loopback. */
export function isTrustedUrl(url: URL, { origin }: RegistryImage): boolean {
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && origin.startsWith('http:') && url.hostname === new URL(origin).hostname;
}

function readParameter(parameters: string, name: string): string | undefined {
  const [, quoted, plain] = new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s,"]+))`, 'iu').exec(parameters) ?? [];
  return quoted ?? plain;
}

/** The value of `Authorization` for user name and password. */
export function basicAuthorization({ password: given }: DockerCredentials): string | undefined {
  if (given === undefined) return undefined;
  return `Basic ${Buffer.from(`${given.user}:${given.password}`, 'utf8').toString('base64')}`;
}

/**
 * The request for a token that may pull the image, and nothing else (OCI distribution, "Token Authentication"): with an
 * identity token by OAuth 2, else with user name and password, else anonymously.
 */
export function tokenRequest(
  { realm, service }: Exclude<Challenge, 'basic'>,
  { repository }: RegistryImage,
  credentials: DockerCredentials,
): HttpRequest {
  const query = new URLSearchParams({
    ...(service === undefined ? {} : { service }),
    scope: `repository:${repository}:pull`,
  });
  if (credentials.identityToken !== undefined) {
    query.set('grant_type', 'refresh_token');
    query.set('client_id', 'compliance-action');
    query.set('refresh_token', credentials.identityToken);
    return { method: 'POST', url: realm, headers: { accept: 'application/json' }, body: form(query) };
  }
  const url = new URL(realm);
  for (const [name, value] of query) url.searchParams.set(name, value);
  const authorization = basicAuthorization(credentials);
  return {
    method: 'GET',
    url,
    headers: { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) },
  };
}

function form(fields: URLSearchParams): RequestBody {
  const text = fields.toString();
  return { contentType: 'application/x-www-form-urlencoded', length: Buffer.byteLength(text), open: () => text };
}

/** The token in an answer; undefined if there is none that fits into a header. */
export function readToken({ text }: HttpResponse): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const token = textAt(answer, 'token') ?? textAt(answer, 'access_token');
    return token !== undefined && /^[\x21-\x7E]+$/u.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}
