import type { GitHubAnswer, GitHubApi } from '../evidence/github/github-api.ts';
import type { RepositoryName } from '../evidence/job.ts';
import type { Ending } from './conclude.ts';
import { safeHref } from './escape.ts';

/** The states of a commit status (GitHub's documentation, "Create a commit status"). */
type StatusState = 'success' | 'failure' | 'error' | 'pending';

/** The status as GitHub takes it. */
export interface CommitStatus {
  readonly state: StatusState;
  /** One line of at most 140 characters. */
  readonly description: string;
  /** The page of the artifact, or else the run. */
  readonly targetUrl: string | undefined;
}

/** GitHub's limit, in characters. */
const longestDescription = 140;

/** The status that an ending is shown as; without secrets, since a status is public where the repository is. */
export function statusOf({ decision, result, runUrl }: Ending): CommitStatus {
  return {
    state: stateOf(decision),
    description: describe(decision.conclusion),
    targetUrl: safeHref(result?.htmlUrl) ?? safeHref(runUrl),
  };
}

/**
 * The verdict, whatever `on-non-compliant` makes of it for the step: a required status must not turn green because a step
 * was told to go on. What is not judged yet, in a step that goes on, is pending, which keeps a merge waiting as well.
 */
function stateOf({ outcome, fails }: Ending['decision']): StatusState {
  switch (outcome) {
    case 'compliant':
    case 'done':
      return 'success';
    case 'non-compliant':
      return 'failure';
    case 'incomplete':
    case 'skipped':
      return fails ? 'failure' : 'pending';
    case 'error':
      return 'error';
  }
}

/** One line that GitHub takes: it stores no characters beyond the Basic Multilingual Plane here. */
function describe(conclusion: string): string {
  const line = conclusion
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .trim();
  return line.length <= longestDescription ? line : `${line.slice(0, longestDescription - 1)}…`;
}

/** Sets a status on a commit. Another one of the same context replaces it, so asking twice does no harm. */
export function setStatus(
  { state, description, targetUrl }: CommitStatus,
  target: { readonly repository: RepositoryName; readonly sha: string; readonly context: string },
  api: GitHubApi,
): Promise<GitHubAnswer> {
  return api.ask({
    route: 'POST /repos/{owner}/{repo}/statuses/{sha}',
    parameters: {
      owner: target.repository.owner,
      repo: target.repository.name,
      sha: target.sha,
      state,
      context: target.context,
      description,
      ...(targetUrl === undefined ? {} : { target_url: targetUrl }),
    },
    repeatable: true,
  });
}
