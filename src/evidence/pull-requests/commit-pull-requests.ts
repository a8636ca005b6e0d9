import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { GitHubApi } from '../github/github-api.ts';
import { readWholeList } from '../github/github-lists.ts';
import type { RepositoryName } from '../job.ts';

/**
 * The pull requests of the repository that GitHub names for a commit.
 *
 * @throws UserError if the token may not read them; ExternalError if GitHub failed
 */
export async function listCommitPullRequests(sha: string, api: GitHubApi): Promise<readonly unknown[]> {
  const route = 'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls';
  const wanted = `the pull requests of commit ${sha}`;
  const listed = await readWholeList(api, route, { commit_sha: sha }, wanted);
  return listed.filter((pullRequest) => isInRepository(api.repository, pullRequest));
}

/** GitHub also lists pull requests with the same commit in forks of the repository. */
function isInRepository({ owner, name }: RepositoryName, pullRequest: unknown): boolean {
  const base = textAt(pullRequest, 'base', 'repo', 'full_name');
  return base === undefined || base.toLowerCase() === `${owner}/${name}`.toLowerCase();
}

export interface MergedPullRequest {
  readonly number: number;
  readonly url: string | undefined;
  /** Its newest commit when it was merged. */
  readonly headSha: string;
}

/** Those that were merged into this branch. Others brought the commit to another branch, under its rules. */
export function findMerged(pullRequests: readonly unknown[], branch: string): readonly MergedPullRequest[] {
  return pullRequests.flatMap((one) => {
    const number = valueAt(one, 'number');
    const headSha = fullSha(valueAt(one, 'head', 'sha'));
    const isMerged = textAt(one, 'merged_at') !== undefined && textAt(one, 'base', 'ref') === branch;
    if (!isMerged || typeof number !== 'number' || headSha === undefined) return [];
    return [{ number, url: textAt(one, 'html_url'), headSha }];
  });
}
