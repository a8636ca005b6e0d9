import { beforeEach, describe, expect, it } from '@jest/globals';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  commitOf,
  fingerprintOf,
  report,
  sampleAttestation,
  sampleTemplate,
  saveFlowTemplate,
} from '../../support/service-samples.ts';

const file = sampleTemplate({ ticket: 'generic' }, { sonar: 'sonar' });

const form = (document: object, template?: string): FormData =>
  attestationForm(
    document,
    template === undefined ? undefined : { part: 'template_file', name: 'template.yml', content: template },
  );

describe('trails and templates', () => {
  let service: TestService;
  let now = Date.now();
  const openOrganization = shareTestService({ sources: { now: () => now } });
  beforeEach(async () => {
    service = await openOrganization();
  });

  const saveFlow = (template: string, name = 'web'): Promise<Called> => saveFlowTemplate(service, template, name);
  const begin = (document: object, template?: string, flow = 'web'): Promise<Called> =>
    call(service, { method: 'PUT', path: `/trails/${service.org}/${flow}`, form: form(document, template) });
  const read = async (path: string): Promise<unknown> => (await call(service, { path })).body;

  const git = { sha1: commitOf('1'), author: 'Ann <a@b>', message: 'feat', branch: 'main', timestamp: 5 };
  const attestTicket = (): Promise<Called> =>
    call(service, {
      method: 'POST',
      path: `/attestations/${service.org}/web/trail/main/generic`,
      form: form({ attestation_name: 'ticket', git_commit_info: git }),
    });
  const reportWeb = async (): Promise<void> => {
    expect((await report(service, { template_reference_name: 'web' })).status).toBe(201);
    await attest(service, sampleAttestation('OK', { target_artifacts: ['web'] }));
  };

  it('were last modified when something was last recorded in them', async () => {
    await saveFlow(file);
    for (const record of [() => begin({ name: 'main' }), attestTicket, () => report(service)]) {
      now += 1000;
      await record();
      expect(await read(`/trails/${service.org}/web/main`)).toMatchObject({ last_modified_at: now / 1000 });
    }
    const before = await read(`/trails/${service.org}/web/main`);
    now += 1000;
    await report(service, { trail_name: 'another' });
    await attest(service, sampleAttestation('OK'), 'another');
    expect(await read(`/trails/${service.org}/web/main`)).toEqual(before);
  });

  it('tell the story of one change', async () => {
    expect((await saveFlow(file)).status).toBe(201);
    expect((await saveFlow(`# changed\n${file}`)).status).toBe(200);
    expect(await read(`/flows/${service.org}/web`)).toMatchObject({
      name: 'web',
      visibility: 'private',
      template: expect.stringMatching(/^version: 1\ntrail:\n {2}attestations:\n {4}- name: "ticket"\n/u),
    });
    const document = { name: 'main', description: 'A change', git_commit_info: git, user_data: { id: 7 } };
    expect(await begin(document)).toMatchObject({ status: 201, body: 'OK' });
    expect((await begin({ name: 'main', origin_url: 'https://ci' })).status).toBe(200);
    expect(await read(`/trails/${service.org}/web/main`)).toMatchObject({
      ...document,
      origin_url: 'https://ci',
      compliance_state: 'INCOMPLETE',
      compliance_status: {
        attestations_statuses: [
          { attestation_name: 'ticket', attestation_type: 'generic', status: 'MISSING', is_compliant: false },
        ],
        artifacts_statuses: { web: { status: 'MISSING', attestations_statuses: [{ status: 'MISSING' }] } },
      },
      events: [{ type: 'trail_reported' }, { type: 'trail_updated' }],
    });

    await reportWeb();
    await attest(service, sampleAttestation('OK', { attestation_name: 'extra' }));
    const fingerprint = fingerprintOf('abcdef');
    expect(await read(`/artifacts/${service.org}/web/fingerprint/${fingerprint}`)).toMatchObject({
      state: 'INCOMPLETE',
      state_info: 'ticket: not recorded; generic is required (template of the flow).',
      template: ['artifact', 'ticket', 'sonar'],
    });
    expect(await read(`/trails/${service.org}/web/main`)).toMatchObject({
      compliance_status: { artifacts_statuses: { web: { status: 'INCOMPLETE', is_compliant: false } } },
    });
    await attestTicket();
    const trail = mappingOf(await call(service, { path: `/trails/${service.org}/web/main` }));
    expect(trail).toMatchObject({
      compliance_state: 'COMPLIANT',
      compliance_status: {
        attestations_statuses: [
          { attestation_name: 'ticket', status: 'COMPLETE', is_compliant: true, unexpected: false },
          { attestation_name: 'extra', unexpected: true },
        ],
        artifacts_statuses: { web: { status: 'COMPLIANT', artifact_fingerprint: fingerprint } },
      },
    });
    expect((trail['events'] as { type: string }[]).map(({ type }) => type)).toEqual([
      'trail_reported',
      'trail_updated',
      'artifact_creation_reported',
      'trail_attestation_for_artifact_reported',
      'trail_attestation_reported',
      'trail_attestation_reported',
    ]);
    expect(await read(`/trails/${service.org}?flow=web`)).toMatchObject({
      data: [{ name: 'main', description: 'A change', compliance_state: 'COMPLIANT' }],
      pagination: { page: 1, page_count: 1, total: 1 },
    });
    const page = await fetch(`${service.url}/${service.org}/flows/web/trails/main`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    expect(await page.text()).toContain('</span> Compliant</span>');
  });

  const pageOf = async (trail: string): Promise<string> => {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    return (await fetch(`${service.url}/${service.org}/flows/web/trails/${trail}`, { headers })).text();
  };

  it('show the commit, the repository and the run of the attestation that begins them', async () => {
    await saveFlow(file);
    const repository = { name: 'acme/web', url: 'https://git/acme/web' };
    const evidence = { git_commit_info: git, repo_info: repository, origin_url: 'https://ci/run/7' };
    await attest(service, sampleAttestation('OK', evidence), 'first');
    const later = { git_commit_info: { sha1: commitOf('2') }, origin_url: 'https://ci/run/8' };
    await attest(service, sampleAttestation('OK', later), 'first');
    const about = { git_commit_info: git, repo_info: repository, origin_url: 'https://ci/run/7' };
    expect(await read(`/trails/${service.org}/web/first`)).toMatchObject({
      ...about,
      events: [{ type: 'trail_reported', git_commit_info: { sha1: git.sha1 } }, {}, {}],
    });
    const page = await pageOf('first');
    for (const shown of [git.sha1.slice(0, 7), 'feat', 'Ann &lt;a@b&gt;', 'href="https://ci/run/7"', 'acme/web']) {
      expect(page).toContain(shown);
    }
    expect((await begin({ name: 'first', git_commit_info: later.git_commit_info })).status).toBe(200);
    expect(await read(`/trails/${service.org}/web/first`)).toMatchObject({
      ...about,
      git_commit_info: { sha1: commitOf('2'), message: '' },
    });
  });

  it('show the commit and the build of the artifact that begins them', async () => {
    await saveFlow(file);
    await report(service, { trail_name: 'short', git_commit: commitOf('3') });
    const [url, origin] = ['https://git.example.com/acme/web/commit', 'https://ci.example.com/builds/7'];
    expect(await read(`/trails/${service.org}/web/short`)).toMatchObject({
      git_commit_info: { sha1: commitOf('3'), message: '', url: `${url}/${commitOf('1')}` },
      origin_url: origin,
    });
    await report(service, { trail_name: 'full', git_commit: git.sha1, git_commit_info: git });
    expect(await read(`/trails/${service.org}/web/full`)).toMatchObject({ git_commit_info: git, origin_url: origin });
    expect(await pageOf('full')).toContain('feat');
  });

  it('keep the commit that they were begun with', async () => {
    await saveFlow(file);
    await begin({ name: 'main', git_commit_info: git });
    await attest(service, sampleAttestation('OK', { git_commit_info: { sha1: commitOf('2') } }));
    await report(service, { git_commit: commitOf('3') });
    expect(await read(`/trails/${service.org}/web/main`)).toMatchObject({ git_commit_info: git });
  });

  it('judge the artifacts of a trail by its own template, at once', async () => {
    await saveFlow(file);
    const fingerprint = fingerprintOf('beef');
    await report(service, { fingerprint, trail_name: 'own', template_reference_name: 'web' });
    const state = async (): Promise<unknown> =>
      mappingOf(await call(service, { path: `/artifacts/${service.org}/web/fingerprint/${fingerprint}` }))['state'];
    expect(await state()).toBe('INCOMPLETE');
    expect((await begin({ name: 'own' }, 'version: 1\n')).status).toBe(200);
    expect(await state()).toBe('COMPLIANT');
  });

  it('judge a file that has the name of an artifact of the template beside that', async () => {
    await saveFlow(sampleTemplate({}, { sonar: 'sonar' }).replace('attestations:\n  artifacts', 'artifacts'));
    await reportWeb();
    const verdict = async (): Promise<unknown> => {
      const { reasons, compliance_status } = mappingOf(
        await call(service, { path: `/trails/${service.org}/web/main` }),
      );
      const { artifacts_statuses } = compliance_status as { readonly artifacts_statuses: object };
      return { reasons, artifacts_statuses };
    };
    const web = { status: 'COMPLIANT', unexpected: false };
    const fingerprint = fingerprintOf('def');
    await report(service, { fingerprint, filename: 'web' });
    expect(await verdict()).toMatchObject({ reasons: [], artifacts_statuses: { web } });
    await attest(service, sampleAttestation('ERROR', { artifact_fingerprint: fingerprint }));
    await report(service, { template_reference_name: 'web' });
    expect(await verdict()).toMatchObject({ reasons: [{ about: 'web.sonar' }], artifacts_statuses: { web } });
  });

  it('reject a bad template, with its lines', async () => {
    await saveFlow(file);
    const bad = 'version: 1\ntrail:\n  attestations:\n    - {name: a, type: none}\n    - {name: a, type: junit}\n';
    for (const answer of [await saveFlow(bad), await begin({ name: 'bad' }, bad)]) {
      expect(answer).toMatchObject({
        status: 400,
        body: {
          message: 'Input payload validation failed',
          errors: {
            template_file: expect.stringMatching(
              /^2 validation errors for Template\nline 4: .* it is none\nline 5: .*$/u,
            ),
          },
        },
      });
    }
    expect(await begin({ name: 'a b' })).toMatchObject({
      status: 400,
      body: { errors: { name: expect.stringContaining('a b') } },
    });
    expect((await begin({ name: 'main' }, undefined, 'none')).body).toMatchObject({
      message: `Flow named 'none' does not exist for organization '${service.org}'`,
    });
    const large = await begin({ name: 'main' }, `version: 1\n#${'x'.repeat(256 * 1024)}`);
    expect(large).toMatchObject({ status: 413, body: { message: 'The template file exceeds 256 KiB' } });
    expect(await read(`/trails/${service.org}/web/bad`)).toMatchObject({
      message: `Trail with name 'bad' does not exist for Organization '${service.org}' and Flow 'web'`,
    });
    expect(await call(service, { path: `/trails/${service.org}/none/bad` })).toMatchObject({
      status: 404,
      body: { message: `Flow named 'none' does not exist for organization '${service.org}'` },
    });
  });

  it('are found by flow, artifact and tag', async () => {
    await saveFlow(file);
    await begin({ name: 'main' });
    await report(service, { fingerprint: fingerprintOf('beef'), trail_name: 'own' });
    const names = async (query: string): Promise<unknown> =>
      (mappingOf(await call(service, { path: `/trails/${service.org}?${query}` }))['data'] as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await names('')).toEqual(['own', 'main']);
    expect(await names('per_page=1&page=2')).toEqual(['main']);
    expect(await names('flow=none')).toEqual([]);
    expect(await names(`fingerprint=${fingerprintOf('beef')}`)).toEqual(['own']);
    expect(await names('flow_tag=a=b')).toEqual([]);
  });

  it('return attestations by name and by id', async () => {
    await saveFlow(file);
    await reportWeb();
    await attestTicket();
    const [first] = (await read(`/attestations/${service.org}/web/trail/main/sonar`)) as [Record<string, unknown>];
    expect(first).toMatchObject({ attestation_name: 'sonar', attestation_type: 'sonar', is_compliant: true });
    expect(await read(`/attestations/${service.org}/web/trail/main/web.sonar`)).toEqual([first]);
    expect(await read(`/attestations/${service.org}/web/trail/main/api.sonar`)).toEqual([]);
    const fingerprint = fingerprintOf('abcdef');
    expect(await read(`/attestations/${service.org}/web/artifact/${fingerprint}/sonar`)).toEqual([first]);
    expect(await read(`/attestations/${service.org}/web/artifact/${fingerprint}/ticket`)).toMatchObject([
      { git_commit_info: { sha1: commitOf('1'), timestamp: 5 } },
    ]);
    expect(await read(`/attestations/${service.org}/web/artifact/${fingerprintOf('e')}/sonar`)).toEqual([]);
    expect(await read(`/attestations/${service.org}?attestation_id=${String(first['attestation_id'])}`)).toMatchObject({
      data: [first],
    });
    expect((await call(service, { path: `/attestations/${service.org}/none/trail/main/sonar` })).status).toBe(404);
  });

  it('list the flows, all or by page and name', async () => {
    await saveFlow(file);
    await saveFlow('version: 1', 'api');
    expect(await read(`/flows/${service.org}`)).toEqual([
      { name: 'api', org: service.org, description: '', visibility: 'private', tags: {}, archived: false },
      expect.objectContaining({ name: 'web' }),
    ]);
    expect(await read(`/flows/${service.org}?per_page=1&page=2`)).toMatchObject({
      data: [{ name: 'web' }],
      pagination: { page: 2, page_count: 2, total: 2 },
    });
    expect(await read(`/flows/${service.org}?search_by_name=API&case_sensitive=false`)).toMatchObject([
      { name: 'api' },
    ]);
    expect(await read(`/flows/${service.org}?search_by_name=API`)).toEqual([]);
  });
});
