import type { Job } from '../../evidence/job.ts';
import { abbreviate } from '../../operations/report.ts';
import type { StepResult } from '../run/step-result.ts';

/** The commit that a comment or status is for, and whether it is the judged one. */
export interface CommitMatch {
  readonly sha: string;
  /** `unknown` if the service's response names no commit. */
  readonly judged: 'yes' | 'unknown' | { readonly otherwise: readonly string[] };
}

/**
 * Compares the commit with those that were judged: an artifact may come from another commit, and its verdict says
 * nothing about this one. A pull request's merge commit counts as the pull request's own.
 */
export function matchCommit(sha: string, { result }: StepResult, job: Job): CommitMatch {
  const commits = result?.commits ?? [];
  if (commits.length === 0) return { sha, judged: 'unknown' };
  const merge = /^refs\/pull\/\d+\/merge$/u.test(job.ref ?? '') ? job.sha : undefined;
  const otherwise = commits.filter((commit) => !isCommit(commit, sha) && !isCommit(commit, merge));
  return { sha, judged: otherwise.length === 0 ? 'yes' : { otherwise } };
}

/** The minimum length of an abbreviated SHA: git's default for `core.abbrev` (git-config(1)). */
const minimumShaLength = 7;

function isCommit(named: string, sha: string | undefined): boolean {
  return named.length >= minimumShaLength && sha?.toLowerCase().startsWith(named.toLowerCase()) === true;
}

const maximumNamedCommits = 3;

/** A clause that names the judged commits; undefined unless they differ from this one. */
export function describeOtherCommits({ judged }: CommitMatch): string | undefined {
  if (typeof judged === 'string') return undefined;
  const all = [...new Set(judged.otherwise.map(abbreviate))];
  const more = all.length > maximumNamedCommits ? ` and ${all.length - maximumNamedCommits} more` : '';
  return `the verdict is for commit ${all.slice(0, maximumNamedCommits).join(', ')}${more}`;
}
