import { sendWithRetry } from '../../http/send-with-retry.ts';
import type { Transport } from '../../http/transport.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { version } from '../../runtime/version.ts';
import type { RepositoryName } from '../job.ts';
import { createGitHubFetch, followRedirects, type GitHubFetch } from './github-fetch.ts';
import { type GitHubRefusal, retryReason, toGitHubRefusal } from './github-refusal.ts';

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
  readonly route: string;
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

/** The version of the API that this project was written for (GitHub's documentation, "API Versions"). */
const apiVersion = '2022-11-28';

/** Creates access to GitHub's API. Nothing is loaded or sent before the first request. */
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
  let attempts = 1;
  const fetch = createGitHubFetch(async (sent) => {
    const response = await sendWithRetry('GitHub', sent, context, (outcome) =>
      retryReason(outcome, repeatable, clock.now()),
    );
    attempts = response.attempts;
    return response.answer;
  });
  try {
    return { body: await send(access, request, fetch) };
  } catch (thrown) {
    access.signal?.throwIfAborted();
    return { refusal: toGitHubRefusal(thrown, attempts) };
  } finally {
    cancelTimeout();
  }
}

/** Sends a request and returns the body of the response. */
async function send(
  { apiUrl, token, repository, log }: GitHubAccess,
  request: GitHubApiRequest,
  fetch: GitHubFetch,
): Promise<unknown> {
  const { getOctokit } = await import('@actions/github');
  const note = (line: string): void => {
    log.debug(line);
  };
  // Octokit would write to the console.
  const silentLog = { debug: note, info: note, warn: note, error: note };
  const baseUrl = toBaseUrl(apiUrl, request.route);
  const octokit = getOctokit(token, { baseUrl, userAgent: `compliance-action/${version}`, log: silentLog });
  const response = await octokit.request(request.route, {
    ...(request.route.includes('{owner}') ? { owner: repository.owner, repo: repository.name } : {}),
    ...request.parameters,
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': apiVersion },
    request: { log: silentLog, fetch },
  });
  const body: unknown = response.data;
  return body;
}

/** The base URL of a route. GHES serves GraphQL beside its REST API (GitHub's documentation, "GraphQL API"). */
function toBaseUrl(apiUrl: string, route: string): string {
  return route.endsWith(' /graphql') ? apiUrl.replace(/\/v3$/u, '') : apiUrl;
}
