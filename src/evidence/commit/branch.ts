import { textAt, valueAt } from '../../runtime/untrusted-data.ts';

/** What the event says about the branch. */
export interface BranchHint {
  readonly named?: string | undefined;
  /** If none is named: the likely branches, best first. Each counts only if git finds the commit on it. */
  readonly likely?: readonly (string | undefined)[];
  /** What to record if no branch is found: the tag's name, as GitHub does in `GITHUB_REF_NAME`. */
  readonly fallback?: string | undefined;
}

/**
 * The source branch of a pull request as GitHub describes it in events and API responses. The branch of a fork gets
 * GitHub's label (`forker:main`), because its `main` is not the `main` that readers know. Undefined if the fork was
 * deleted and its owner is unknown.
 */
export function pullRequestBranch(pullRequest: unknown): string | undefined {
  const branch = textAt(pullRequest, 'head', 'ref');
  const source = valueAt(pullRequest, 'head', 'repo');
  if (source === null) return deletedForkBranch(pullRequest);
  const isForeign = isFork(source, valueAt(pullRequest, 'base', 'repo'));
  return isForeign ? (textAt(pullRequest, 'head', 'label') ?? branch) : branch;
}

/**
 * GitHub returns null for the repository of a deleted fork. If the owner of the fork also owns the base repository, the
 * label would look like a branch of the base repository, so it is not used.
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
 * The branch, with GitHub's label (`forker:main`) if `source` is another repository than `base`. Undefined for a
 * deleted fork (null), because its owner is unknown.
 */
export function labelledBranch(branch: string | undefined, source: unknown, base: unknown): string | undefined {
  if (source === null) return undefined;
  const owner = textAt(source, 'owner', 'login');
  return branch !== undefined && owner !== undefined && isFork(source, base) ? `${owner}:${branch}` : branch;
}

/** Whether the repositories differ. Without the names of both, they count as the same. */
function isFork(source: unknown, base: unknown): boolean {
  const [name, baseName] = [textAt(source, 'full_name'), textAt(base, 'full_name')];
  return name !== undefined && baseName !== undefined && name !== baseName;
}

/**
 * Chooses the branch of a commit if the event names none: a likely branch that contains the commit; else the only
 * branch that contains it, because choosing among several would be a guess; else the tag, if any.
 *
 * @param containing the branches that contain the commit
 */
export function probableBranch(hint: BranchHint, containing: readonly string[]): string | undefined {
  const expected = hint.likely?.find((name) => name !== undefined && containing.includes(name));
  const only = containing.length === 1 ? containing[0] : undefined;
  return expected ?? only ?? hint.fallback;
}
