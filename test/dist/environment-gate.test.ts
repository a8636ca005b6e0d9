import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ActionJob, jobForAllTests } from '../support/action-job.ts';
import {
  changePolicies,
  pod,
  provenancePolicy,
  reportPods,
  saveEnvironment,
  savePolicy,
} from '../support/environment-samples.ts';
import { fingerprintOf } from '../support/service-samples.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests();
let flow: string;

/**
 * The artifact `aaaaa` with good evidence runs in `mixed`, beside one that no flow knows, and in `unjudged`; `ccccc`
 * has failed evidence. Policies that require provenance are attached to all environments but `unjudged`.
 */
beforeAll(async () => {
  const { service } = job;
  flow = await job.flow('artifact', 'sonar');
  for (const [digits, gate] of [
    ['aaaaa', 'OK'],
    ['ccccc', 'ERROR'],
  ] as const) {
    await job.report(flow, { fingerprint: fingerprintOf(digits), trail: `trail-${digits}` });
    await job.attest(flow, `trail-${digits}`, gate);
  }
  await savePolicy(service, 'known');
  await savePolicy(service, 'good', provenancePolicy.replace('  provenance:', '  trail-compliance:'));
  await saveEnvironment(service, 'mixed', { policies: ['known'] });
  await saveEnvironment(service, 'strict', { policies: ['known', 'good'] });
  await saveEnvironment(service, 'unjudged');
  await reportPods(service, 'mixed', pod('web-1', { web: 'aaaaa', stranger: '99999' }));
  await reportPods(service, 'unjudged', pod('web-1', { web: 'aaaaa' }));
});

function ask(
  environment: string,
  digits = 'aaaaa',
  more = {},
  run: Parameters<ActionJob['step']>[1] = {},
): ReturnType<ActionJob['step']> {
  const inputs = { operation: 'assert-artifact', flow, fingerprint: fingerprintOf(digits), environment };
  return job.step({ ...inputs, ...more }, run);
}

describe('the step assert-artifact with `environment`', () => {
  it.each([
    // What else runs there does not count.
    ['mixed', 'aaaaa', 'compliant', 'is COMPLIANT by the policies of environment mixed'],
    ['unjudged', 'aaaaa', 'incomplete', 'has no policies'],
    ['strict', 'ccccc', 'non-compliant', 'policy good'],
  ])('asks the policies of %s about %s: %s', async (environment, digits, outcome, words) => {
    const result = await ask(environment, digits);
    const passes = outcome === 'compliant';
    expect(result).toMatchObject({
      exitCode: passes ? 0 : 1,
      outputs: { outcome, compliant: String(passes), state: outcome.toUpperCase() },
      response: { scope: 'environment', environment, compliant: passes },
    });
    expect(passes ? result.log : commandsNamed(result.log, 'error')[0]?.message).toContain(words);
  });

  it('waits until the environment has a policy', async () => {
    const { service } = job;
    await saveEnvironment(service, 'soon');
    const result = await ask(
      'soon',
      'aaaaa',
      { wait: '600' },
      {
        meanwhile: [{ when: 'has no policies', work: () => changePolicies(service, 'POST', 'soon', ['known']) }],
      },
    );
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });
});
