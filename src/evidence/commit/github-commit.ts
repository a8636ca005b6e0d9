import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { GitHubApi, GitHubApiRequest } from '../github/github-api.ts';
import { type GitHubRefusal, retryRemedy } from '../github/github-refusal.ts';
import { pullRequestBranch } from './branch.ts';
import { authorLine, type CommitFacts, parseTimestamp, wholeMessage } from './commit-facts.ts';
import { externalMiss, type SourceMiss, type SourceResult, userMiss } from './source-result.ts';

export interface PullRequestHead {
  readonly sha: string;
  /** With the owner if it is the branch of a fork: `forker:main`. */
  readonly branch: string | undefined;
}

export interface GitHubCommits {
  /** The commit for a SHA, tag or branch. Commits in pull requests from forks are in the repository itself, too. */
  commit(revision: string): Promise<SourceResult<CommitFacts>>;
  pullRequestHead(number: number): Promise<SourceResult<PullRequestHead>>;
}

export function createGitHubCommits(api: GitHubApi): GitHubCommits {
  return {
    commit: (revision) =>
      // The response's list of changed files is not needed and can be long, so it is limited to one per page.
      read(api, 'contents: read', parseCommit, 'GET /repos/{owner}/{repo}/commits/{ref}', {
        ref: revision,
        per_page: 1,
      }),
    pullRequestHead: (number) =>
      read(api, 'pull-requests: read', parseHead, 'GET /repos/{owner}/{repo}/pulls/{number}', { number }),
  };
}

async function read<Thing>(
  api: GitHubApi,
  permission: string,
  parse: (body: unknown) => Thing | undefined,
  route: string,
  parameters: GitHubApiRequest['parameters'],
): Promise<SourceResult<Thing>> {
  const answer = await api.ask({ route, parameters });
  if ('refusal' in answer) return toMiss(answer.refusal, permission);
  const found = parse(answer.body);
  if (found !== undefined) return { found };
  return externalMiss(
    'its response does not have the expected form',
    `Check that GITHUB_API_URL (${api.apiUrl}) is GitHub's API, and that no proxy responds in its place.`,
  );
}

/**
 * Why GitHub did not return something, and the remedy.
 *
 * @param permission what the token may lack: `contents: read`
 */
export function toMiss(refusal: GitHubRefusal, permission: string): { readonly miss: SourceMiss } {
  const { reason, what } = refusal;
  switch (reason) {
    case 'external':
      return externalMiss(what, retryRemedy(refusal));
    case 'token':
      return userMiss(what, 'Set `github-token` to a valid token: `${{ github.token }}`.');
    case 'permission':
    case 'locked':
    case 'other':
      return userMiss(
        what,
        `Check that it is in this repository and that the token may read it (\`permissions: { ${permission} }\`).`,
      );
  }
}

function parseCommit(body: unknown): CommitFacts | undefined {
  const sha = fullSha(valueAt(body, 'sha'));
  const message = valueAt(body, 'commit', 'message');
  const timestamp = parseTimestamp(textAt(body, 'commit', 'author', 'date') ?? '');
  const committerTimestamp = parseTimestamp(textAt(body, 'commit', 'committer', 'date') ?? '');
  if (sha === undefined || typeof message !== 'string') return undefined;
  const name = textAt(body, 'commit', 'author', 'name') ?? '';
  const email = textAt(body, 'commit', 'author', 'email') ?? '';
  return { sha, author: authorLine(name, email), message: wholeMessage(message), timestamp, committerTimestamp };
}

function parseHead(body: unknown): PullRequestHead | undefined {
  const sha = fullSha(valueAt(body, 'head', 'sha'));
  return sha === undefined ? undefined : { sha, branch: pullRequestBranch(body) };
}
