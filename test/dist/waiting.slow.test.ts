import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { itWithSignals } from '../support/platform.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();

function someFingerprint(): string {
  return randomBytes(32).toString('hex');
}

/** Much longer than any of these steps takes: they end by what happens, not by the time. */
const wait = '600';

describe('the step get-artifact with `wait`', () => {
  it.concurrent('waits for the flow, the artifact and the evidence, and passes when all of it has come', async () => {
    const [flow, fingerprint] = [`late-${randomBytes(4).toString('hex')}`, someFingerprint()];
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

  it.concurrent('fails as soon as the evidence is bad', async () => {
    const flow = await job.flow('artifact', 'sonar');
    const fingerprint = someFingerprint();
    await job.report(flow, { fingerprint, trail: 'main' });
    const result = await job.step(
      { operation: 'get-artifact', flow, fingerprint, wait },
      { meanwhile: [{ when: 'Waiting: ', work: () => job.attest(flow, 'main', 'ERROR') }] },
    );
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', state: 'NON-COMPLIANT' } });
  });

  it.concurrent.each([
    ['a wrong path', () => `${job.service.url}/elsewhere`],
    ['a host that does not exist', () => 'http://compliance.invalid'],
  ])('ends at once if `base-url` has %s', async (_what, baseUrl) => {
    const inputs = { operation: 'get-artifact', flow: 'web', fingerprint: someFingerprint(), wait, retries: '0' };
    const result = await job.step({ ...inputs, 'base-url': baseUrl() });
    expect(failedStep(result)).toMatchObject({ ...errorEnding, message: expect.stringContaining('`base-url`') });
    expect(shownLines(result.log).filter((line) => line.startsWith('Waiting: '))).toEqual([]);
  });

  it.concurrent(
    'says that it timed out, and its outputs tell the truth, with continue-on-error or without',
    async () => {
      const flow = await job.flow('artifact', 'sonar');
      const fingerprint = someFingerprint();
      await job.report(flow, { fingerprint });
      const result = await job.step({ operation: 'get-artifact', flow, fingerprint, wait: '1' });
      expect(result).toMatchObject({
        exitCode: 1,
        outputs: { outcome: 'incomplete', compliant: 'false', state: 'INCOMPLETE', fingerprint },
      });
      const [error] = commandsNamed(result.log, 'error');
      expect(error?.message).toMatch(/: sonar: .*\. Waited \d+ s for a final verdict and timed out\.$/u);
      expect(result.summary).toContain('timed out');
    },
  );

  it.concurrent('waits for several files, and tells the state of each when it changes', async () => {
    const flow = await job.flow('artifact', 'sonar');
    const fingerprints: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const content = randomBytes(100);
      await job.workspace.write(`late/${name}.tgz`, content);
      const fingerprint = createHash('sha256').update(content).digest('hex');
      fingerprints.push(fingerprint);
      if (name !== 'b') await job.report(flow, { fingerprint, trail: `trail-${name}` });
      await job.attest(flow, `trail-${name}`, 'OK');
    }
    const missing = { fingerprint: fingerprints[1] ?? '', trail: 'trail-b' };
    const result = await job.step(
      { operation: 'get-artifact', flow, files: 'late/*.tgz', wait },
      { meanwhile: [{ when: 'Waiting: Artifact late/b.tgz', work: () => job.report(flow, missing) }] },
    );
    expect(result).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'compliant', fingerprint: fingerprints.join('\n') },
      response: ['a', 'b', 'c'].map((name) => ({ file: `late/${name}.tgz`, verdict: 'compliant' })),
    });
    expect(shownLines(result.log).filter((line) => /^Artifact late\/a\.tgz \w+: COMPLIANT$/u.test(line))).toHaveLength(
      1,
    );
  });

  it.concurrent('fails if one gets bad evidence while it waits for another', async () => {
    const flow = await job.flow('artifact', 'sonar');
    const [first, late] = [someFingerprint(), someFingerprint()];
    await job.report(flow, { fingerprint: first, trail: 'first' });
    for (const trail of ['first', 'late']) await job.attest(flow, trail, 'OK');
    const result = await job.step(
      { operation: 'get-artifact', flow, fingerprint: `${first}\n${late}`, wait },
      {
        meanwhile: [
          {
            when: 'Waiting: ',
            work: async () => {
              await job.attest(flow, 'first', 'ERROR');
              await job.report(flow, { fingerprint: late, trail: 'late' });
            },
          },
        ],
      },
    );
    expect(result).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'non-compliant', compliant: 'false', state: 'NON-COMPLIANT' },
    });
  });

  itWithSignals.each(['SIGINT', 'SIGTERM'] as const)('ends promptly on %s, and tells why', async (signal) => {
    const flow = await job.flow('artifact', 'sonar');
    const inputs = { operation: 'get-artifact', flow, fingerprint: someFingerprint(), wait };
    const result = await job.step(inputs, { kill: { when: 'Waiting: ', signal } });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      title: 'Cancelled',
      message: expect.stringMatching(
        new RegExp(
          `the step was cancelled \\(${signal}\\) before it finished.*\nLast seen: Artifact .* is INCOMPLETE: not reported to flow`,
          'u',
        ),
      ),
    });
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
