import { createJsonBody, readJsonBody } from '../../http/json-body.ts';
import { sendWithRetry } from '../../http/send-with-retry.ts';
import {
  TransportError,
  type HttpRequest,
  type HttpResponse,
  type Method,
  type Transport,
} from '../../http/transport.ts';
import { systemClock, type Clock } from '../../runtime/clock.ts';
import { describeError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { version } from '../../runtime/version.ts';
import type { RepositoryName } from '../job.ts';
import { retryReason, toGitHubRefusal, type GitHubRefusal } from './github-refusal.ts';

export interface GitHubAccess {
  /** The base URL, without a slash at the end. */
  readonly apiUrl: string;
  readonly token: string;
  /** The repository of all routes that name none in their parameters. */
  readonly repository: RepositoryName;
  readonly transport: Transport;
  readonly log: Log;
  /** The time limit of a request in milliseconds, including retries and waits; 20 seconds by default. */
  readonly timeout?: number;
  readonly clock?: Clock;
  /** Returns a number from 0 up to, but not including, 1, for the waits between attempts. */
  readonly random?: () => number;
  /** Aborts all requests, for example if the job is cancelled. */
  readonly signal?: AbortSignal | undefined;
}

export interface GitHubApiRequest {
  /** The method and the path with its parameters, as GitHub's documentation writes it: `GET /repos/{owner}/{repo}`. */
  readonly route: `${Method} /${string}`;
  /** The values of the path parameters. All others become the query of a GET, or the JSON body of any other method. */
  readonly parameters: Readonly<Record<string, string | number>>;
  /** Whether it may be sent again although it may have reached GitHub. Default: true, but false for a POST. */
  readonly repeatable?: boolean;
}

/** The result of a request to GitHub's API: the body of a success, or why there is none. */
export type GitHubApiResult = { readonly body: unknown } | { readonly refusal: GitHubRefusal };

/** GitHub's API, accessed with one token. */
export interface GitHubApi extends Pick<GitHubAccess, 'apiUrl' | 'repository'> {
  /**
   * Sends a request, and retries it if that is safe and may help.
   *
   * @throws only the reason of the access's signal, if it is aborted
   */
  ask(request: GitHubApiRequest): Promise<GitHubApiResult>;
}

/** How many times a request is sent again. */
const retries = 2;

/** GitHub redirects if a repository was renamed or moved (its documentation, "Follow redirects"). */
const maximumRedirects = 3;

/** The version of the API that this project was written for (GitHub's documentation, "API Versions"). */
const apiVersion = '2022-11-28';

/** Creates access to GitHub's API. Nothing is sent before the first request. */
export function connectGitHubApi(access: GitHubAccess): GitHubApi {
  const { apiUrl, repository } = access;
  return { apiUrl, repository, ask: (request) => ask(access, request) };
}

async function ask(access: GitHubAccess, request: GitHubApiRequest): Promise<GitHubApiResult> {
  const { clock = systemClock, random = Math.random, timeout = 20_000, log } = access;
  const { repeatable = !request.route.startsWith('POST ') } = request;
  const deadline = new AbortController();
  const retryPolicy = { requestTimeout: timeout, retries, until: clock.now() + timeout };
  const cancelTimeout = clock.after(timeout, () => {
    deadline.abort(new Error(`no answer within ${timeout / 1000} seconds`));
  });
  const signal = access.signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, access.signal]);
  const context = { transport: followRedirects(access.transport), retryPolicy, clock, random, log, signal };
  try {
    const { answer, attempts } = await sendWithRetry('GitHub', toHttpRequest(access, request), context, (outcome) =>
      retryReason(outcome, repeatable, clock.now()),
    );
    const parsed = readJsonBody(answer);
    const body = parsed.problem === undefined ? parsed.value : undefined;
    return answer.status < 400 ? { body } : { refusal: toGitHubRefusal(answer, body, attempts) };
  } catch (thrown) {
    access.signal?.throwIfAborted();
    if (!(thrown instanceof TransportError) && !deadline.signal.aborted) throw thrown;
    const what = `it could not be reached: ${describeError(thrown)}`;
    return { refusal: { reason: 'external', status: undefined, what } };
  } finally {
    cancelTimeout();
  }
}

function toHttpRequest(
  { apiUrl, token, repository }: GitHubAccess,
  { route, parameters }: GitHubApiRequest,
): HttpRequest {
  // TypeScript does not know the types of the parts of `route`.
  const [method, template = ''] = route.split(' ') as [Method, string?];
  const values: GitHubApiRequest['parameters'] = { owner: repository.owner, repo: repository.name, ...parameters };
  const path = template.replaceAll(/\{(\w+)\}/gu, (_braces, name: string) => encodeURIComponent(values[name] ?? ''));
  const others = Object.entries(parameters).filter(([name]) => !template.includes(`{${name}}`));
  const url = new URL(baseUrl(apiUrl, path) + path);
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `token ${token}`,
    'user-agent': `compliance-action/${version}`,
    'x-github-api-version': apiVersion,
  };
  if (method !== 'GET' && others.length > 0) {
    return { method, url, headers, body: createJsonBody(Object.fromEntries(others)) };
  }
  for (const [name, value] of others) url.searchParams.append(name, String(value));
  return { method, url, headers };
}

/** The base URL of a path. GHES serves GraphQL beside its REST API (GitHub's documentation, "GraphQL API"). */
function baseUrl(apiUrl: string, path: string): string {
  return path === '/graphql' ? apiUrl.replace(/\/v3$/u, '') : apiUrl;
}

/** Follows redirects, but only to the same origin: the token must not go anywhere else. */
function followRedirects(transport: Transport): Transport {
  return {
    ...transport,
    async send(first, signal) {
      let request = first;
      for (let redirects = 0; ; redirects += 1) {
        const answer = await transport.send(request, signal);
        const target = findRedirect(answer, request);
        if (target === undefined || redirects === maximumRedirects) return answer;
        request = { ...request, url: target };
      }
    },
  };
}

/** The target of a redirect; undefined if there is none, or if it would change the method or leave the origin. */
function findRedirect({ status, headers }: HttpResponse, { method, url }: HttpRequest): URL | undefined {
  const keepsMethod = status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302));
  const target = keepsMethod ? URL.parse(headers['location'] ?? '', url.href) : null;
  return target?.origin === url.origin && headers['location'] !== undefined ? target : undefined;
}
