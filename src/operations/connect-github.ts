import { connectGitHubApi, type GitHubApi } from '../evidence/github/github-api.ts';
import { UserError } from '../runtime/failure.ts';
import type { OperationContext } from './operation.ts';

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
 * GitHub's API, for operations that need it.
 *
 * @throws UserError if the step has no token or no repository
 */
export function requireGitHub(
  token: string | undefined,
  { job, call }: Pick<OperationContext, 'job' | 'call'>,
  { wanted, permissions, alternative }: GitHubNeed,
): GitHubApi {
  const { apiUrl, repository } = job;
  if (repository === undefined || token === undefined) {
    const otherwise = alternative === undefined ? '' : `; or ${alternative}`;
    throw new UserError({
      input: 'github-token',
      what: `${wanted} are read from GitHub's API, and the step has no token or no repository for it`,
      remedy: `Set \`github-token: \${{ github.token }}\`, and give the job \`permissions: { ${permissions} }\`${otherwise}.`,
    });
  }
  return connectGitHubApi({ ...call, apiUrl, token, repository });
}
