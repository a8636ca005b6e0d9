import { beforeEach, describe, expect, it } from '@jest/globals';
import { listVerdicts, pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import {
  attestationForm,
  commitOf,
  fingerprintOf,
  report,
  sampleTemplate,
  saveFlow,
  saveFlowTemplate,
  stateOf,
} from '../../support/service-samples.ts';

const fingerprint = fingerprintOf('abcdef');

describe('an override of an attestation', () => {
  let service: TestService;
  let now = Date.UTC(2026, 11, 31, 12);
  const openOrganization = shareTestService({ sources: { now: () => now } });
  beforeEach(async () => {
    now = Date.UTC(2026, 11, 31, 12);
    service = await openOrganization();
  });

  const attest = (document: object): Promise<Called> =>
    call(service, {
      ...{ method: 'POST', path: `/attestations/${service.org}/web/trail/main/generic` },
      form: attestationForm({ attestation_name: 'scan', is_compliant: false, ...document }),
    });
  const override = (change: object = {}): Promise<Called> =>
    call(service, {
      ...{ method: 'POST', path: `/attestations/${service.org}/web/trail/main/override` },
      json: {
        ...{ attestation_name: 'scan', reason: 'Reviewed <by hand>', new_compliance_status: true, user_data: {} },
        ...{ original_attestation_type: 'generic', ...change },
      },
    });
  const read = async (name = 'scan'): Promise<readonly unknown[]> =>
    (await call(service, { path: `/attestations/${service.org}/web/trail/main/${name}` })).body as unknown[];

  it('counts for the trail, is shown with who, why and the original, and ends with new evidence', async () => {
    await saveFlowTemplate(
      service,
      'version: 1\ntrail:\n  attestations: [{ name: scan, type: generic, require: "${{ evidence.is_compliant == true }}" }]\n',
    );
    await attest({ description: 'Nightly' });
    const [original] = (await read()) as [{ attestation_id: string }];
    const stateOfTrail = async (): Promise<unknown> =>
      mappingOf(await call(service, { path: `/trails/${service.org}/web/main` }))['compliance_state'];
    expect(await stateOfTrail()).toBe('NON-COMPLIANT');
    expect((await override()).status).toBe(201);
    expect(await stateOfTrail()).toBe('COMPLIANT');
    const mark = {
      attestation_id: original.attestation_id,
      was_compliant: false,
      by: 'admin',
      reason: 'Reviewed <by hand>',
    };
    const [latest, before] = await read();
    expect(latest).toMatchObject({
      ...{ attestation_type: 'generic', is_compliant: true, description: 'Nightly', override: mark },
      status_info: 'overridden by admin as compliant: Reviewed <by hand>',
    });
    expect(before).toMatchObject({ attestation_id: original.attestation_id, is_compliant: false });
    const { attestation_id: id } = latest as { attestation_id: string };
    const page = await call(service, {
      at: service.url,
      path: `/${service.org}/flows/web/trails/main/attestations/${id}`,
    });
    expect(page.text).toContain('the original, not compliant');
    expect(page.text).toContain('Reviewed &lt;by hand&gt;');
    const events = await call(service, { path: `/organizations/${service.org}/audit-log?type=attestation_overridden` });
    expect(events.body).toMatchObject({
      data: [
        { actor: 'admin', subject: 'flow web', details: { trail: 'main', attestation: 'scan', verdict: 'compliant' } },
      ],
    });
    await attest({});
    expect(await stateOfTrail()).toBe('NON-COMPLIANT');
  });

  it('counts for an artifact, and for the environments that run it', async () => {
    await saveFlow(service, { template: ['scan'] });
    await report(service, { fingerprint });
    await attest({ artifact_fingerprint: fingerprint });
    await savePolicy(service, 'strict', '_schema: https://x/v1\nartifacts:\n  trail-compliance:\n    required: true\n');
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    expect((await override({ artifact_fingerprint: fingerprint })).status).toBe(201);
    expect(await stateOf(service)).toBe('COMPLIANT');
    expect((await override({ artifact_fingerprint: fingerprint, new_compliance_status: false })).status).toBe(201);
    expect(await stateOf(service)).toBe('NON-COMPLIANT');
    expect(await listVerdicts(service, 'prod')).toEqual([false, true, false]);
    const assertion = await call(service, { path: `/asserts/${service.org}/fingerprint/${fingerprint}` });
    expect(assertion.body).toMatchObject({
      compliant: false,
      reasons: [{ about: 'scan', value: 'overridden by admin as non-compliant: Reviewed <by hand>' }],
    });
  });

  it('counts for an artifact of the template, for the commit of the original', async () => {
    await saveFlowTemplate(service, sampleTemplate({ unit: 'generic' }, { scan: 'generic' }));
    const commit = { sha1: commitOf('1'), message: 'x', author: 'Ann <a@b>', branch: 'main', timestamp: 5 };
    await report(service, { fingerprint, git_commit: commit.sha1, template_reference_name: 'web' });
    await attest({ attestation_name: 'unit', is_compliant: true });
    await attest({ target_artifacts: ['web'], git_commit_info: commit });
    expect(await stateOf(service)).toBe('NON-COMPLIANT');
    expect((await override({ target_artifacts: ['web'] })).status).toBe(404);
    expect((await override({ attestation_name: 'web.scan', git_commit_info: commit })).status).toBe(201);
    expect(await stateOf(service)).toBe('COMPLIANT');
  });

  it('is about no more artifacts of the template than it counts for', async () => {
    await saveFlow(service);
    await attest({ attestation_name: 'web.scan', target_artifacts: ['api'] });
    expect((await override({ target_artifacts: ['api'] })).status).toBe(201);
    expect(await read()).toMatchObject([
      { attestation_name: 'scan', target_artifacts: ['api'], is_compliant: true },
      { attestation_name: 'web.scan', target_artifacts: ['api'], is_compliant: false },
    ]);
  });

  it('keeps the name of an original that has a fingerprint, because it replaces it as a whole', async () => {
    await saveFlow(service);
    await report(service, { fingerprint });
    await attest({ attestation_name: 'web.scan', artifact_fingerprint: fingerprint });
    expect((await override({ attestation_name: 'web.scan', artifact_fingerprint: fingerprint })).status).toBe(201);
    const named = { attestation_name: 'web.scan', artifact_fingerprint: fingerprint };
    expect(await read()).toMatchObject([named, named]);
  });

  it('counts until the end of its last day in UTC, then the original counts again', async () => {
    await saveFlow(service, { template: ['scan'] });
    await report(service, { fingerprint });
    await attest({ artifact_fingerprint: fingerprint });
    const [original] = (await read()) as [{ attestation_id: string }];
    await savePolicy(service, 'strict', '_schema: https://x/v1\nartifacts:\n  trail-compliance:\n    required: true\n');
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    const reportAgain = (): Promise<unknown> => reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    const find = async (path: string): Promise<unknown> => (await call(service, { path })).body;
    await reportAgain();
    expect(await override({ artifact_fingerprint: fingerprint, until: '2026-12-30' })).toMatchObject({
      status: 400,
      body: { errors: { until: 'must not be before today in UTC [input: 2026-12-30]' } },
    });
    // The second one replaces the first one, also after its own end.
    for (const until of ['2026-12-31', '2027-01-01']) {
      expect((await override({ artifact_fingerprint: fingerprint, until })).status).toBe(201);
    }
    expect(await read()).toMatchObject([
      {
        status_info: 'overridden by admin as compliant until 2027-01-01: Reviewed <by hand>',
        override: { until: '2027-01-01' },
      },
      { override: { until: '2026-12-31', attestation_id: original.attestation_id } },
      { attestation_id: original.attestation_id },
    ]);
    now = Date.UTC(2027, 0, 1, 23, 59, 59);
    expect(await stateOf(service)).toBe('COMPLIANT');
    await reportAgain();
    expect(await listVerdicts(service, 'prod')).toEqual([false, true, true]);
    const page = await call(service, { at: service.url, path: `/${service.org}/environments/prod/3` });
    expect(page.text).toContain('An override of its evidence ends on 2027-01-01.');

    now = Date.UTC(2027, 0, 2);
    const listReasons = (about: string) => [
      { about, state: 'failed', html_url: expect.stringContaining(original.attestation_id) },
      { about, state: 'failed', value: 'the override by admin ended on 2027-01-01' },
    ];
    expect(await find(`/asserts/${service.org}/fingerprint/${fingerprint}`)).toMatchObject({
      compliant: false,
      reasons: listReasons('scan'),
    });
    expect(await find(`/artifacts/${service.org}/web/fingerprint/${fingerprint}`)).toMatchObject({
      state: 'NON-COMPLIANT',
      reasons: listReasons('scan'),
    });
    expect(await find(`/trails/${service.org}/web/main`)).toMatchObject({
      compliance_state: 'NON-COMPLIANT',
      reasons: listReasons('web.tar.scan'),
    });
    const ended = {
      ...{ is_compliant: false, override: { until: '2027-01-01' } },
      reasons: [{ value: 'reported as not compliant' }, { value: 'the override by admin ended on 2027-01-01' }],
    };
    expect(await find(`/attestations/${service.org}/web`)).toMatchObject({ data: [ended, {}, {}] });
    const found = (await read()) as readonly { attestation_id: string; html_url: string }[];
    expect(found).toMatchObject([ended, {}, {}]);
    const [{ attestation_id: id, html_url: shown } = { attestation_id: '', html_url: '' }] = found;
    expect(await find(`/attestations/${service.org}?attestation_id=${id}`)).toMatchObject({ data: [ended] });
    const { text } = await call(service, { at: '', path: shown });
    expect(text).toMatch(/ Not compliant<\/span> <span>[^<]*The override by admin ended on 2027-01-01\.</iu);
    await reportAgain();
    expect(await listVerdicts(service, 'prod')).toEqual([false, true, true, false]);
    expect((await override({ artifact_fingerprint: fingerprint })).status).toBe(201);
    expect(await read()).toMatchObject([
      { override: { attestation_id: original.attestation_id, was_compliant: false } },
      ...Array.from({ length: 3 }, () => ({})),
    ]);
    expect(await stateOf(service)).toBe('COMPLIANT');
  });

  it('needs an attestation of the name and type', async () => {
    await saveFlow(service);
    await attest({});
    expect(await override({ attestation_name: 'other' })).toMatchObject({
      status: 404,
      body: {
        message: `Attestation 'other' does not exist in trail 'main' of flow 'web' belonging to organization '${service.org}', so there is nothing to override`,
      },
    });
    expect((await override({ artifact_fingerprint: fingerprint })).status).toBe(404);
    expect(await override({ original_attestation_type: 'junit' })).toMatchObject({
      status: 400,
      body: { errors: { original_attestation_type: 'must be generic, the type on record [input: junit]' } },
    });
    expect(await override({ reason: '' })).toMatchObject({
      status: 400,
      body: { errors: { reason: expect.anything() } },
    });
    expect(await read()).toHaveLength(1);
  });
});
