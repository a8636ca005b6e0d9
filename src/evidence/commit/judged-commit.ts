import { UserError, type Problem } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import type { Job } from '../job.ts';
import { eventCommit, type EventCommit, type IntendedCommit } from './event-commit.ts';
import { fullSha } from '../git/git-ref.ts';

/** The commit that a step judges and records, as far as the inputs and the event tell without a request. */
export type JudgedCommit =
  | EventCommit
  /** The user gave an abbreviated SHA, a tag, a branch or another name that git resolves. */
  | (IntendedCommit & { readonly kind: 'revision'; readonly revision: string });

/**
 * The commit and the branch that a job is about: the input `commit-sha`, else the commit of the event. That is not
 * always `GITHUB_SHA`, which is a merge commit that nobody wrote on pull requests, and the default branch's newest commit
 * on events that come from elsewhere (`workflow_run`, `check_suite`, `issue_comment`).
 *
 * @param commitSha the input `commit-sha`: a whole SHA-1, or a name for git to resolve; empty is as good as not given.
 * @throws UserError if the event means no commit (a deleted branch) or does not say which, or the input is malformed.
 */
export function judgedCommit(job: Job, commitSha?: string): JudgedCommit {
  const byEvent = eventCommit(job);
  const given = commitSha?.trim() ?? '';
  if (given !== '') return givenCommit(given, byEvent, job);
  if ('what' in byEvent) throw new UserError(byEvent);
  return byEvent;
}

const meaningOfGiven = 'the commit given as `commit-sha`';

function givenCommit(given: string, byEvent: EventCommit | Problem, job: Job): JudgedCommit {
  const known = 'what' in byEvent ? undefined : byEvent;
  const sha = fullSha(given);
  if (sha !== undefined && known?.kind === 'commit' && known.sha === sha) return known;
  // The event's branch is a guess here: the commit was given because it is another one than the event's.
  const guesses = [known?.branch.named, textAt(job.event, 'repository', 'default_branch')];
  if (sha !== undefined) return { kind: 'commit', sha, meaning: meaningOfGiven, branch: { likely: guesses } };
  if (!canNameCommit(given)) throw new UserError(createMalformedProblem(given));
  return { kind: 'revision', revision: given, meaning: meaningOfGiven, branch: { likely: [given, ...guesses] } };
}

/**
 * Whether git would take the text as the name of one commit (gitrevisions(7)): no option, no range, no exclusion, no path
 * and none of the characters that a ref cannot have.
 */
function canNameCommit(text: string): boolean {
  return !/^0{40}$|^[-^]|\.\.|[\p{Cc}\s:?*[\\]/u.test(text);
}

function createMalformedProblem(given: string): Problem {
  return {
    input: 'commit-sha',
    what: `commit-sha: ${JSON.stringify(given)} does not name a commit.`,
    remedy: 'Give `commit-sha` the 40 hex digits of a commit, or the name of a tag or a branch, or leave it out.',
  };
}
