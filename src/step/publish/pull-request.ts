import type { GitHubApi } from '../../evidence/github/github-api.ts';
import type { GitHubRefusal } from '../../evidence/github/github-refusal.ts';
import { fullSha } from '../../evidence/git/git-ref.ts';
import type { Job, RepositoryName } from '../../evidence/job.ts';
import { isMapping, listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';

/** The pull request that a job's event is about. */
type PullRequest =
  | { readonly number: number }
  /** GitHub names no pull request of a fork in `workflow_run`; its head tells which it is. */
  | { readonly head: PullRequestHead }
  /** A clause that says why it is about none, or not about exactly one. */
  | { readonly none: string };

interface PullRequestHead {
  readonly owner: string;
  readonly branch: string;
  readonly sha: string;
}

/**
 * The one pull request that the event is about. A merge group is about none: it holds the changes of several, and is judged
 * after their conversations.
 */
export function pullRequestOf(job: Job): PullRequest {
  const { event, eventName = '(none)' } = job;
  const own = numberAt(event, 'pull_request');
  if (own !== undefined) return { number: own };
  const commented = isMapping(valueAt(event, 'issue', 'pull_request')) ? numberAt(event, 'issue') : undefined;
  if (commented !== undefined) return { number: commented };
  for (const source of ['workflow_run', 'check_suite', 'check_run']) {
    const run = valueAt(event, source);
    if (isMapping(run)) return pullRequestOfRun(run, event);
  }
  return { none: `the event ${eventName} is not about a pull request` };
}

function pullRequestOfRun(run: unknown, event: unknown): PullRequest {
  const repository = valueAt(event, 'repository', 'id');
  // GitHub also lists the pull requests that a fork of the repository has with the same commit.
  const here = listAt(run, 'pull_requests').filter((one) => {
    const base = valueAt(one, 'base', 'repo', 'id');
    return base === undefined || repository === undefined || base === repository;
  });
  const [first, ...others] = here.flatMap((one) => numberOf(valueAt(one, 'number')) ?? []);
  if (others.length > 0) return { none: 'the event is about several pull requests' };
  if (first !== undefined) return { number: first };
  const owner = textAt(run, 'head_repository', 'owner', 'login');
  const branch = textAt(run, 'head_branch');
  const sha = fullSha(valueAt(run, 'head_sha'));
  const ofPullRequest = textAt(run, 'event')?.startsWith('pull_request') === true;
  if (ofPullRequest && owner !== undefined && branch !== undefined && sha !== undefined) {
    return { head: { owner, branch, sha } };
  }
  return { none: 'the event names no pull request' };
}

/** What came of looking for a pull request. */
type FoundPullRequest = { readonly number: number } | { readonly none: string } | { readonly refusal: GitHubRefusal };

/** The one open pull request of the repository that has this head. */
export async function findPullRequest(
  { owner: headOwner, branch, sha }: PullRequestHead,
  api: GitHubApi,
  { owner, name }: RepositoryName,
): Promise<FoundPullRequest> {
  const answer = await api.ask({
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { owner, repo: name, state: 'open', head: `${headOwner}:${branch}`, per_page: 100 },
    repeatable: true,
  });
  if ('refusal' in answer) return answer;
  const all: readonly unknown[] = Array.isArray(answer.body) ? answer.body : [];
  const here = all.filter((one) => fullSha(valueAt(one, 'head', 'sha')) === sha);
  const [number, ...others] = here.flatMap((one) => numberOf(valueAt(one, 'number')) ?? []);
  const which = `whose head is ${headOwner}:${branch} at ${sha}`;
  if (number === undefined) return { none: `there is no open pull request ${which}` };
  return others.length === 0 ? { number } : { none: `there are several open pull requests ${which}` };
}

function numberAt(event: unknown, key: string): number | undefined {
  return numberOf(valueAt(event, key, 'number'));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
