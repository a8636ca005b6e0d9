import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobCommit, openActionJob, type ActionJob } from '../support/action-job.ts';
import { createServiceAccount } from '../support/administration.ts';
import { provenancePolicy, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { startLossyProxy, type LossyProxy, type Loss } from '../support/lossy-proxy.ts';
import { aPod, podList } from '../support/pods.ts';
import { call } from '../support/service-call.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { failedStep } from '../support/failed-step.ts';
import type { ActionRun } from '../../tools/run-action.ts';

let job: ActionJob;
let forwarder: LossyProxy;

beforeAll(async () => {
  job = await openActionJob();
  forwarder = await startLossyProxy(job.service.baseUrl);
  await job.workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
  await job.workspace.write('pods.json', JSON.stringify(podList(aPod('web-1'))));
  await job.workspace.write('policy.yaml', provenancePolicy);
});

afterAll(async () => {
  await forwarder.close();
  await job.close();
});

/** Runs a step whose first request is carried out, and whose answer is lost. */
async function lostStep(
  label: string,
  loss: Loss,
  inputs: Readonly<Record<string, string>>,
): Promise<{ readonly result: ActionRun; readonly methods: readonly string[] }> {
  const more = { retries: '1', timeout: loss === 'late' ? '2' : '30', 'base-url': forwarder.baseUrlFor(label, loss) };
  const result = await job.step({ ...inputs, ...more });
  return { result, methods: forwarder.requestsOf(label).map((line) => line.split(' ')[0] ?? '') };
}

async function versionsOf(policy: string): Promise<number> {
  const { body } = await call(job.service, { path: `/policies/${job.service.org}/${policy}` });
  return (body as { versions: unknown[] }).versions.length;
}

describe.each<Loss>(['closed', 'reset', 'late', 502, 503, 504, 429])(
  'a step whose first answer is lost: %s',
  (loss) => {
    it.concurrent('create-flow is done, and does not say that it updated what it created', async () => {
      const flow = `lost-${loss}`;
      const inputs = { operation: 'create-flow', flow, description: 'Lost', template: 'artifact' };
      const { result, methods } = await lostStep(`flow${loss}`, loss, inputs);
      expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', state: '' } });
      expect(result.log).toContain(`Flow ${flow} was created or updated in organization acme.`);
      expect(methods).toEqual(['PUT', 'PUT']);
    });

    it.concurrent('create-policy uploads once, and finds what it uploaded', async () => {
      const policy = `lost-${loss}`;
      const { result, methods } = await lostStep(`policy${loss}`, loss, {
        operation: 'create-policy',
        policy,
        comment: 'First',
        files: 'policy.yaml',
      });
      expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', state: '' } });
      expect(methods).toEqual(['PUT', 'GET']);
      expect(await versionsOf(policy)).toBe(1);
    });

    it.concurrent('delete-service-account is done', async () => {
      const name = `lost-${loss}`;
      await createServiceAccount(job.service, { name });
      const inputs = { operation: 'delete-service-account', 'service-account': name };
      const { result, methods } = await lostStep(`account${loss}`, loss, inputs);
      expect(result).toMatchObject({
        exitCode: 0,
        errorLog: '',
        outputs: { outcome: 'done', state: '', response: '{"message":"Service account not found"}' },
      });
      expect(methods).toEqual(['DELETE', 'DELETE']);
    });

    it.concurrent('detach-policy is done', async () => {
      const environment = `lost-${loss}`;
      await savePolicy(job.service, `detached-${loss}`);
      await saveEnvironment(job.service, environment, { policies: [`detached-${loss}`] });
      const inputs = { operation: 'detach-policy', environment, policy: `detached-${loss}` };
      const { result, methods } = await lostStep(`detach${loss}`, loss, inputs);
      expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', state: 'detached' } });
      expect(methods).toEqual(['DELETE', 'DELETE']);
    });
  },
);

describe('a step whose first answer is lost', () => {
  const loss = 502;

  it.concurrent('create-environment is done', async () => {
    const inputs = { operation: 'create-environment', environment: 'lost', 'environment-type': 'K8S' };
    const { result, methods } = await lostStep('environment', loss, inputs);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: '' } });
    expect(methods).toEqual(['PUT', 'PUT']);
  });

  it.concurrent('report-k8s is done, and does not say that nothing changed', async () => {
    await saveEnvironment(job.service, 'reported');
    const inputs = { operation: 'report-k8s', environment: 'reported', files: 'pods.json' };
    const { result } = await lostStep('report', loss, inputs);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: '' } });
    expect(result.log).toContain('whether it created a new snapshot is not known');
  });

  it.concurrent('attach-policy is done', async () => {
    await savePolicy(job.service, 'loose');
    await saveEnvironment(job.service, 'attaching');
    const inputs = { operation: 'attach-policy', environment: 'attaching', policy: 'loose' };
    const { result, methods } = await lostStep('attach', loss, inputs);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: 'attached' } });
    expect(methods).toEqual(['POST', 'POST']);
  });

  it.concurrent('detach-policy detaches the policies that are attached, if one is not', async () => {
    for (const name of ['first', 'second']) await savePolicy(job.service, name);
    await saveEnvironment(job.service, 'partly', { policies: ['second'] });
    const inputs = { operation: 'detach-policy', environment: 'partly', policy: 'first\nsecond' };
    const { result, methods } = await lostStep('partly', loss, inputs);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: 'detached' } });
    expect(methods).toEqual(['DELETE', 'DELETE']);
    const environment = await job.ask('/environments/acme/partly');
    expect(await environment.json()).toMatchObject({ policies: [] });
  });

  it.concurrent(
    'delete-service-account and detach-policy fail if there was nothing to remove, on the first attempt',
    async () => {
      for (const inputs of [
        { operation: 'delete-service-account', 'service-account': 'nobody' },
        { operation: 'detach-policy', environment: 'lost', policy: 'unheard-of' },
      ]) {
        expect(failedStep(await job.step(inputs))).toMatchObject({ exitCode: 1, outcome: 'error', kind: 'user' });
      }
    },
  );

  it.concurrent('attest-sonar is not repeated, but found on record', async () => {
    const flow = await job.flow('sonar');
    const { result, methods } = await lostStep('attest', loss, {
      operation: 'attest-sonar',
      flow,
      'sonar-report-path': 'sonar.json',
      'unverified-revision': 'warn',
    });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant' } });
    expect(result.log).toContain('attest-sonar: it is on record, so it is not sent again');
    // It is looked for in the list, and then read back.
    expect(methods).toEqual(['POST', 'GET', 'GET']);
  });
});
