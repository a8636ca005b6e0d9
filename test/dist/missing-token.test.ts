import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { fingerprintOf } from '../support/artifacts.ts';
import { pullRequestEvent, shas } from '../support/events.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { openPullRequest } from '../support/pull-request-job.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests();

const lookUp = { operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };
const skip = { ...lookUp, 'on-missing-token': 'skip' };
const noToken = { COMPLIANCE_API_TOKEN: '' };
const pullRequest = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: shas.merge };

describe('a step without a key', () => {
  it('fails, and says that the reason is a fork', async () => {
    const options = { variables: { ...noToken, ...pullRequest }, event: pullRequestEvent({ fork: true }) };
    const step = failedStep(await job.step(lookUp, options));
    expect(step).toMatchObject({ ...errorEnding, kind: 'user' });
    expect(step.message).toMatch(/a pull request from a fork[^]*`workflow_run`[^]*`on-missing-token: skip`/u);
  });

  it('is skipped if the workflow allows it', async () => {
    const result = await job.step({ ...skip, 'on-non-compliant': 'fail', 'api-token': ' ' }, { variables: noToken });
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
