import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();

/** Much longer than any of these steps takes: they end by what happens, not by the time. */
const wait = '600';

describe('the step get-artifact with `wait`', () => {
  it.concurrent('waits for the flow, the artifact and the evidence, and passes when all of it has come', async () => {
    const [flow, fingerprint] = [`late-${randomBytes(4).toString('hex')}`, randomBytes(32).toString('hex')];
    const declare = async (): Promise<void> => {
      const body = JSON.stringify({ name: flow, description: 'Late', template: ['artifact', 'sonar'] });
      expect((await job.ask('/flows/acme', { method: 'PUT', body })).status).toBe(201);
    };
    const result = await job.step(
      { operation: 'get-artifact', flow, fingerprint, wait },
      {
        meanwhile: [
          { when: 'does not exist yet: get-artifact: ', work: declare },
          { when: 'not reported to flow', work: () => job.report(flow, { fingerprint, trail: 'main' }) },
          { when: 'is INCOMPLETE: sonar: ', work: () => job.attest(flow, 'main', 'OK') },
        ],
      },
    );
    expect(result).toMatchObject({
      exitCode: 0,
      errorLog: '',
      outputs: { outcome: 'compliant', compliant: 'true', state: 'COMPLIANT', fingerprint },
    });
    const waited = shownLines(result.log).filter((line) => line.startsWith('Waiting: '));
    expect(waited.map((line) => line.replace(/^Waiting: Artifact (.*) \(.* left\)$/u, '$1'))).toEqual([
      expect.stringMatching(/404: .*\(Flow not found\)$/u),
      `${fingerprint.slice(0, 12)} is INCOMPLETE: not reported to flow ${flow}`,
      expect.stringMatching(new RegExp(`^web\\.tgz ${fingerprint.slice(0, 12)} is INCOMPLETE: sonar: `, 'u')),
    ]);
    expect(result.summary).toMatch(/Waited.*polled \d+ times/su);
  });
});

describe('the step list-snapshots with `wait`', () => {
  it.concurrent.each(['1', 'all'])('waits for the environment, a report and a policy (page: %s)', async (page) => {
    const environment = `late-${page}`;
    const policy = `known-${page}`;
    await savePolicy(job.service, policy);
    const flow = await job.flow('artifact');
    await job.report(flow, { fingerprint: 'abc'.padEnd(64, '0') });
    const result = await job.step(
      { operation: 'list-snapshots', environment, page, wait, 'on-non-compliant': 'fail' },
      {
        meanwhile: [
          { when: 'does not exist yet', work: () => saveEnvironment(job.service, environment) },
          {
            when: 'has no snapshot yet',
            work: () => reportPods(job.service, environment, pod('web-1', { web: 'abc' })),
          },
          { when: 'has no verdict', work: () => changePolicies(job.service, 'POST', environment, [policy]) },
        ],
      },
    );
    expect(result).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'compliant', count: '2' },
      response: [
        { index: 2, compliant: true },
        { index: 1, compliant: false, judged: false },
      ],
    });
  });
});
