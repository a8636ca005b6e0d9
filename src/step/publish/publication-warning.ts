import type { GitHubRefusal } from '../../evidence/github/github-refusal.ts';
import { restrictionOf } from '../../evidence/github/run-restriction.ts';
import type { Job } from '../../evidence/job.ts';

/** A way of showing a step's end beside its run. */
export interface Publication {
  /** The input that asks for it. */
  readonly input: string;
  /** What did not happen where it failed, as a clause. */
  readonly what: string;
  /** What the token must be allowed to do, as `permissions:` has it. */
  readonly permission: string;
}

/** The warning of something that GitHub did not take, with GitHub's words and the remedy. */
export function publicationWarning({ input, what, permission }: Publication, refusal: GitHubRefusal, job: Job): string {
  const failed = `\`${input}\`: ${what}: GitHub's API: ${refusal.what}`;
  return joinSentences(failed, remedyFor(refusal, permission, job), 'The verdict stands all the same');
}

function remedyFor({ reason }: GitHubRefusal, permission: string, job: Job): string {
  switch (reason) {
    case 'external':
      return 'Run the job again, and see https://www.githubstatus.com if it keeps failing.';
    case 'token':
      return 'Give the step a `github-token` that is valid: `${{ github.token }}`.';
    case 'permission':
      return permissionRemedy(permission, job);
    case 'locked':
      return 'Unlock the conversation, or do without a comment there.';
    case 'other':
      return "GitHub's words say what is wrong; see that the commit and the pull request are of this repository.";
  }
}

function permissionRemedy(permission: string, job: Job): string {
  switch (restrictionOf(job)) {
    case 'fork':
      return `The token of a pull request from a fork may only read, whatever \`permissions:\` says: tell it from a workflow that \`workflow_run\` starts, with \`${permission}\`.`;
    case 'dependabot':
      return `The token of a run that Dependabot started may only read unless the job says otherwise: add \`${permission}\` to the \`permissions:\` of the job.`;
    case undefined:
      return `Add \`${permission}\` to the \`permissions:\` of the job (a reusable workflow gets no more than its caller has), and to what a token of your own may do.`;
  }
}

/** The texts as sentences, one after the other: each with one full stop, be it its own. Empty ones are left out. */
export function joinSentences(...texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (/[.!?]$/u.test(text) ? text : `${text}.`))
    .join(' ');
}
