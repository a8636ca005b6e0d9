import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reason } from '../../../src/contract/reason.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  fingerprintOf,
  report,
  sampleArtifact,
  sampleAttestation,
  sampleTemplate,
  saveFlow,
  saveFlowTemplate,
} from '../../support/service-samples.ts';

const template = sampleTemplate({ review: 'pull_request', vulnerabilities: 'snyk' }, { sonar: 'sonar', unit: 'junit' });
const policy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  attestations:
    - {type: sonar, name: sonar}
    - {type: junit, name: unit}
`;
const web = fingerprintOf('aaaaaa');

/** What everything that is judged says about one artifact with every kind of shortcoming. */
describe('the reasons of a verdict', () => {
  let service: TestService;
  const post = async (kind: string, document: object): Promise<void> => {
    const path = `/attestations/acme/web/trail/main/${kind}`;
    expect(await call(service, { method: 'POST', path, form: attestationForm(document) })).toMatchObject({
      status: 201,
    });
  };
  beforeAll(async () => {
    service = await startTestService();
    expect((await saveFlowTemplate(service, template)).status).toBe(201);
    await report(service, { fingerprint: web, template_reference_name: 'web', filename: 'web.tgz' });
    const conditions = [
      { metric: 'new_coverage', operator: 'LT', errorThreshold: '80', value: '61.2', status: 'ERROR' },
      { metric: 'new_bugs', operator: 'GT', errorThreshold: '0', value: '0', status: 'OK' },
    ];
    const sonar_results = { project: { key: 'web' }, qualityGate: { status: 'ERROR', conditions } };
    const target_artifacts = ['web'];
    await attest(service, { ...sampleAttestation('ERROR'), sonar_results, target_artifacts });
    await post('generic', { attestation_name: 'unit', target_artifacts });
    const description = '2 high vulnerabilities <b>';
    await post('generic', { attestation_name: 'scan', is_compliant: false, description });
    const pull_requests = [
      { merge_commit: '', url: 'https://example.com/pull/1', state: 'OPEN', approvers: [], commits: [] },
    ];
    const rule = { minimum_approvals: 2, approvals: 0 };
    await post('pull_request', {
      ...{ attestation_name: 'review', git_provider: 'github', pull_requests, user_data: { rule } },
    });
    await savePolicy(service, 'strict', policy);
    for (const name of ['prod', 'other']) await saveEnvironment(service, name);
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod', 'other'] });
    await changePolicies(service, 'POST', 'prod', ['strict']);
    await reportPods(service, 'prod', pod('web', { 'web.tgz': 'aaaaaa' }), pod('unknown', { 'unknown.tgz': 'bbbbbb' }));
  });
  afterAll(() => stopWithoutErrors(service));

  const read = async (path: string, ...keys: readonly (string | number)[]): Promise<unknown> => {
    const { status, body } = await call(service, { path });
    expect(status).toBe(200);
    return keys.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], body);
  };
  const attestationPage = (): unknown => expect.stringContaining('/acme/flows/web/trails/main/attestations/');

  const trailReasons = (): unknown[] => [
    {
      ...{ state: 'failed', about: 'review', value: '0 approvals', limit: 'at least 2 are required' },
      html_url: attestationPage(),
    },
    {
      ...{ state: 'failed', about: 'scan', value: 'reported as not compliant' },
      ...{ description: '2 high vulnerabilities <b>', html_url: attestationPage() },
    },
    {
      ...{ state: 'failed', about: 'web.sonar', value: 'new_coverage is 61.2', limit: 'at least 80 is required' },
      ...{ rule: 'quality gate', html_url: attestationPage() },
    },
    {
      ...{ state: 'missing', about: 'vulnerabilities', value: 'not recorded', rule: 'template of the flow' },
      limit: 'snyk is required',
      html_url: `${service.url}/acme/flows/web/trails/main#evidence-vulnerabilities`,
    },
    {
      ...{ state: 'missing', about: 'web.unit', value: 'recorded as generic', limit: 'junit is required' },
      ...{ rule: 'template of the flow', html_url: attestationPage() },
    },
  ];

  it('are the same for the trail, the artifact and the assertion by its flows, failed before missing', async () => {
    expect(await read('/trails/acme/web/main', 'reasons')).toEqual(trailReasons());
    expect(await read(`/artifacts/acme/web/fingerprint/${web}`, 'reasons')).toEqual(trailReasons());
    expect(await read(`/asserts/acme/fingerprint/${web}`, 'reasons')).toEqual(trailReasons());
    expect(await read(`/artifacts/acme/web/fingerprint/${web}`, 'state_info')).toBe(
      'review: 0 approvals; at least 2 are required. scan: reported as not compliant: 2 high vulnerabilities <b>. ' +
        'web.sonar: new_coverage is 61.2; at least 80 is required (quality gate). ' +
        'vulnerabilities: not recorded; snyk is required (template of the flow). ' +
        'web.unit: recorded as generic; junit is required (template of the flow).',
    );
  });

  const policyReasons = (where = ''): unknown[] => [
    {
      ...{ state: 'failed', about: `sonar${where}`, rule: 'policy strict, quality gate', html_url: attestationPage() },
      ...{ value: 'new_coverage is 61.2', limit: 'at least 80 is required' },
    },
    {
      ...{ state: 'missing', about: `unit${where}`, value: 'recorded as generic', limit: 'junit is required' },
      ...{ rule: 'policy strict', html_url: attestationPage() },
    },
    ...(where === ''
      ? []
      : [
          {
            ...{ state: 'missing', about: where.replace(' of web.tgz', 'unknown.tgz') },
            ...{ value: 'not reported to any flow', rule: 'policy strict' },
            ...(where.endsWith(' in prod') ? { html_url: `${service.url}/acme/environments/prod` } : {}),
          },
        ]),
  ];

  it('name the policy in an assertion, and in the snapshots of an environment also the artifact', async () => {
    expect(await read(`/asserts/acme/fingerprint/${web}?environment_name=prod`, 'reasons')).toEqual(policyReasons());
    expect(await read(`/asserts/acme/fingerprint/${web}?policy_name=strict`, 'reasons')).toEqual(policyReasons());
    const inProd = policyReasons(' of web.tgz');
    expect(await read('/snapshots/acme/prod/-1', 'reasons')).toEqual(inProd);
    expect(await read('/snapshots/acme/prod', 0)).toMatchObject({
      reasons: inProd,
      html_url: `${service.url}/acme/environments/prod/snapshots/1`,
    });
    expect(await read('/snapshots/acme/all', 0, 'reasons')).toEqual(policyReasons(' of web.tgz in prod'));
    expect(await read('/snapshots/acme/all/-1', 'reasons')).toEqual(policyReasons(' of web.tgz in prod'));
  });

  it('lead to the row of what is missing, even if they also name its artifact and environment', async () => {
    await savePolicy(service, 'trails', policy.replace(/ {2}provenance[^]*/u, '  trail-compliance: {required: true}'));
    await saveEnvironment(service, 'stage', { policies: ['trails'] });
    await saveEnvironment(service, 'every', { type: 'logical', included_environments: ['stage'] });
    await reportPods(service, 'stage', pod('web', { 'web.tgz': 'aaaaaa' }));
    for (const [environment, about] of [
      ['stage', 'vulnerabilities of web.tgz'],
      ['every', 'vulnerabilities of web.tgz in stage'],
    ] as const) {
      const reasons = (await read(`/snapshots/acme/${environment}`, 0, 'reasons')) as readonly Reason[];
      const html_url = `${service.url}/acme/flows/web/trails/main#evidence-vulnerabilities`;
      expect(reasons.find((reason) => reason.about === about)).toMatchObject({ html_url });
    }
  });

  it('lead to the row of an artifact that a list judges', async () => {
    await saveFlow(service, { name: 'list', template: ['artifact', 'unit'] });
    const fingerprint = fingerprintOf('dddddd');
    await call(service, { method: 'POST', path: '/artifacts/acme/list', json: sampleArtifact({ fingerprint }) });
    const page = '/acme/flows/list/trails/main';
    const { text } = await call(service, { at: service.url, path: page });
    expect(text).toContain('id="evidence-web.tar.unit"');
    const html_url = `${service.url}${page}#evidence-web.tar.unit`;
    for (const path of [`/artifacts/acme/list/fingerprint/${fingerprint}`, `/asserts/acme/fingerprint/${fingerprint}`])
      expect(await read(path, 'reasons')).toMatchObject([{ about: 'unit', html_url }]);
  });

  it('name once what two rules find about the same evidence, even if it is incomplete by one and fails by the other', async () => {
    await saveFlow(service, { name: 'api', template: [] });
    const fingerprint = fingerprintOf('cccccc');
    await call(service, { method: 'POST', path: '/artifacts/acme/api', json: sampleArtifact({ fingerprint }) });
    const form = attestationForm({ attestation_name: 'unit', junit_results: [] });
    await call(service, { method: 'POST', path: '/attestations/acme/api/trail/main/junit', form });
    const twice = '    - {type: junit}\n    - {type: junit, require: "${{ evidence.tests > 0 }}"}\n';
    await savePolicy(service, 'twice', policy.replace(/ {2}provenance[^]*/u, `  attestations:\n${twice}`));
    const reasons = (await read(`/asserts/acme/fingerprint/${fingerprint}?policy_name=twice`, 'reasons')) as Reason[];
    expect(reasons).toMatchObject([
      { state: 'failed', value: 'there are no tests' },
      { state: 'failed', value: 'tests is 0' },
    ]);
  });

  it('are not given for a snapshot that is no longer current', async () => {
    await reportPods(service, 'other', pod('web', { 'web.tgz': 'aaaaaa' }));
    await reportPods(service, 'other');
    const [latest, former] = (await read('/snapshots/acme/other')) as readonly unknown[];
    expect(latest).toMatchObject({ reasons: [] });
    expect(former).not.toHaveProperty('reasons');
  });

  it('are those of the attestation itself where it is listed or looked up', async () => {
    const listed = (await read('/attestations/acme/web', 'data')) as readonly Record<string, unknown>[];
    const byName = new Map(listed.map((entry) => [entry['attestation_name'], entry['reasons'] as Reason[]]));
    expect(byName.get('unit')).toEqual([]);
    expect(byName.get('scan')).toMatchObject([{ about: 'scan', value: 'reported as not compliant' }]);
    expect(byName.get('sonar')).toMatchObject([{ about: 'web.sonar', value: 'new_coverage is 61.2' }]);
  });

  it('come with the required type if an attestation has another one', async () => {
    const found = (name: string): Promise<unknown> => read(`/attestations/acme/web/trail/main/${name}`, 0);
    expect(await found('unit')).toMatchObject({ attestation_type: 'generic', required_type: 'junit', reasons: [] });
    expect(await found('sonar')).not.toHaveProperty('required_type');
    expect(await found('scan')).not.toHaveProperty('required_type');
    await post('generic', { attestation_name: 'unit', artifact_fingerprint: web });
    expect(await found('unit')).toMatchObject({ required_type: 'junit' });
  });

  it('stand on the pages, escaped and linked', async () => {
    const page = async (path: string): Promise<string> => {
      const { status, text } = await call(service, { at: service.url, path });
      expect(status).toBe(200);
      return text;
    };
    const evidence = /<a href="\/acme\/flows\/web\/trails\/main\/attestations\/[^"]+">/u.source;
    const scan = new RegExp(`${evidence}scan</a>: reported as not compliant: 2 high vulnerabilities &lt;b&gt;\\.`, 'u');
    const trail = await page('/acme/flows/web/trails/main');
    const artifact = await page(`/acme/flows/web/artifacts/${web}`);
    for (const text of [trail, artifact]) expect(/<p class="result[\s\S]*?<\/p>/u.exec(text)?.[0]).toMatch(scan);
    expect(artifact).toMatch(
      new RegExp(`Broken[\\s\\S]*?${evidence}sonar</a>: new_coverage is 61.2; at least 80`, 'u'),
    );
    const overview = await page('/acme');
    expect(overview).toMatch(
      new RegExp(
        `Trail <a href="[^"]*">main</a> of the\\s+flow <a href="[^"]*">web</a> \\(began <time[\\s\\S]*?${scan.source}`,
        'u',
      ),
    );
    expect(overview).toMatch(
      new RegExp(
        `Environment <a href="[^"]*">prod</a>[\\s\\S]*?:\\s*${evidence}sonar of web.tgz</a>: new_coverage`,
        'u',
      ),
    );
    expect(overview).toContain('<a href="/acme/environments/prod">unknown.tgz in prod</a>: not reported to any flow');
    const row = (text: string, label: string): string =>
      text.split('<tr').find((each) => each.includes(label) && each.includes('badge')) ?? '';
    expect(row(trail, '>unit<')).toMatch(/Does not count[\s\S]*recorded as generic; junit is required/u);
    expect(trail.split('<h2>Artifacts</h2>')[0]?.match(/>unit</gu)).toHaveLength(1);
    expect(await page('/acme/flows/web')).toContain('Does not count');
    const environment = await page('/acme/environments/prod');
    expect(environment).toContain('What runs here does not meet 3 requirements.');
    for (const fact of ['Last report', 'Last change'])
      expect(environment).toMatch(new RegExp(`${fact}</dt>\\s*<dd><time`));
    expect(environment).toContain('new_coverage is 61.2; at least 80 is required');
    expect(environment).toMatch(
      /<a href="\/acme\/flows\/web\/trails\/main\/attestations\/[^"]+">sonar of web.tgz<\/a>/u,
    );
    const all = await page('/acme/environments/all');
    expect(all).toContain('sonar of web.tgz in prod');
  });

  it('are sentences with one full stop, even if the words of the sender have one, too', async () => {
    await saveFlow(service, { name: 'docs', template: [] });
    const generic = { attestation_name: 'manual', is_compliant: false, description: 'Checked by hand.' };
    const path = '/attestations/acme/docs/trail/main/generic';
    await call(service, { method: 'POST', path, form: attestationForm(generic) });
    const words = 'manual: reported as not compliant: Checked by hand.';
    expect(await read('/trails/acme/docs/main', 'state_info')).toBe(words);
    const { text } = await call(service, { at: service.url, path: '/acme/flows/docs/trails/main' });
    expect(text).not.toContain('hand..');
    const [, page = ''] = /href="([^"]*\/attestations\/[^"]*)"/u.exec(text) ?? [];
    expect((await call(service, { at: service.url, path: page })).text).toContain('Checked by hand.</span>');
  });
});
