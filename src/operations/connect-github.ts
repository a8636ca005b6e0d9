import { connectGitHubApi, type GitHubApi } from '../evidence/github/github-api.ts';
import type { RepositoryName } from '../evidence/job.ts';
import { UserError } from '../runtime/failure.ts';
import type { OperationContext } from './operation.ts';

/** GitHub's API, for operations that can use it. */
export function connectGitHub(token: string, { job, call }: Pick<OperationContext, 'job' | 'call'>): GitHubApi {
  const { transport, log, clock, random, signal } = call;
  const access = { apiUrl: job.apiUrl, token, transport, log, clock, random };
  return connectGitHubApi(signal === undefined ? access : { ...access, signal });
}

/** What an operation reads from GitHub's API, for error messages. */
interface GitHubNeed {
  /** `the pull requests`. */
  readonly wanted: string;
  /** `contents: read, issues: read`. */
  readonly permissions: string;
  /** What can be done instead, as the end of a sentence. */
  readonly alternative?: string;
}

/**
 * GitHub's API and the job's repository, for operations that need them.
 *
 * @throws UserError if the step has no token or no repository
 */
export function requireGitHub(
  token: string | undefined,
  context: Pick<OperationContext, 'job' | 'call'>,
  { wanted, permissions, alternative }: GitHubNeed,
): { readonly api: GitHubApi; readonly repository: RepositoryName } {
  const { repository } = context.job;
  if (repository === undefined || token === undefined) {
    const otherwise = alternative === undefined ? '' : `; or ${alternative}`;
    throw new UserError({
      input: 'github-token',
      what: `${wanted} are read from GitHub's API, and the step has no token or no repository for it`,
      remedy: `Set \`github-token: \${{ github.token }}\`, and give the job \`permissions: { ${permissions} }\`${otherwise}.`,
    });
  }
  return { api: connectGitHub(token, context), repository };
}
