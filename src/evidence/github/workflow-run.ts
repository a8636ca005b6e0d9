import { isMapping, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { GitHubApi } from './github-api.ts';
import { type GitHubRefusal, unexpectedGitHubResponse } from './github-refusal.ts';

/** A workflow run, as GitHub's API describes it (its documentation, "Get a workflow run"). */
export interface WorkflowRun {
  readonly attempt: number;
  readonly eventName: string;
  readonly headSha: string;
  /** The branch or the tag of the run, without `refs/…`; undefined if GitHub names none. */
  readonly headBranch: string | undefined;
  /** `owner/name`. */
  readonly repository: string;
  /** The repository of the head commit; undefined if it was deleted. For a fork, it differs from `repository`. */
  readonly headRepository: string | undefined;
  /** The user who started the first attempt. */
  readonly actor: string | undefined;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
}

export async function fetchWorkflowRun(
  runId: string,
  api: GitHubApi,
): Promise<{ readonly run: WorkflowRun } | { readonly refusal: GitHubRefusal }> {
  const answer = await api.ask({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}',
    parameters: { run_id: runId },
  });
  if ('refusal' in answer) return answer;
  const run = parseRun(answer.body, runId);
  return run === undefined ? unexpectedGitHubResponse(answer.body, `the workflow run ${runId}`) : { run };
}

function parseRun(body: unknown, runId: string): WorkflowRun | undefined {
  const attempt = valueAt(body, 'run_attempt');
  const eventName = textAt(body, 'event');
  const headSha = textAt(body, 'head_sha');
  const repository = textAt(body, 'repository', 'full_name');
  const createdAt = Date.parse(textAt(body, 'created_at') ?? '');
  if (!isMapping(body) || String(body['id']) !== runId || typeof attempt !== 'number') return undefined;
  if (eventName === undefined || headSha === undefined || repository === undefined) return undefined;
  if (Number.isNaN(createdAt)) return undefined;
  const headRepository = textAt(body, 'head_repository', 'full_name');
  const headBranch = textAt(body, 'head_branch');
  const actor = textAt(body, 'actor', 'login');
  return { attempt, eventName, headSha, headBranch, repository, headRepository, actor, createdAt };
}
