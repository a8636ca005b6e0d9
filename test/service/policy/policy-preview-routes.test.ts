import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { violations } from '../../../src/contract/check.ts';
import { type PolicyPreview, previewPolicy } from '../../../src/contract/policy-preview.ts';
import { createServiceAccount, createServiceAccountKey } from '../../support/administration.ts';
import {
  changePolicies,
  pod,
  policyForm,
  provenancePolicy,
  reportPods,
  saveEnvironment,
  savePolicy,
} from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  fingerprintOf,
  report,
  sampleAttestation,
  saveFlow,
} from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';

const schema = '_schema: https://example.com/v1\n';
const strict = `${schema}artifacts:\n  trail-compliance:\n    required: true\n`;
const [green, red] = ['aaaaaa', 'bbbbbb'];

let storage: TestStorage;
let service: TestService;
beforeEach(async () => {
  storage = await createTestStorage();
  service = await startTestService({ storage, sources: { now: () => Date.parse('2026-11-26T00:00:00Z') } });
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
  await storage.remove();
});

function preview(content: string, payload: object = { name: 'known' }, key = service.apiKey): Promise<Called> {
  const form = policyForm(payload, { content });
  return call(service, { method: 'POST', path: '/policies/acme/known/preview', form, key });
}

async function read(content: string): Promise<PolicyPreview> {
  const before = await storage.readRecords();
  const { status, body } = await preview(content);
  expect([status, body]).toEqual([200, body]);
  expect(violations(previewPolicy.success[0].schema, body)).toEqual([]);
  expect(await storage.readRecords()).toEqual(before);
  return body as PolicyPreview;
}

/** `prod` runs a green and a red artifact, `stage` a green one. `all` has both as members. */
async function prepare(): Promise<void> {
  await saveFlow(service);
  for (const [digits, status] of [
    [green, 'OK'],
    [red, 'ERROR'],
  ] as const) {
    await report(service, { fingerprint: fingerprintOf(digits), trail_name: status });
    await attest(service, sampleAttestation(status), status);
  }
  await savePolicy(service, 'known');
  for (const name of ['empty', 'gone', 'prod', 'stage']) await saveEnvironment(service, name, { policies: ['known'] });
  await reportPods(service, 'prod', pod('web-1', { green, red }));
  await reportPods(service, 'stage', pod('web-1', { green }));
  await reportPods(service, 'gone', pod('web-1', { red }));
  await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod', 'stage'] });
  await saveEnvironment(service, 'bare', { type: 'logical', included_environments: ['gone'], policies: ['known'] });
  await call(service, { method: 'PUT', path: '/environments/acme/gone/archive' });
}

