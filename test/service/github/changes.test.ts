import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServiceAccount } from '../../support/administration.ts';
import { changePolicies, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { receivingApp } from '../../support/fake-github-app.ts';
import { deploymentPayload, githubPayload, sendWebhook } from '../../support/github-webhooks.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  commitOf,
  fingerprintOf,
  report,
  sampleAttestation,
  sampleTemplate,
  saveFlow,
  saveFlowTemplate,
} from '../../support/service-samples.ts';

const sha = commitOf('d');

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ options: { github: receivingApp } });
  await saveGate();
  await saveFlow(service);
  await saveEnvironment(service, 'prod');
  await savePolicy(service, 'strict');
  await begin('main', sha);
  await report(service, { trail_name: 'main' });
  await attest(service, sampleAttestation('OK'));
  const pull = { ...githubPayload('pull_request', 'opened'), pull_request: { head: { sha } } };
  await sendWebhook(service, 'pull_request', JSON.stringify(pull));
  await sendWebhook(service, 'deployment_protection_rule', JSON.stringify(deploymentPayload));
});
afterAll(() => service.stop());

/** Claims all answers, so that nothing but a change makes one due. */
const holdAnswers = (): Promise<unknown> =>
  service.storage.query(
    "UPDATE github_answers SET due_at = NULL, attempts = 0, claimed_by = 'test', claimed_until = 1e12",
  );
const begin = (name: string, sha1: string): Promise<Called> => {
  const form = attestationForm({ name, git_commit_info: { sha1 } });
  return call(service, { method: 'PUT', path: '/trails/acme/web', form });
};
const gatePath = '/organizations/acme/github-gates/web';
const saveGate = (wait = '30m'): Promise<Called> => {
  const json = { installation_id: 1, repositories: ['10'], flows: ['web'], wait };
  return call(service, { method: 'PUT', path: gatePath, json });
};
const saveRule = (description: string): Promise<Called> => {
  const rule = { repository: 'acme/web', repository_id: '10', refs: ['refs/heads/main'], events: ['push'] };
  const json = { ...rule, role: 'member', description };
  return call(service, { method: 'PUT', path: '/organizations/acme/login-rules/main', json });
};
const allow = (method: 'PUT' | 'DELETE'): Promise<Called> => {
  const artifact = { artifact_fingerprint: fingerprintOf('a'), artifact_name: 'web', description: 'x' };
  return method === 'PUT'
    ? call(service, { method, path: '/allowlists/acme/prod', json: artifact })
    : call(service, { method, path: `/allowlists/acme/prod/${fingerprintOf('a')}` });
};
const override = (): Promise<Called> => {
  const json = {
    attestation_name: 'sonar',
    original_attestation_type: 'sonar',
    reason: 'x',
    new_compliance_status: false,
  };
  return call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/override', json });
};
const template = sampleTemplate({ sonar: 'sonar' }, { unit: 'junit' });

describe('what GitHub waits for is judged again after', () => {
  it.each<[string, readonly string[], () => Promise<Called>]>([
    ['a report of an artifact', ['check', 'deployment'], () => report(service, { trail_name: 'main' })],
    ['an attestation', ['check', 'deployment'], () => attest(service, sampleAttestation('ERROR'))],
    ['an override', ['check', 'deployment'], override],
    ['a trail that is begun again', ['check', 'deployment'], () => begin('main', sha)],
    ['another trail of the commit', ['check', 'deployment'], () => begin('second', sha)],
    ['a change of the template', ['check', 'deployment'], () => saveFlowTemplate(service, template)],
    ['a login rule', ['check', 'deployment'], () => saveRule('of main')],
    ['a service account', ['check', 'deployment'], () => createServiceAccount(service)],
    ['a change of the gate', ['check', 'deployment'], () => saveGate('31m')],
    [
      'a new version of a policy',
      ['deployment'],
      () => savePolicy(service, 'strict', '_schema: https://example.com/schemas/policy/environment/v1\n'),
    ],
    ['an attached policy', ['deployment'], () => changePolicies(service, 'POST', 'prod', ['strict'])],
    ['an allowed artifact', ['deployment'], () => allow('PUT')],
    ['a change of an environment', ['deployment'], () => saveEnvironment(service, 'prod', { description: 'changed' })],
    ['the deletion of the gate', ['check', 'deployment'], () => call(service, { method: 'DELETE', path: gatePath })],
  ])('%s', async (_case, expected, change) => {
    await holdAnswers();
    expect((await change()).status).toBeLessThan(300);
    const rows = await service.storage.query(
      'SELECT flow FROM github_answers WHERE due_at IS NOT NULL ORDER BY flow DESC',
    );
    expect(rows.map(({ flow }) => (flow === '' ? 'deployment' : 'check'))).toEqual(expected);
  });
});

it('a trail that is begun for another commit no longer decides about the former one', async () => {
  await begin('moving', sha);
  await holdAnswers();
  await begin('moving', commitOf('e'));
  const rows = await service.storage.query("SELECT sha FROM github_answers WHERE flow = 'web' AND due_at IS NOT NULL");
  expect(rows).toEqual([{ sha }]);
});
