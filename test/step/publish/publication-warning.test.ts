import { expect, it } from '@jest/globals';
import { joinSentences, publicationWarning } from '../../../src/step/publish/publication-warning.ts';
import { pullRequestEvent } from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';

it.each([
  ['the token of a fork may only read', 'permission', { fork: true }, {}, /fork is read-only.*`workflow_run`, with/u],
  ['the token of Dependabot does', 'permission', {}, { GITHUB_ACTOR: 'dependabot[bot]' }, /Dependabot.*: write` to/u],
  ['the token is not valid', 'token', {}, {}, /Set `github-token` to a valid token/u],
] as const)('says what to do if %s', (_what, reason, change, variables, remedy) => {
  const status = { input: 'commit-status', what: 'it was not set', permission: 'statuses: write' };
  const refusal = { reason, status: 403, what: 'it answered 403: No' };
  const job = jobOf('pull_request', pullRequestEvent(change), variables);
  const warning = publicationWarning(status, refusal, job);
  expect(warning).toMatch(/^`commit-status`: it was not set: GitHub's API: it answered 403: No\. /u);
  expect(warning).toMatch(remedy);
});

it('ends each sentence with one full stop, and leaves out empty ones', () => {
  expect(joinSentences('No answer', 'Is it locked?', '', ' Run it again. ')).toBe(
    'No answer. Is it locked? Run it again.',
  );
});
