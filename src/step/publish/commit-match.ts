import type { Job } from '../../evidence/job.ts';
import type { StepResult } from '../run/step-result.ts';
import { short } from '../../operations/report.ts';

/** The commit that a comment or a status is about, and what was judged. */
export interface CommitMatch {
  readonly sha: string;
  /** `unknown` where the answer that was judged names no commit. */
  readonly judged: 'yes' | 'unknown' | { readonly otherwise: readonly string[] };
}

/**
 * Compares the commit that an ending is told of with those that what was judged is of: an artifact can be of another one,
 * and its verdict says nothing about this one. What a pull request's merge commit is built of is the pull request.
 */
export function matchCommit(sha: string, { result }: StepResult, job: Job): CommitMatch {
  const commits = result?.commits ?? [];
  if (commits.length === 0) return { sha, judged: 'unknown' };
  const merge = /^refs\/pull\/\d+\/merge$/u.test(job.ref ?? '') ? job.sha : undefined;
  const otherwise = commits.filter((commit) => !isCommit(commit, sha) && !isCommit(commit, merge));
  return { sha, judged: otherwise.length === 0 ? 'yes' : { otherwise } };
}

/** The fewest digits that git takes for a commit's name where it shortens them (git-config(1), `core.abbrev`: 4; its default: 7). */
const fewestDigits = 7;

function isCommit(named: string, sha: string | undefined): boolean {
  return named.length >= fewestDigits && sha?.toLowerCase().startsWith(named.toLowerCase()) === true;
}

/** How many commits are named at most. */
const mostNamed = 3;

/** A clause about what was judged instead; undefined where that is not known. */
export function describeOtherCommits({ judged }: CommitMatch): string | undefined {
  if (typeof judged === 'string') return undefined;
  const all = [...new Set(judged.otherwise.map(short))];
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : '';
  return `what was judged is of commit ${all.slice(0, mostNamed).join(', ')}${more}`;
}
