import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { fingerprintOf } from '../support/artifacts.ts';
import { pullRequestEvent, shas } from '../support/events.ts';
import { openPullRequest } from '../support/pull-request-job.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests();

const lookUp = { operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };
const skip = { ...lookUp, 'on-missing-token': 'skip' };
const noToken = { COMPLIANCE_API_TOKEN: '' };
const pullRequest = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: shas.merge };

describe('a step without a key', () => {
  it.each([
    ['a fork', { ...pullRequest }, pullRequestEvent({ fork: true }), /a pull request from a fork[^]*`workflow_run`/u],
    ['Dependabot', { GITHUB_ACTOR: 'dependabot[bot]' }, undefined, /started by Dependabot[^]*Dependabot secrets/u],
    ['an empty secret', {}, undefined, /unset or empty[^]*COMPLIANCE_API_TOKEN[^]*`environment:`/u],
  ] as const)('fails, and says that the reason is %s', async (_what, variables, event, words) => {
    const options = { variables: { ...noToken, ...variables }, ...(event === undefined ? {} : { event }) };
    const step = failedStep(await job.step(lookUp, options));
    expect(step).toMatchObject({ ...errorEnding, kind: 'user', message: expect.stringMatching(words) });
    expect(step.message).toContain('`on-missing-token: skip`');
  });

  it.each(['fail', 'warn', 'ignore'])(
    'is skipped if the workflow allows it, with on-non-compliant: %s',
    async (gate) => {
      const result = await job.step({ ...skip, 'on-non-compliant': gate, 'api-token': ' ' }, { variables: noToken });
      expect(result).toMatchObject({
        exitCode: 0,
        errorLog: '',
        outputs: { outcome: 'skipped', compliant: '', state: '', fingerprint: '' },
        response: { skipped: { operation: 'get-artifact' } },
      });
      expect(result.summary).toMatch(/^<h2>⏭️ Skipped: get-artifact without an API key/u);
      expect(commandsNamed(result.log, 'error')).toEqual([]);
      expect(commandsNamed(result.log, 'warning')).toEqual([
        {
          name: 'warning',
          properties: { title: 'Nothing was judged: get-artifact without an API key' },
          message: expect.stringContaining('because of `on-missing-token: skip`; this is not a verdict'),
        },
      ]);
    },
  );

  it('still has its other mistakes', async () => {
    const result = await job.step({ ...skip, flow: 'pr/12' }, { variables: noToken });
    expect(failedStep(result)).toMatchObject({ ...errorEnding, message: expect.stringMatching(/^`flow` must be/u) });
  });

  it('is not shown as a success on the commit', async () => {
    const request = await openPullRequest(job);
    try {
      const inputs = { ...skip, 'commit-status': 'compliance', 'pull-request-comment': 'true' };
      expect(await request.step(inputs, noToken)).toMatchObject({ exitCode: 0 });
      expect(request.repository.statuses).toMatchObject([{ state: 'pending' }]);
      expect(request.repository.comments[0]?.body).toContain('Skipped');
    } finally {
      await request.close();
    }
  });
});

it('is not skipped with a key that the service rejects', async () => {
  const result = await job.step({ ...skip, 'api-token': 'no0such0_key_01234567' });
  expect(failedStep(result)).toMatchObject({ ...errorEnding, message: expect.stringContaining('returned 401') });
});
