import { textAt, valueAt } from '../../runtime/values.ts';

/**
 * The branch that a pull request comes from, of a pull request as GitHub describes it in events and in the answers of its API.
 * A fork's has GitHub's own label (`forker:main`): its `main` is not the `main` that readers know.
 */
export function pullRequestBranch(pullRequest: unknown): string | undefined {
  const branch = textAt(pullRequest, 'head', 'ref');
  const source = valueAt(pullRequest, 'head', 'repo');
  // A deleted fork is null.
  const foreign = source === null || isFork(source, valueAt(pullRequest, 'base', 'repo'));
  return foreign ? (textAt(pullRequest, 'head', 'label') ?? branch) : branch;
}

/** The branch of a repository, by GitHub's names of both; as GitHub labels it where it is another one than `here`. */
export function labelledBranch(branch: string | undefined, source: unknown, here: unknown): string | undefined {
  const owner = textAt(source, 'owner', 'login');
  return branch !== undefined && owner !== undefined && isFork(source, here) ? `${owner}:${branch}` : branch;
}

/** Whether it is another repository; GitHub gives the names of both. */
function isFork(source: unknown, here: unknown): boolean {
  const [name, own] = [textAt(source, 'full_name'), textAt(here, 'full_name')];
  return name !== undefined && own !== undefined && name !== own;
}