describe('the preview of a policy', () => {
  it('says which environments and artifacts change their verdict, with reasons, and stores nothing', async () => {
    await prepare();
    const found = await read(strict);
    expect(found).toMatchObject({
      ...{ policy: 'known', present_version: 1, attached: true, environments_left_out: 0 },
      ...{ changed_environments: 2, changed_artifacts: 1, failing_later: 0 },
    });
    const unchanged = { changed_artifacts: 0, artifacts: [], reasons: [] };
    expect(found.environments).toMatchObject([
      { name: 'empty', compliant_before: null, compliant_after: null, ...unchanged },
      {
        ...{ name: 'prod', compliant_before: true, compliant_after: false, artifact_count: 2, changed_artifacts: 1 },
        html_url: `${service.url}/acme/environments/prod`,
        artifacts: [
          {
            ...{ name: 'red', fingerprint: fingerprintOf(red), compliant_before: true, compliant_after: false },
            reasons: [
              {
                ...{ state: 'failed', about: 'sonar', rule: 'policy known' },
                html_url: expect.stringContaining('/acme/flows/web/trails/ERROR/attestations/'),
              },
            ],
            html_url: `${service.url}/acme/flows/web/artifacts/${fingerprintOf(red)}`,
          },
        ],
      },
      { name: 'stage', compliant_before: true, compliant_after: true, artifact_count: 1, ...unchanged },
      { name: 'bare', compliant_before: true, compliant_after: true, artifact_count: 0, ...unchanged },
      {
        ...{ name: 'all', compliant_before: true, compliant_after: false, artifacts: [] },
        reasons: [{ about: 'prod', value: 'does not comply', html_url: `${service.url}/acme/environments/prod` }],
      },
    ]);
    await savePolicy(service, 'known', strict);
    const same = await read(strict);
    expect(same).toMatchObject({ present_version: 2, changed_environments: 0, changed_artifacts: 0 });
    const back = await read(provenancePolicy);
    expect(back).toMatchObject({ changed_environments: 2, changed_artifacts: 1 });
    expect(back.environments[1]?.artifacts).toMatchObject([
      { name: 'red', compliant_before: false, compliant_after: true, reasons: [{ about: 'sonar' }] },
    ]);
  });

  it('says what a rule breaks from a later day on', async () => {
    await prepare();
    const found = await read(strict.replace(schema, `${schema}enforce_from: 2027-01-01\n`));
    expect(found).toMatchObject({ changed_environments: 0, changed_artifacts: 0, failing_later: 1 });
    expect(found.environments[1]).toMatchObject({
      ...{ compliant_before: true, compliant_after: true, failing_later: 1 },
      artifacts: [{ name: 'red', compliant_after: true, fails_from: '2027-01-01', reasons: [{ about: 'sonar' }] }],
    });
  });

  it('says that a policy is not attached, or does not exist', async () => {
    const nothing = { attached: false, environments: [], changed_environments: 0 };
    const absent = await read(strict);
    expect(absent).toMatchObject(nothing);
    expect(absent).not.toHaveProperty('present_version');
    await savePolicy(service, 'known');
    expect(await read(strict)).toMatchObject({ ...nothing, present_version: 1 });
    await saveEnvironment(service, 'gone', { policies: ['known'] });
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['gone'] });
    await call(service, { method: 'PUT', path: '/environments/acme/gone/archive' });
    expect(await read(strict)).toMatchObject({ ...nothing, environments: [{ name: 'all' }] });
  });

  it('counts the evidence of those whom only the new version names', async () => {
    await saveFlow(service, { template: [] });
    await report(service, { fingerprint: fingerprintOf(green) });
    await createServiceAccount(service);
    const form = attestationForm(sampleAttestation('OK'));
    const path = '/attestations/acme/web/trail/main/sonar';
    await call(service, { method: 'POST', path, form, key: await createServiceAccountKey(service) });
    await savePolicy(service, 'known');
    await saveEnvironment(service, 'prod', { policies: ['known'] });
    await reportPods(service, 'prod', pod('web-1', { green }));
    const found = await read(`${schema}artifacts: {attestations: [{type: sonar, from: [service-account:ci]}]}`);
    expect(found.environments).toMatchObject([{ compliant_before: true, compliant_after: true }]);
  });

  it('lists 200 artifacts, and matches patterns in portions', async () => {
    await savePolicy(service, 'known', schema);
    await saveEnvironment(service, 'prod', { policies: ['known'] });
    const images = Array.from(
      { length: 210 },
      (_, index) => [`${'a'.repeat(50)}${index}`, index.toString(16)] as const,
    );
    await reportPods(service, 'prod', pod('web-1', Object.fromEntries(images)));
    await saveEnvironment(service, 'stage', { policies: ['known'] });
    await reportPods(service, 'stage', pod('web-1', { red }));
    const exception = '    exceptions:\n      - if: ${{ matches(artifact.name, "(a|b){1,50}c") }}\n';
    const found = await read(provenancePolicy + exception);
    expect(found).toMatchObject({ changed_environments: 2, changed_artifacts: 211 });
    expect(found.environments[0]).toMatchObject({ artifact_count: 210, artifacts_left_out: 10 });
    expect(found.environments[0]?.artifacts).toHaveLength(200);
    expect(found.environments[1]).toMatchObject({ artifacts: [], artifacts_left_out: 1 });
  });

  it('judges 200 environments, and counts the others', async () => {
    await savePolicy(service, 'known');
    const names = Array.from({ length: 202 }, (_, index) => `place-${index}`);
    await Promise.all(names.map((name) => saveEnvironment(service, name, { policies: ['known'] })));
    const found = await read(strict);
    expect(found).toMatchObject({ attached: true, environments_left_out: 2 });
    expect(found.environments).toHaveLength(200);
  });

  it('says what could not be judged, and judges no more after five such environments', async () => {
    await prepare();
    await changePolicies(service, 'DELETE', 'stage', ['known']);
    const images = Array.from({ length: 300 }, (_, index) => [`image${index}`, index.toString(16)] as const);
    const others = [1, 2, 3, 4, 5].map((number) => `test-${number}`);
    for (const name of others) await saveEnvironment(service, name, { policies: ['known'] });
    for (const name of ['prod', ...others]) await reportPods(service, name, pod('web-1', Object.fromEntries(images)));
    const exception = `      - if: \${{ artifact.name in [${'"a",'.repeat(40)}"b"] }}\n`;
    const found = await read(`${provenancePolicy}    exceptions:\n${exception.repeat(100)}`);
    expect(found.environments.map(({ name }) => name)).toEqual(['empty', 'prod', ...others.slice(0, 4)]);
    expect(found.environments[1]).toMatchObject({
      ...{ name: 'prod', compliant_before: false, compliant_after: false, changed_artifacts: 0, artifacts: [] },
      reasons: [
        {
          about: 'prod with the new version',
          value: 'judging it was stopped: it takes more than 1000000 steps, the limit of one judgement',
        },
      ],
    });
  });

  it('takes the file and the payload of an upload, with the same errors', async () => {
    expect(await preview('artifacts: {}')).toMatchObject({
      ...{ status: 400, body: { errors: { policy_file: 'line 1: `_schema` is missing' } } },
    });
    expect(await preview(strict, { name: 'other' })).toMatchObject({
      ...{ status: 400, body: { errors: { name: 'must be known, as in the path' } } },
    });
  });
});
