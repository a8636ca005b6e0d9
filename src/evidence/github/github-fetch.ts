import type { HttpRequest, HttpResponse, Method, Transport } from '../../http/transport.ts';

/** The options that Octokit passes to `fetch`. */
interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A `fetch` for Octokit. */
export type GitHubFetch = (url: string, options: FetchOptions) => Promise<Response>;

/** Creates a `fetch` for Octokit that sends each request with the given function. */
export function createGitHubFetch(send: (request: HttpRequest) => Promise<HttpResponse>): GitHubFetch {
  return async (url, { method, headers, body }) => {
    const { status, headers: answered, text } = await send(toRequest(new URL(url), method, headers, body));
    return new Response(text === '' ? null : text, { status, headers: answered });
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
  if (method === undefined) throw new RangeError(`unsupported HTTP method for GitHub: ${name}`);
  return method;
}

/** GitHub redirects if a repository was renamed or moved (its documentation, "Follow redirects"). */
const maximumRedirects = 3;

/** Follows redirects, but only to the same origin: the token must not go anywhere else. */
export function followRedirects(transport: Transport): Transport {
  return {
    ...transport,
    async send(first, signal) {
      let request = first;
      for (let redirects = 0; ; redirects += 1) {
        const response = await transport.send(request, signal);
        const target = findRedirect(response, request);
        if (target === undefined || redirects === maximumRedirects) return response;
        request = { ...request, url: target };
      }
    },
  };
}

/** The target of a redirect; undefined if there is none, or if it would change the method or leave the origin. */
function findRedirect({ status, headers }: HttpResponse, { method, url }: HttpRequest): URL | undefined {
  const keepsMethod = status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302));
  const location = headers['location'];
  if (!keepsMethod || location === undefined || !URL.canParse(location, url.href)) return undefined;
  const target = new URL(location, url);
  return target.origin === url.origin ? target : undefined;
}
