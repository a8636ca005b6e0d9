import { secret, someOf, text } from './parse.ts';

/** The commit to attest, where it is not the one that the event is about. */
export const commitSha = text('commit-sha');

/** What is left out of the commit's information. */
export const redactCommitInfo = someOf('redact-commit-info', ['author', 'message', 'branch']);

/** The token of GitHub's API. */
export const githubToken = secret('github-token');
