import { expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { openPullRequest } from '../support/pull-request-job.ts';

const job = jobForAllTests();

it('the step audit-branch fails while a commit of the branch has no compliant trail', async () => {
  const [green, direct] = ['1'.repeat(40), '2'.repeat(40)];
  const history = [{ sha: direct, author: '<b>mallory', pullRequests: [] }, { sha: green }];
  const request = await openPullRequest(job, { history });
  try {
    const flow = await job.flow('sonar');
    await job.attest(flow, green, 'OK');
    const inputs = { operation: 'audit-branch', flow, branch: 'main' };
    const red = await request.step(inputs);
    expect(red).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', compliant: 'false', count: '2' } });
    expect(red.log).toContain('222222222222 by <b>mallory: it has no trail');
    expect(red.summary).toContain('by &lt;b&gt;mallory');
    expect(JSON.parse(red.outputs['response'] ?? '')).toMatchObject({ commits: [{ trail: null }, { trail: green }] });
    expect(await request.step({ ...inputs, 'on-non-compliant': 'warn' })).toMatchObject({ exitCode: 0 });

    await job.attest(flow, direct, 'OK');
    expect(await request.step(inputs)).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant', count: '2' } });
  } finally {
    await request.close();
  }
});
