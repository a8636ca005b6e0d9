import { systemClock, type Clock } from '../../runtime/clock.ts';
import { describeError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { textAt, valueAt } from '../../runtime/values.ts';
import { version } from '../../runtime/version.ts';
import type { RepositoryName } from '../job.ts';
import { inTrouble, notSetUp, type Answer, type Miss } from './answer.ts';
import { authorLine, unixSeconds, wholeMessage, type CommitFacts } from './commit-facts.ts';
import { fullSha } from './ref.ts';

/** Where a pull request stands now. */
export interface PullRequestHead {
  readonly sha: string;
  readonly branch: string | undefined;
}

/** What GitHub's API is asked about commits. */
export interface GitHubCommits {
  /** The commit of a SHA, a tag or a branch; those of forks' pull requests can be read from the repository itself. */
  commit(revision: string): Promise<Answer<CommitFacts>>;
  /** The newest commit of a pull request. */
  pullRequestHead(number: number): Promise<Answer<PullRequestHead>>;
}

/** What it takes to ask GitHub's API. */
export interface GitHubAccess {
  readonly apiUrl: string;
  readonly repository: RepositoryName;
  readonly token: string;
  readonly log: Log;
  /** The most that one question may take, in milliseconds; 20 seconds where nothing is said. */
  readonly timeout?: number;
  readonly clock?: Clock;
  /** Ends everything, as when the job is cancelled. */
  readonly signal?: AbortSignal;
}

/** GitHub's API; nothing is loaded or sent before the first question. */
export function connectGitHub(access: GitHubAccess): GitHubCommits {
  const { owner, name } = access.repository;
  return {
    commit: (revision) =>
      // The answer's list of changed files is not needed, and can be long: one a page.
      ask(access, 'contents: read', commitFrom, 'GET /repos/{owner}/{repo}/commits/{ref}', {
        owner,
        repo: name,
        ref: revision,
        per_page: 1,
      }),
    pullRequestHead: (number) =>
      ask(access, 'pull-requests: read', headFrom, 'GET /repos/{owner}/{repo}/pulls/{number}', {
        owner,
        repo: name,
        number,
      }),
  };
}

type Parameters = Readonly<Record<string, string | number>>;

async function ask<Thing>(
  access: GitHubAccess,
  permission: string,
  read: (body: unknown) => Thing | undefined,
  route: string,
  parameters: Parameters,
): Promise<Answer<Thing>> {
  let body: unknown;
  try {
    body = await request(access, route, parameters);
  } catch (thrown) {
    access.signal?.throwIfAborted();
    return missFrom(thrown, permission);
  }
  const found = read(body);
  if (found !== undefined) return { found };
  return inTrouble(
    'it answered with something else than was asked for',
    `See that GITHUB_API_URL (${access.apiUrl}) is GitHub's API and no proxy answers in its place.`,
  );
}

/** The body of GitHub's answer. */
async function request(access: GitHubAccess, route: string, parameters: Parameters): Promise<unknown> {
  const { getOctokit } = await import('@actions/github');
  const { clock = systemClock, timeout = 20_000, log } = access;
  const deadline = new AbortController();
  const callOff = clock.after(timeout, () => {
    deadline.abort(new Error(`no answer within ${timeout / 1000} seconds`));
  });
  const signals = access.signal === undefined ? [deadline.signal] : [deadline.signal, access.signal];
  const note = (line: string): void => {
    log.debug(line);
  };
  // Octokit would write to the console.
  const quiet = { debug: note, info: note, warn: note, error: note };
  try {
    const octokit = getOctokit(access.token, {
      baseUrl: access.apiUrl,
      userAgent: `compliance-action/${version}`,
      log: quiet,
    });
    const settings = { signal: AbortSignal.any(signals), log: quiet };
    const response = await octokit.request(route, { ...parameters, request: settings });
    const body: unknown = response.data;
    // Octokit swallows what ends the reading of a body, and gives what it has.
    deadline.signal.throwIfAborted();
    return body;
  } finally {
    callOff();
  }
}

/** A miss in the words of GitHub. The token is not in them: Octokit's errors carry GitHub's message only. */
function missFrom(thrown: unknown, permission: string): { readonly miss: Miss } {
  const response = valueAt(thrown, 'response');
  // Octokit gives a connection that failed the status 500; only an answer has a response.
  if (response === undefined) return inTrouble(`it could not be reached: ${describeError(thrown)}`, tryAgain);
  const status = Number(valueAt(thrown, 'status'));
  // Octokit's message is the whole body where that is a page and not GitHub's JSON.
  const isGitHubs = textAt(response, 'data', 'message') !== undefined;
  const what = `it answered ${status}${isGitHubs ? `: ${describeError(thrown)}` : ' without a message in the form of GitHub'}`;
  if (status >= 500 || isRateLimit(status, valueAt(response, 'headers'))) return inTrouble(what, tryAgain);
  if (status === 401) return notSetUp(what, 'Give the step a `github-token` that is valid: `${{ github.token }}`.');
  return notSetUp(
    what,
    `See that the commit is in this repository and that the token may read it (\`permissions: { ${permission} }\`).`,
  );
}

const tryAgain = 'Run the job again, and see https://www.githubstatus.com if it keeps failing.';

/** GitHub's documentation, "Rate limits for the REST API": 429, or 403 with one of these headers. */
function isRateLimit(status: number, headers: unknown): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (textAt(headers, 'retry-after') !== undefined || valueAt(headers, 'x-ratelimit-remaining') === '0')
  );
}

function commitFrom(body: unknown): CommitFacts | undefined {
  const sha = fullSha(valueAt(body, 'sha'));
  const message = valueAt(body, 'commit', 'message');
  const timestamp = unixSeconds(textAt(body, 'commit', 'author', 'date') ?? '');
  if (sha === undefined || typeof message !== 'string' || timestamp === undefined) return undefined;
  const name = textAt(body, 'commit', 'author', 'name') ?? '';
  const email = textAt(body, 'commit', 'author', 'email') ?? '';
  return { sha, author: authorLine(name, email), message: wholeMessage(message), timestamp };
}

function headFrom(body: unknown): PullRequestHead | undefined {
  const sha = fullSha(valueAt(body, 'head', 'sha'));
  return sha === undefined ? undefined : { sha, branch: textAt(body, 'head', 'ref') };
}
