import type { HttpAnswer, HttpRequest, Method, Transport } from '../../http/transport.ts';

/** What Octokit gives to the `fetch` that it is told to use. */
interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A `fetch` for Octokit. */
type GitHubFetch = (url: string, options: FetchOptions) => Promise<Response>;

/** GitHub answers a redirect where a repository was renamed or moved (its documentation, "Follow redirects"). */
const maximumRedirects = 3;

/**
 * Sends Octokit's requests by the same way as all others, so that proxies, certificates and connections are the same for
 * GitHub as for the service. Redirects are followed within GitHub only: the token must go nowhere else.
 *
 * @throws TransportError if no whole answer came; the signal's reason where that was aborted
 */
export function createGitHubFetch(transport: Transport): GitHubFetch {
  return async (url, { method, headers, body, signal = new AbortController().signal }) => {
    let request = toRequest(new URL(url), method, headers, body);
    for (let redirects = 0; ; redirects += 1) {
      const response = await transport.send(request, signal);
      const target = findRedirect(response, request);
      if (target === undefined || redirects === maximumRedirects) return toResponse(response);
      request = { ...request, url: target };
    }
  };
}

function toRequest(
  url: URL,
  method: string,
  { 'content-type': contentType = 'application/json; charset=utf-8', ...headers }: FetchOptions['headers'],
  body: string | undefined,
): HttpRequest {
  const request = { method: toMethod(method), url, headers };
  if (body === undefined) return request;
  const bytes = Buffer.from(body, 'utf8');
  return { ...request, body: { contentType, length: bytes.length, open: () => bytes } };
}

const methods: readonly Method[] = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];

function toMethod(name: string): Method {
  const method = methods.find((known) => known === name);
  if (method === undefined) throw new RangeError(`GitHub is not asked with ${name}`);
  return method;
}

/** Where an answer sends the same request; undefined if it is no redirect, or one that would change or betray it. */
function findRedirect({ status, headers }: HttpAnswer, { method, url }: HttpRequest): URL | undefined {
  const keepsMethod = status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302));
  const location = headers['location'];
  if (!keepsMethod || location === undefined || !URL.canParse(location, url.href)) return undefined;
  const target = new URL(location, url);
  return target.origin === url.origin ? target : undefined;
}

function toResponse({ status, headers, text }: HttpAnswer): Response {
  return new Response(text === '' ? null : text, { status, headers });
}
