import { textAt, valueAt } from '../../runtime/untrusted-data.ts';

/** What the event says about the branch. */
export interface BranchHint {
  /** The branch that the event names. */
  readonly named?: string | undefined;
  /** If none is named: the likely branches, best first. Each counts only if git finds the commit on it. */
  readonly likely?: readonly (string | undefined)[];
  /** What to record if no branch is found: the tag's name, as GitHub does in `GITHUB_REF_NAME`. */
  readonly fallback?: string | undefined;
}

/**
 * The branch that a pull request comes from, of a pull request as GitHub describes it in events and in the answers of its API.
 * A fork's has GitHub's own label (`forker:main`): its `main` is not the `main` that readers know. If the fork is gone and
 * nothing says whose it was, there is none.
 */
export function pullRequestBranch(pullRequest: unknown): string | undefined {
  const branch = textAt(pullRequest, 'head', 'ref');
  const source = valueAt(pullRequest, 'head', 'repo');
  if (source === null) return deletedForkBranch(pullRequest);
  const isForeign = isFork(source, valueAt(pullRequest, 'base', 'repo'));
  return isForeign ? (textAt(pullRequest, 'head', 'label') ?? branch) : branch;
}

/**
 * GitHub gives null for the repository of a deleted fork. Its owner can be one who owns the base repository, too; then the
 * label would read like a branch of that.
 */
function deletedForkBranch(pullRequest: unknown): string | undefined {
  const branch = textAt(pullRequest, 'head', 'ref');
  const owner = textAt(pullRequest, 'head', 'user', 'login');
  const label =
    textAt(pullRequest, 'head', 'label') ??
    (owner === undefined || branch === undefined ? undefined : `${owner}:${branch}`);
  const baseOwner =
    textAt(pullRequest, 'base', 'repo', 'owner', 'login') ?? textAt(pullRequest, 'base', 'user', 'login');
  const isForeign = label?.includes(':') === true && label.split(':')[0] !== baseOwner;
  return isForeign ? label : undefined;
}

/**
 * The branch of a repository, by GitHub's names of both; as GitHub labels it if it is another one than `base`. None of a
 * fork that is gone (null): nothing says whose it was.
 */
export function labelledBranch(branch: string | undefined, source: unknown, base: unknown): string | undefined {
  if (source === null) return undefined;
  const owner = textAt(source, 'owner', 'login');
  return branch !== undefined && owner !== undefined && isFork(source, base) ? `${owner}:${branch}` : branch;
}

/** Whether it is another repository; GitHub gives the names of both. */
function isFork(source: unknown, base: unknown): boolean {
  const [name, baseName] = [textAt(source, 'full_name'), textAt(base, 'full_name')];
  return name !== undefined && baseName !== undefined && name !== baseName;
}

/**
 * Chooses the branch of a commit if the event names none: a likely branch that contains the commit; else the only branch
 * that contains it, because choosing among several would be a guess; else the tag, if any.
 *
 * @param holding the branches that contain the commit
 */
export function probableBranch(hint: BranchHint, containing: readonly string[]): string | undefined {
  const expected = hint.likely?.find((name) => name !== undefined && containing.includes(name));
  const only = containing.length === 1 ? containing[0] : undefined;
  return expected ?? only ?? hint.fallback;
}
