import type { Transport } from '../../http/transport.ts';
import { backoff } from '../../http/retry.ts';
import { sleep, systemClock, type Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { version } from '../../runtime/version.ts';
import { createGitHubFetch } from './github-fetch.ts';
import type { RepositoryName } from '../job.ts';
import { toGitHubRefusal, retryReason, type GitHubRefusal } from './github-refusal.ts';

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

const attempts = 3;

/** The version of the API that this project was written for (GitHub's documentation, "API Versions"). */
const apiVersion = '2022-11-28';

/** Creates access to GitHub's API. Nothing is loaded or sent before the first request. */
export function connectGitHubApi(access: GitHubAccess): GitHubApi {
  const { apiUrl, repository } = access;
  return { apiUrl, repository, ask: (request) => ask(access, request) };
}

async function ask(access: GitHubAccess, request: GitHubApiRequest): Promise<GitHubApiResult> {
  const { clock = systemClock, timeout = 20_000 } = access;
  const deadline = new AbortController();
  const end = clock.now() + timeout;
  const cancelTimeout = clock.after(timeout, () => {
    deadline.abort(new Error(`no answer within ${timeout / 1000} seconds`));
  });
  const signal = access.signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, access.signal]);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await askOnce(access, request, signal);
      if ('body' in answer) return answer;
      access.signal?.throwIfAborted();
      const delay = deadline.signal.aborted
        ? undefined
        : nextDelay(answer, attempt, { ...access, clock, end }, request);
      if (delay === undefined) return refused(answer.thrown, attempt);
      await sleep(clock, delay, access.signal);
    }
  } finally {
    cancelTimeout();
  }
}

interface FailedAttempt {
  readonly thrown: unknown;
}

async function askOnce(
  access: GitHubAccess,
  request: GitHubApiRequest,
  signal: AbortSignal,
): Promise<{ readonly body: unknown } | FailedAttempt> {
  try {
    return { body: await send(access, request, signal) };
  } catch (thrown) {
    return { thrown };
  }
}

/** The wait before the next attempt, in milliseconds; undefined if there is none. `end` ends the time limit. */
function nextDelay(
  { thrown }: FailedAttempt,
  attempt: number,
  { clock, end, log, random = Math.random }: GitHubAccess & { readonly clock: Clock; readonly end: number },
  { route, repeatable = !route.startsWith('POST ') }: GitHubApiRequest,
): number | undefined {
  const again = attempt < attempts ? retryReason(thrown, repeatable, clock.now()) : undefined;
  if (again === undefined) return undefined;
  const delay = again.retryAfter ?? backoff(attempt, random());
  if (clock.now() + delay >= end) return undefined;
  log.info(`GitHub: attempt ${attempt} of ${attempts}: ${again.reason}; trying again in ${delay / 1000} s`);
  return delay;
}

/** Sends one request and returns the body of the response. */
async function send(
  { apiUrl, token, repository, transport, log }: GitHubAccess,
  request: GitHubApiRequest,
  signal: AbortSignal,
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
    request: { signal, log: silentLog, fetch: createGitHubFetch(transport) },
  });
  const body: unknown = response.data;
  return body;
}

/** The base URL of a route. GHES serves GraphQL beside its REST API (GitHub's documentation, "GraphQL API"). */
function toBaseUrl(apiUrl: string, route: string): string {
  return route.endsWith(' /graphql') ? apiUrl.replace(/\/v3$/u, '') : apiUrl;
}

function refused(thrown: unknown, attempt: number): { readonly refusal: GitHubRefusal } {
  const refusal = toGitHubRefusal(thrown);
  return { refusal: attempt === 1 ? refusal : { ...refusal, what: `${refusal.what} (after ${attempt} attempts)` } };
}
