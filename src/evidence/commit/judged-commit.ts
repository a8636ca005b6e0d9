import { type Problem, UserError } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import type { Job } from '../job.ts';
import { type EventCommit, eventCommit, type IntendedCommit } from './event-commit.ts';

/** The commit that a step judges and records, as far as the inputs and the event identify it without a request. */
export type JudgedCommit =
  | EventCommit
  /** The user gave an abbreviated SHA, a tag, a branch or another name that git resolves. */
  | (IntendedCommit & { readonly kind: 'revision'; readonly revision: string });

/**
 * The commit and the branch that a job is about: the input `commit-sha`, else the commit of the event. The latter is
 * not always `GITHUB_SHA`, which is a merge commit created by GitHub on pull requests, and the head of the default
 * branch on some events (`workflow_run`, `check_suite`, `issue_comment`).
 *
 * @param commitSha the input `commit-sha`: a full SHA-1, or a name for git to resolve; empty counts as not set
 * @throws UserError if the event has no commit (a deleted branch), if its commit is unknown, or if the input is
 * malformed
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
  // The event's branch is only a guess: the user probably set the input because the commit is not the event's.
  const guesses = [known?.branch.named, textAt(job.event, 'repository', 'default_branch')];
  if (sha !== undefined) return { kind: 'commit', sha, meaning: meaningOfGiven, branch: { likely: guesses } };
  if (!canNameCommit(given)) throw new UserError(createMalformedProblem(given));
  return { kind: 'revision', revision: given, meaning: meaningOfGiven, branch: { likely: [given, ...guesses] } };
}

/**
 * Whether git would accept the text as the name of one commit (gitrevisions(7)): not an option, range, exclusion or
 * path, and without characters that a ref cannot contain.
 */
function canNameCommit(text: string): boolean {
  return !/^0{40}$|^[-^]|\.\.|[\p{Cc}\s:?*[\\]/u.test(text);
}

function createMalformedProblem(given: string): Problem {
  return {
    input: 'commit-sha',
    what: `commit-sha: ${JSON.stringify(given)} does not name a commit.`,
    remedy: 'Set `commit-sha` to the 40 hex digits of a commit or to the name of a tag or branch, or remove it.',
  };
}
