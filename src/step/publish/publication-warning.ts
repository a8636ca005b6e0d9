import { type GitHubRefusal, retryRemedy } from '../../evidence/github/github-refusal.ts';
import { findRunRestriction } from '../../evidence/github/run-restriction.ts';
import type { Job } from '../../evidence/job.ts';

/** A way to publish a result on GitHub. */
export interface Publication {
  /** The input that turns it on. */
  readonly input: string;
  /** What did not happen if it failed, as a clause. */
  readonly what: string;
  /** The permission that the token needs, as in `permissions:`. */
  readonly permission: string;
}

/** The warning about a publication that GitHub refused, with GitHub's message and the remedy. */
export function publicationWarning({ input, what, permission }: Publication, refusal: GitHubRefusal, job: Job): string {
  const failed = `\`${input}\`: ${what}: GitHub's API: ${refusal.what}`;
  return joinSentences(failed, remedyFor(refusal, permission, job), 'The verdict is not affected');
}

function remedyFor(refusal: GitHubRefusal, permission: string, job: Job): string {
  switch (refusal.reason) {
    case 'external':
      return retryRemedy(refusal);
    case 'token':
      return 'Set `github-token` to a valid token, such as `${{ github.token }}`.';
    case 'permission':
      return permissionRemedy(permission, job);
    case 'locked':
      return 'Unlock the conversation, or remove `pull-request-comment`.';
    case 'other':
      return 'Check that the commit and the pull request belong to this repository.';
  }
}

function permissionRemedy(permission: string, job: Job): string {
  switch (findRunRestriction(job)) {
    case 'fork':
      return `The token of a pull request from a fork is read-only, whatever \`permissions:\` says: publish from a workflow triggered by \`workflow_run\`, with \`${permission}\`.`;
    case 'dependabot':
      return `The token of a run started by Dependabot is read-only by default: add \`${permission}\` to the \`permissions:\` of the job.`;
    case undefined:
      return `Add \`${permission}\` to the \`permissions:\` of the job (a reusable workflow gets no more than its caller has), or to the permissions of your own token.`;
  }
}

/** Joins texts into sentences, each with exactly one full stop. Empty texts are left out. */
export function joinSentences(...texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (/[.!?]$/u.test(text) ? text : `${text}.`))
    .join(' ');
}
