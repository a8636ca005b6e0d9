import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { openActionJob, type ActionJob } from '../support/action-job.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { fingerprintOf } from '../support/service-samples.ts';
import { commandsNamed } from '../support/workflow-command.ts';

let job: ActionJob;
let flow: string;

/** One artifact runs in each environment; another one that no flow knows runs beside it in `mixed`. */
beforeAll(async () => {
  job = await openActionJob();
  const { service } = job;
  flow = await job.flow('artifact', 'sonar');
  for (const digits of ['aaaaa', 'bbbbb']) {
    await job.report(flow, { fingerprint: fingerprintOf(digits), trail: `trail-${digits}` });
    await job.attest(flow, `trail-${digits}`, 'OK');
  }
  await savePolicy(service, 'known');
  for (const name of ['clean', 'mixed']) {
    await saveEnvironment(service, name);
    await changePolicies(service, 'POST', name, ['known']);
  }
  for (const name of ['unjudged', 'empty']) await saveEnvironment(service, name);
  await reportPods(service, 'clean', pod('web-1', { web: 'aaaaa' }));
  await reportPods(service, 'mixed', pod('web-1', { web: 'aaaaa', stranger: '99999' }));
  await reportPods(service, 'unjudged', pod('web-1', { web: 'aaaaa' }));
  await saveEnvironment(service, 'logical-mixed', {
    type: 'logical',
    included_environments: ['mixed'],
    policies: ['known'],
  });
});

afterAll(() => job.close());

function ask(environment: string, fingerprint = 'aaaaa', more = {}): ReturnType<ActionJob['step']> {
  const inputs = { operation: 'get-artifact', flow, fingerprint: fingerprintOf(fingerprint), environment };
  return job.step({ ...inputs, ...more });
}

describe('the step get-artifact with `environment`', () => {
  it.each([
    ['clean', 'compliant', 'It runs in environment clean, whose latest snapshot #1 is compliant.'],
    [
      'mixed',
      'non-compliant',
      'It runs in environment mixed, whose latest snapshot #1 is not compliant; that verdict covers everything that runs there.',
    ],
    [
      'unjudged',
      'incomplete',
      'It runs in environment unjudged, whose latest snapshot #1 has no verdict; attach a policy to the environment to have it judged.',
    ],
    ['empty', 'compliant', 'It does not run in environment empty: nothing has been reported there yet.'],
    [
      'logical-mixed',
      'non-compliant',
      'It runs in environment logical-mixed, whose latest snapshot #1 is not compliant; that verdict covers everything that runs there.',
    ],
  ])('asks %s whether the artifact may run there: %s', async (environment, outcome, words) => {
    const result = await ask(environment);
    const passes = outcome === 'compliant';
    expect(result).toMatchObject({
      exitCode: passes ? 0 : 1,
      outputs: { outcome, compliant: String(passes), state: outcome.toUpperCase() },
      response: { verdict: outcome, artifact: { state: 'COMPLIANT' }, environment: { name: environment } },
    });
    const told = passes ? result.log : commandsNamed(result.log, 'error')[0]?.message;
    expect(told).toContain(words);
    expect(result.summary).toContain('Runs there');
  });

  it('judges by its own state an artifact that does not run there', async () => {
    const result = await ask('mixed', 'bbbbb');
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(result.log).toContain('It does not run in environment mixed (snapshot #1).');
  });

  it('shows of several which run there, and lets the worst decide', async () => {
    const fingerprint = ['aaaaa', 'bbbbb'].map(fingerprintOf).join('\n');
    const result = await ask('mixed', '', { fingerprint });
    expect(result).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'non-compliant', state: 'NON-COMPLIANT' },
      response: [{ environment: { runs: true } }, { environment: { runs: false } }],
    });
    expect(result.summary).toContain('Runs in mixed');
  });

  it('fails if the environment does not exist, even if verdicts are ignored', async () => {
    const result = await ask('nowhere', 'aaaaa', { 'on-non-compliant': 'ignore' });
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'error', compliant: '', state: '' } });
    expect(commandsNamed(result.log, 'error')[0]?.message).toContain(
      'Environment nowhere could not be judged: list-snapshots',
    );
    expect(valueAt(result.response, 'artifact', 'state')).toBe('COMPLIANT');
  });

  it('waits until the environment has a verdict', async () => {
    const { service } = job;
    await saveEnvironment(service, 'soon');
    await reportPods(service, 'soon', pod('web-1', { web: 'aaaaa' }));
    const inputs = {
      operation: 'get-artifact',
      flow,
      fingerprint: fingerprintOf('aaaaa'),
      environment: 'soon',
      wait: '600',
    };
    const result = await job.step(inputs, {
      meanwhile: [{ when: 'has no verdict', work: () => changePolicies(service, 'POST', 'soon', ['known']) }],
    });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(result.log).toContain('whose latest snapshot #2 is compliant.');
  });
});
