import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import {
  attestationForm,
  commitOf,
  fingerprintOf,
  report,
  sampleArtifact,
  saveFlowTemplate,
} from '../../support/service-samples.ts';

const web = fingerprintOf('aaaaaa');
const template = `version: 1
trail:
  attestations:
    - name: unit
      type: junit
      require: \${{ evidence.tests >= 10 and evidence.skipped == 0 }}
`;
const policy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  attestations:
    - type: junit
      name: unit
      must_be_compliant: false
      require: \${{ evidence.tests >= 20 }}
`;

/** A condition is enforced wherever evidence is judged. */
describe('a requirement of a template or a policy', () => {
  let service: TestService;
  let time = Date.UTC(2026, 10, 26);
  const record = async (total: number, path = '/attestations/acme/web/trail/main/junit'): Promise<void> => {
    const junit_results = [{ name: 'shop', total, failures: 0, errors: 0, skipped: 0, duration: 1 }];
    const form = attestationForm({ attestation_name: 'unit', junit_results });
    expect((await call(service, { method: 'POST', path, form })).status).toBe(201);
  };
  const read = async (path: string): Promise<unknown> => {
    const { body } = await call(service, { path });
    const { reasons, state, compliance_state, compliant } = body as Record<string, unknown>;
    const words = (reasons as { value: string; limit?: string }[]).map(({ value, limit }) => `${value}; ${limit}`);
    return [state ?? compliance_state ?? compliant, ...words];
  };
  beforeAll(async () => {
    service = await startTestService({ sources: { now: () => time } });
    expect((await saveFlowTemplate(service, template)).status).toBe(201);
    await report(service, { fingerprint: web, filename: 'web.tgz' });
    expect((await savePolicy(service, 'strict', policy)).status).toBeLessThan(300);
    await saveEnvironment(service, 'prod');
    await changePolicies(service, 'POST', 'prod', ['strict']);
    await reportPods(service, 'prod', pod('web', { 'web.tgz': 'aaaaaa' }));
  });
  afterAll(() => stopWithoutErrors(service));

  it('is part of the verdict of the trail, the artifact and the environment, with the facts', async () => {
    await record(9);
    const failed = [
      'NON-COMPLIANT',
      'tests is 9, skipped is 0; evidence.tests >= 10 and evidence.skipped == 0 is required',
    ];
    expect(await read('/trails/acme/web/main')).toEqual(failed);
    expect(await read(`/artifacts/acme/web/fingerprint/${web}`)).toEqual(failed);
    const byPolicy = [false, 'tests is 9; evidence.tests >= 20 is required'];
    expect(await read(`/asserts/acme/fingerprint/${web}?environment_name=prod`)).toEqual(byPolicy);

    await record(10);
    expect(await read('/trails/acme/web/main')).toEqual(['COMPLIANT']);
    const stillByPolicy = [false, 'tests is 10; evidence.tests >= 20 is required'];
    expect(await read(`/asserts/acme/fingerprint/${web}?environment_name=prod`)).toEqual(stillByPolicy);

    await record(20);
    expect(await read('/snapshots/acme/prod/-1')).toEqual([true]);
  });

  it('holds for trails that begin on its day or later, and until then the verdict says what would break it', async () => {
    const announced = `${template}    - {name: scan, type: snyk, enforce_from: 2026-12-01}
  artifacts:
    - {name: web, attestations: [{name: bill, type: sbom, enforce_from: 2026-12-01}]}
`;
    expect((await saveFlowTemplate(service, announced, 'timed')).status).toBe(201);
    const begin = async (name: string): Promise<unknown> => {
      const json = { fingerprint: fingerprintOf(name), filename: 'web.tgz', template_reference_name: 'web' };
      await call(service, {
        ...{ method: 'POST', path: '/artifacts/acme/timed' },
        json: sampleArtifact({ ...json, trail_name: name }),
      });
      await record(10, `/attestations/acme/timed/trail/${name}/junit`);
      const { body } = await call(service, { path: `/trails/acme/timed/${name}` });
      const { compliance_state: state, state_info: info } = body as Record<string, unknown>;
      const artifact = await call(service, { path: `/artifacts/acme/timed/fingerprint/${json.fingerprint}` });
      return [state, info, valueAt(artifact.body, 'state_info')];
    };
    const missing =
      'scan: not recorded; snyk is required (template of the flow). web.bill: not recorded; sbom is required (template of the flow).';
    const later = `All evidence is compliant: unit. A trail that begins on 2026-12-01 or later would not comply: ${missing}`;
    expect(await begin('aaa')).toEqual(['COMPLIANT', later, later]);
    const form = attestationForm({ name: 'ddd' }, { part: 'template_file', name: 'own.yml', content: announced });
    await call(service, { method: 'PUT', path: '/trails/acme/timed', form });
    expect(await begin('ddd')).toEqual(['COMPLIANT', expect.stringContaining('would not comply'), expect.anything()]);
    const now = time;
    time = Date.UTC(2026, 11, 1);
    expect(await begin('bbb')).toEqual(['INCOMPLETE', missing, missing]);
    expect(await begin('aaa')).toEqual(['COMPLIANT', later, later]);
    // A trail from before does not take its rules to another commit.
    for (const [sha1, state] of [
      [commitOf('1'), 'COMPLIANT'],
      [commitOf('2'), 'INCOMPLETE'],
      [commitOf('2'), 'INCOMPLETE'],
    ] as const) {
      const form = attestationForm({ name: 'aaa', git_commit_info: { sha1, url: 'https://git.example.com/1' } });
      await call(service, { method: 'PUT', path: '/trails/acme/timed', form });
      expect(await begin('aaa')).toEqual([state, expect.anything(), expect.anything()]);
    }
    time = now;
  });

  it('with an age is judged again with each report', async () => {
    const aging = policy.replace('must_be_compliant: false', 'max_age: 2h').replace('tests >= 20', 'tests >= 1');
    expect((await savePolicy(service, 'aging', aging)).status).toBeLessThan(300);
    await saveEnvironment(service, 'aging');
    await changePolicies(service, 'POST', 'aging', ['aging']);
    await record(20);
    await reportPods(service, 'aging', pod('web', { 'web.tgz': 'aaaaaa' }));
    expect(await read('/snapshots/acme/aging/-1')).toEqual([true]);
    await saveEnvironment(service, 'member');
    const json = { name: 'whole', type: 'logical', included_environments: ['member'], policies: ['aging'] };
    await call(service, { method: 'PUT', path: '/environments/acme', json });
    await reportPods(service, 'member', pod('web', { 'web.tgz': 'aaaaaa' }));
    expect(await read('/snapshots/acme/whole/-1')).toEqual([true]);
    time += 2 * 3600_000 + 1000;
    await reportPods(service, 'aging', pod('web', { 'web.tgz': 'aaaaaa' }));
    expect(await read('/snapshots/acme/aging/-1')).toEqual([false, '3 h old; at most 2 h']);
    await reportPods(service, 'member', pod('web', { 'web.tgz': 'aaaaaa' }));
    expect(await read('/snapshots/acme/whole/-1')).toEqual([false, '3 h old; at most 2 h']);
  });

  it('is refused if it cannot be read, with its line', async () => {
    const wrong = policy.replace('evidence.tests', 'tests');
    expect((await savePolicy(service, 'wrong', wrong)).body).toMatchObject({
      errors: {
        policy_file:
          'line 7: `artifacts.attestations.0.require` expects a text in quotes, a number, `evidence.<fact>` at "tests"',
      },
    });
  });
});
