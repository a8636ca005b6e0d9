import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { administer, createServiceAccount, createServiceAccountKey } from '../../support/administration.ts';
import {
  changePolicies,
  listVerdicts,
  pod,
  reportPods,
  saveEnvironment,
  savePolicy,
} from '../../support/environment-samples.ts';
import { type LoginFixture, startLoginFixture } from '../../support/login-fixture.ts';
import type { TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import {
  attestationForm,
  commitOf,
  fingerprintOf,
  sampleArtifact,
  saveFlowTemplate,
} from '../../support/service-samples.ts';

const template = `version: 1
trail:
  attestations:
    - name: scan
      type: generic
      from: [rule:trusted-scan]
  artifacts:
    - name: web
      from: [rule:build, service-account:ci]
      attestations: []
`;
const policy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  attestations:
    - name: scan
      type: generic
      from: [rule:trusted-scan, service-account:ci]
`;
const [head, other] = [commitOf('1'), commitOf('2')];

/** Whose evidence counts, as templates and policies say with `from`. */
describe('evidence of those whom a requirement names', () => {
  let fixture: LoginFixture;
  let service: TestService;
  let trail: string;
  let digits: string;
  let web: string;
  let count = 0;
  beforeAll(async () => {
    fixture = await startLoginFixture();
    ({ service } = fixture);
    await createServiceAccount(service);
    await saveRules();
  });
  afterAll(() => fixture.stop());
  beforeEach(async () => {
    count += 1;
    trail = `change-${count}`;
    digits = `${count}abcdef`;
    web = fingerprintOf(digits);
    fixture.clock.offset += 1000;
    expect((await saveFlowTemplate(service, template)).status).toBe(200);
    await begin(head);
  });

  const saveRules = async (): Promise<void> => {
    const pulls = { refs: ['refs/pull/*/merge'], events: ['pull_request'], private_pull_requests: true };
    await fixture.saveRule({ ...pulls, permissions: ['record', 'define'], counts_for_environments: ['*'] }, 'pulls');
    await fixture.saveRule({ events: ['push'] }, 'trusted-scan');
    await fixture.saveRule({ events: ['schedule'] }, 'build');
    await fixture.saveRule({ events: ['workflow_run'], commits: 'any' }, 'after-merge');
  };
  const logIn = (event: string, sha = head): Promise<string> =>
    fixture.logIn(
      event === 'pull_request' ? { event_name: event, ref: 'refs/pull/7/merge', sha } : { event_name: event, sha },
    );
  const begin = (sha1: string): Promise<Called> =>
    call(service, {
      ...{ method: 'PUT', path: '/trails/acme/web' },
      form: attestationForm({ name: trail, git_commit_info: { sha1, url: 'https://git.example.com/1' } }),
    });
  const record = async (key: string, change = {}, headers = {}): Promise<void> => {
    const form = attestationForm({ attestation_name: 'scan', is_compliant: true, ...change });
    const path = `/attestations/acme/web/trail/${trail}/generic`;
    expect((await call(service, { method: 'POST', path, form, key, headers })).status).toBe(201);
  };
  const build = async (key: string, change = {}, headers = {}): Promise<void> => {
    const json = sampleArtifact({ fingerprint: web, template_reference_name: 'web', trail_name: trail, ...change });
    expect((await call(service, { method: 'POST', path: '/artifacts/acme/web', json, key, headers })).status).toBe(201);
  };
  const read = async (path: string): Promise<readonly unknown[]> => {
    const { compliance_state, state, compliant, reasons } = mappingOf(await call(service, { path }));
    const sentences = (reasons as { about: string; value: string; limit?: string }[]).map(
      ({ about, value, limit = '' }) => `${about}: ${value}; ${limit}`,
    );
    return [compliance_state ?? state ?? compliant, ...sentences];
  };
  const readTrail = (): Promise<readonly unknown[]> => read(`/trails/acme/web/${trail}`);
  const override = (key?: string, change = {}): Promise<Called> => {
    const json = {
      ...{ attestation_name: 'scan', reason: 'Known', new_compliance_status: true, user_data: {} },
      ...{ original_attestation_type: 'generic', ...change },
    };
    const path = `/attestations/acme/web/trail/${trail}/override`;
    return call(service, { method: 'POST', path, json, ...(key === undefined ? {} : { key }) });
  };
  const onlyScan = 'only rule trusted-scan counts';
  const onlyBuild = 'only rule build or service account ci counts';

  it('alone satisfies it; that of others is shown, and replaces nothing', async () => {
    const [pulls, scan] = await Promise.all([logIn('pull_request'), logIn('push')]);
    await build(await logIn('schedule'));
    expect(await readTrail()).toEqual(['INCOMPLETE', 'scan: not recorded; generic is required']);
    await record(pulls);
    expect(await readTrail()).toEqual(['INCOMPLETE', `scan: recorded by rule pulls; ${onlyScan}`]);
    await record(service.apiKey);
    expect(await readTrail()).toEqual(['INCOMPLETE', `scan: recorded by admin; ${onlyScan}`]);
    await record(scan);
    expect(await readTrail()).toEqual(['COMPLIANT']);
    await record(pulls);
    const junit_results = [{ name: 'shop', total: 1, failures: 0, errors: 0, skipped: 0, duration: 1 }];
    const form = attestationForm({ attestation_name: 'scan', junit_results });
    await call(service, { method: 'POST', path: `/attestations/acme/web/trail/${trail}/junit`, form, key: pulls });
    expect(await readTrail()).toEqual(['COMPLIANT']);
    // What others say is wrong is wrong.
    await record(pulls, { is_compliant: false });
    expect(await readTrail()).toEqual(['NON-COMPLIANT', 'scan: reported as not compliant; ']);
    await record(pulls);
    expect(await readTrail()).toEqual(['COMPLIANT']);
    // Their green does not hide its red.
    await record(scan, { is_compliant: false });
    await record(pulls);
    expect(await readTrail()).toEqual(['NON-COMPLIANT', 'scan: reported as not compliant; ']);
    const page = await call(service, { at: `${service.url}/acme/flows/web/trails/${trail}`, path: '' });
    expect(page.status).toBe(200);
  });

  it('alone is shown as reported on the page of the trail', async () => {
    await build(service.apiKey);
    const page = await call(service, { at: `${service.url}/acme/flows/web/trails/${trail}`, path: '' });
    expect(page.text).toContain(`recorded by admin; ${onlyBuild}</td>`);
    expect(page.text).not.toContain('not reported');
  });

  it('counts only in a trail of the commit and the repository of its run, unless its rule says otherwise', async () => {
    const elsewhere = `scan: recorded by rule trusted-scan for another commit, or before it was created again; ${onlyScan}`;
    await build(await logIn('schedule'));
    await record(await logIn('push', other));
    expect(await readTrail()).toEqual(['INCOMPLETE', elsewhere]);
    await record(await logIn('push'), {}, { 'replayed-evidence': '?1' });
    expect(await readTrail()).toEqual(['INCOMPLETE', `scan: recorded by workflow:acme/web; ${onlyScan}`]);
    const unknown = await fixture.saveRule(
      { refs: ['refs/pull/*/merge'], events: ['pull_request'], private_pull_requests: true },
      'trusted-scan',
    );
    expect(unknown.status).toBe(200);
    await record(await logIn('pull_request'));
    expect(await readTrail()).toEqual([
      'INCOMPLETE',
      `scan: recorded by rule trusted-scan in a run whose commit is not known; ${onlyScan}`,
    ]);
    await saveRules();
    await record(await logIn('push'));
    // That for another commit does not replace it.
    await record(await logIn('push', other));
    expect(await readTrail()).toEqual(['COMPLIANT']);
    await begin(other);
    await build(await logIn('schedule', other));
    expect(await readTrail()).toEqual(['COMPLIANT']);
    await begin(commitOf('3'));
    expect((await readTrail())[0]).toBe('INCOMPLETE');
    await begin(head);
    const repo_info = { name: 'acme/other', url: 'https://github.com/acme/other', id: '999' };
    const form = attestationForm({ name: trail, repo_info });
    await call(service, { method: 'PUT', path: '/trails/acme/web', form });
    expect(await readTrail()).toEqual([
      'INCOMPLETE',
      elsewhere,
      `web: recorded by rule build for another commit, or before it was created again; ${onlyBuild}`,
    ]);

    expect((await fixture.saveRule({ events: ['push', 'workflow_run'], commits: 'any' }, 'broad')).body).toMatchObject({
      errors: { commits: 'must be left out, because `events` has others than workflow_run' },
    });
  });

  it('counts for any commit if the rule says so, and ends with a rule or an account', async () => {
    await saveFlowTemplate(
      service,
      template.replace('trusted-scan', 'after-merge').replace('from: [rule:build', 'from: [rule:after-merge'),
    );
    const key = await logIn('workflow_run', other);
    await build(key);
    await record(key);
    expect(await readTrail()).toEqual(['COMPLIANT']);
    await administer(service, { method: 'DELETE', path: '/organizations/acme/login-rules/after-merge' });
    expect((await readTrail())[0]).toBe('INCOMPLETE');
    fixture.clock.offset += 1000;
    await saveRules();
    expect(await readTrail()).toEqual([
      'INCOMPLETE',
      'scan: recorded by rule after-merge for another commit, or before it was created again; only rule after-merge counts',
      'web: recorded by rule after-merge for another commit, or before it was created again; only rule after-merge or service account ci counts',
    ]);
  });

  it('can be overridden by an admin and by whom it names, and never with the key of a pull request', async () => {
    await build(await createServiceAccountKey(service));
    await record(await logIn('push'), { is_compliant: false });
    expect((await override(await logIn('pull_request'))).status).toBe(403);
    await createServiceAccount(service, { name: 'robot' });
    expect((await override(await createServiceAccountKey(service, 'robot'))).status).toBe(201);
    expect(await readTrail()).toEqual(['NON-COMPLIANT', 'scan: reported as not compliant; ']);
    expect((await override()).status).toBe(201);
    expect(await readTrail()).toEqual(['COMPLIANT']);
    await record(await logIn('push'), { is_compliant: false });
    expect((await readTrail())[0]).toBe('NON-COMPLIANT');
  });

  it('meets what is announced for later trails', async () => {
    const from = 'from: [rule:trusted-scan]';
    await saveFlowTemplate(service, template.replace(from, `${from}\n      enforce_from: 2999-01-01`));
    await build(await createServiceAccountKey(service));
    const stateInfo = async (): Promise<unknown> =>
      mappingOf(await call(service, { path: `/trails/acme/web/${trail}` }))['state_info'];
    expect(await stateInfo()).toContain('A trail that begins on 2999-01-01 or later would not comply');
    await record(await logIn('push'));
    expect(await stateInfo()).not.toContain('2999');
  });

  it('says that an override of it has ended', async () => {
    await build(await createServiceAccountKey(service));
    await record(await logIn('push'), { is_compliant: false });
    const until = new Date(fixture.clock.now()).toISOString().slice(0, 10);
    expect((await override(undefined, { until })).status).toBe(201);
    expect(await readTrail()).toEqual(['COMPLIANT']);
    fixture.clock.offset += 86_400_000;
    expect(await readTrail()).toEqual([
      'NON-COMPLIANT',
      'scan: reported as not compliant; ',
      `scan: the override by admin ended on ${until}; `,
    ]);
  });

  it('includes the reports of artifacts', async () => {
    const pulls = await logIn('pull_request');
    await record(await logIn('push'));
    await build(pulls);
    const artifact = `/artifacts/acme/web/fingerprint/${web}`;
    const refused = `web: recorded by rule pulls; ${onlyBuild}`;
    expect([await readTrail(), await read(artifact)]).toEqual([
      ['INCOMPLETE', refused],
      ['INCOMPLETE', refused],
    ]);
    const ci = await createServiceAccountKey(service);
    // It delivers what other code of an earlier run has kept.
    for (const unreviewed of [{}, { 'unreviewed-evidence': '?1' }]) {
      await build(ci, {}, { 'replayed-evidence': '?1', ...unreviewed });
      const earlier = 'recorded by service-account:ci for an earlier run, or before an upgrade';
      expect(await readTrail()).toEqual(['INCOMPLETE', `web: ${earlier}; ${onlyBuild}`]);
    }
    await build(ci);
    expect([await readTrail(), await read(artifact)]).toEqual([['COMPLIANT'], ['COMPLIANT']]);
    await build(pulls, { fingerprint: fingerprintOf(`${digits}bad`) });
    expect(await readTrail()).toEqual(['COMPLIANT']);
    expect((await read(`/artifacts/acme/web/fingerprint/${fingerprintOf(`${digits}bad`)}`))[0]).toBe('INCOMPLETE');
    await build(pulls, { fingerprint: fingerprintOf(`${digits}bad`), template_reference_name: 'mine' });
    expect(await read(`/artifacts/acme/web/fingerprint/${fingerprintOf(`${digits}bad`)}`)).toEqual([
      'INCOMPLETE',
      'mine: not an artifact of the template, which says whose artifacts count; ',
    ]);
  });

  it('is what policies ask for, in environments and assertions', async () => {
    await savePolicy(service, 'trusted', policy);
    await saveEnvironment(service, trail);
    await changePolicies(service, 'POST', trail, ['trusted']);
    await build(await logIn('schedule'));
    await reportPods(service, trail, pod('web-1', { web: digits }));
    await record(await logIn('pull_request'), { artifact_fingerprint: web });
    const assertion = `/asserts/acme/fingerprint/${web}?environment_name=${trail}`;
    const limit = 'only rule trusted-scan or service account ci counts';
    expect(await read(assertion)).toEqual([false, `scan: recorded by rule pulls; ${limit}`]);
    await record(await logIn('push', other), { artifact_fingerprint: web });
    expect((await read(assertion))[0]).toBe(false);
    await record(await logIn('push'), { artifact_fingerprint: web });
    await begin(commitOf('3'));
    expect(await listVerdicts(service, trail)).toEqual([false, true, false]);
    const ci = await createServiceAccountKey(service);
    await record(ci, { artifact_fingerprint: web });
    await record(await logIn('pull_request'), { artifact_fingerprint: web, is_compliant: false });
    expect([await read(assertion), await listVerdicts(service, trail)]).toEqual([[true], [false, true, false, true]]);
    await administer(service, { method: 'DELETE', path: '/service-accounts/acme/ci' });
    await createServiceAccount(service);
    expect([(await read(assertion))[0], (await listVerdicts(service, trail)).at(-1)]).toEqual([false, false]);
  });

  it('is asked for although the trail has a template of its own', async () => {
    const form = attestationForm(
      { name: trail, git_commit_info: { sha1: head } },
      { part: 'template_file', content: 'version: 1\ntrail:\n  attestations: [{ name: scan, type: generic }]\n' },
    );
    expect((await call(service, { method: 'PUT', path: '/trails/acme/web', form })).status).toBe(200);
    await record(await logIn('pull_request'));
    expect(await readTrail()).toEqual([
      'INCOMPLETE',
      `scan: recorded by rule pulls; ${onlyScan}`,
      'web: not reported; ',
    ]);
  });

  it('is refused in a form that names nobody', async () => {
    const wrong = template.replace('rule:trusted-scan', 'trusted-scan').replace('service-account:ci', 'user:ann');
    expect((await saveFlowTemplate(service, wrong)).body).toMatchObject({
      errors: {
        template_file:
          '2 validation errors for Template\n' +
          'line 6: `trail.attestations.0.from.0` must be rule:NAME or service-account:NAME; it is trusted-scan\n' +
          'line 9: `trail.artifacts.0.from.1` must be rule:NAME or service-account:NAME; it is user:ann',
      },
    });
  });
});
