import { isMapping, listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { Job } from '../job.ts';
import type { GitHubApi } from './github-api.ts';
import type { GitHubRefusal } from './github-refusal.ts';

/** The pull request that a job's event is about. */
type PullRequest =
  | { readonly number: number }
  /** `workflow_run` does not name pull requests from forks; its head identifies them. */
  | { readonly head: PullRequestHead }
  /** A clause that says why there is none, or not exactly one. */
  | { readonly none: string };

interface PullRequestHead {
  readonly owner: string;
  readonly branch: string;
  readonly sha: string;
}

/** The one pull request that the event is about. A merge group has none: it combines the changes of several. */
export function pullRequestFromEvent(job: Job): PullRequest {
  const { event, eventName = '(none)' } = job;
  const own = numberAt(event, 'pull_request');
  if (own !== undefined) return { number: own };
  const commented = isMapping(valueAt(event, 'issue', 'pull_request')) ? numberAt(event, 'issue') : undefined;
  if (commented !== undefined) return { number: commented };
  for (const source of ['workflow_run', 'check_suite', 'check_run']) {
    const run = valueAt(event, source);
    if (isMapping(run)) return pullRequestFromRun(run, event);
  }
  return { none: `the event ${eventName} is not about a pull request` };
}

function pullRequestFromRun(run: unknown, event: unknown): PullRequest {
  const repository = valueAt(event, 'repository', 'id');
  // GitHub also lists pull requests with the same commit in forks of the repository.
  const here = listAt(run, 'pull_requests').filter((one) => {
    const base = valueAt(one, 'base', 'repo', 'id');
    return base === undefined || repository === undefined || base === repository;
  });
  const [first, ...others] = here.flatMap((one) => parseNumber(valueAt(one, 'number')) ?? []);
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

type PullRequestOfCommit =
  { readonly number: number } | { readonly none: string } | { readonly refusal: GitHubRefusal };

/** Finds the one open pull request of the repository with this head. */
export async function findPullRequest(
  { owner, branch, sha }: PullRequestHead,
  api: GitHubApi,
): Promise<PullRequestOfCommit> {
  const answer = await api.ask({
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { state: 'open', head: `${owner}:${branch}`, per_page: 100 },
  });
  if ('refusal' in answer) return answer;
  const all: readonly unknown[] = Array.isArray(answer.body) ? answer.body : [];
  const here = all.filter((one) => fullSha(valueAt(one, 'head', 'sha')) === sha);
  const [number, ...others] = here.flatMap((one) => parseNumber(valueAt(one, 'number')) ?? []);
  const which = `whose head is ${owner}:${branch} at ${sha}`;
  if (number === undefined) return { none: `there is no open pull request ${which}` };
  return others.length === 0 ? { number } : { none: `there are several open pull requests ${which}` };
}

function numberAt(event: unknown, key: string): number | undefined {
  return parseNumber(valueAt(event, key, 'number'));
}

function parseNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
