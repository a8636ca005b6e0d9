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

describe('the step create-environment with `require-provenance`', () => {
  it('warns that it is deprecated, and the environment judges by it', async () => {
    const inputs = { operation: 'create-environment', environment: 'required', 'environment-type': 'K8S' };
    const step = await job.step({ ...inputs, 'require-provenance': 'true' });
    expect(step).toMatchObject({ exitCode: 0, outputs: { outcome: 'done' } });
    expect(commandsNamed(step.log, 'warning').map(({ message }) => message)).toEqual([
      'create-environment with `require_provenance` has been deprecated since 2026-01-01. Attach a policy with `artifacts.provenance.required: true` instead.',
    ]);
    expect(commandsNamed(step.log, 'notice')).toEqual([]);
    expect(await ask('required')).toMatchObject({ exitCode: 0, outputs: { compliant: 'true' } });
  });
});

describe('the step create-policy with `preview`', () => {
  const rule = "  attestations:\n    - type: generic\n      name: '*'\n";

  it('shows what would change, and stores nothing', async () => {
    const { service, workspace } = job;
    await savePolicy(service, 'proposed');
    await saveEnvironment(service, 'shown', { policies: ['proposed'] });
    await reportPods(service, 'shown', pod('web-1', { '<b>web': 'aaaaa' }));
    await workspace.write('proposed.yml', `${provenancePolicy}${rule}`);
    const path = `/policies/${service.org}/proposed`;
    const before = await (await job.ask(path)).json();
    const inputs = { operation: 'create-policy', policy: 'proposed', files: 'proposed.yml', preview: 'true' };
    const key = await service.createKey('reader');
    const step = await job.step({ ...inputs, 'api-token': key });
    expect(step).toMatchObject({
      ...{ exitCode: 0, outputs: { outcome: 'done', state: 'previewed', compliant: '', count: '2' } },
      response: { changed_environments: 1, changed_artifacts: 1, environments: [{ name: 'shown' }] },
    });
    expect(step.log).toContain('would change the verdict of 1 of 1 environment and of 1 artifact. Nothing was stored.');
    expect(step.summary).toContain('&lt;b&gt;web aaaaa0000000');
    expect(step.summary).toContain('attestation of type generic: not recorded (policy proposed)');
    expect(await (await job.ask(path)).json()).toEqual(before);
  });
});

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
