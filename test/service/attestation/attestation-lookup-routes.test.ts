import { beforeEach, describe, expect, it } from '@jest/globals';
import { attestationEvidence } from '../../../src/contract/attestation-lookup.ts';
import { attestationFields } from '../../../src/contract/attestations/attestation-fields.ts';
import { attestationKinds } from '../../../src/contract/attestations/kinds.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { attestationForm, commitOf, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

let service: TestService;
const openOrganization = shareTestService();
beforeEach(async () => {
  service = await openOrganization();
  await saveFlow(service);
});

const attest = (kind: string, document: object, content?: string): Promise<Called> =>
  call(service, {
    method: 'POST',
    path: `/attestations/${service.org}/web/trail/main/${kind}`,
    form: attestationForm(document, content === undefined ? undefined : { content }),
  });
const find = async (id: string): Promise<readonly Record<string, unknown>[]> => {
  const called = await call(service, { path: `/attestations/${service.org}?attestation_id=${id}` });
  expect(called.status).toBe(200);
  return mappingOf(called)['data'] as Record<string, unknown>[];
};
const findLatest = async (): Promise<Record<string, unknown>> => {
  const listed = mappingOf(await call(service, { path: `/attestations/${service.org}/web?per_page=1` }));
  const [latest] = listed['data'] as [{ attestation_id: string }];
  const [found] = await find(latest.attestation_id);
  return found ?? {};
};

const commit = {
  sha1: commitOf('1'),
  message: 'feat',
  author: 'Ann <a@b>',
  branch: 'main',
  timestamp: 5,
  url: 'https://git/1',
};
const pullRequest = {
  ...{ merge_commit: commitOf('2'), url: 'https://git/pull/1', state: 'MERGED', title: 'Add a feature', author: 'ann' },
  commits: [{ ...commit, author_username: 'ann' }],
};
const common = {
  ...{ attestation_name: 'unit', description: 'nightly', origin_url: 'https://ci/7', user_data: { answer: 42 } },
  git_commit_info: { ...commit, parents: [commitOf('3')], verified: true },
  repo_info: { name: 'acme/web', url: 'https://git/acme/web', provider: 'github' },
  external_urls: { ticket: { href: 'https://tickets/7' } },
  annotations: { remark: 'by hand' },
};
const { sonar_results } = sampleAttestation('ERROR');
const suite = { name: 'unit', failures: 1, errors: 0, skipped: 0, total: 3, duration: 0.5 };

describe('an attestation by its id', () => {
  it.each([
    ['sonar', { sonar_results }, false],
    ['junit', { junit_results: [suite] }, false],
    ['generic', {}, true],
    ['pull_request', { git_provider: 'github', pull_requests: [{ ...pullRequest, approvers: ['bob'] }] }, true],
  ])('has the evidence of the kind %s, as it was sent', async (kind, own, isCompliant) => {
    expect(await attest(kind, { ...common, ...own })).toMatchObject({ status: 201 });
    expect(await findLatest()).toMatchObject({
      ...common,
      ...own,
      ...{ attestation_type: kind, is_compliant: isCompliant, trail_name: 'main', attachments: [] },
    });
  });

  it('has an empty list of approvers if the provider has none', async () => {
    const sent = { git_provider: 'azure', pull_requests: [{ ...pullRequest, approvers: null }] };
    expect(await attest('pull_request', { attestation_name: 'pr', ...sent })).toMatchObject({ status: 201 });
    const found = await findLatest();
    expect(found).toMatchObject({ is_compliant: true, pull_requests: [{ approvers: [] }] });
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const page = await fetch(String(found['html_url']), { headers });
    const text = await page.text();
    expect([page.status, text]).toEqual([200, expect.stringContaining('nobody')]);
    // With the commits of the pull request.
    expect(text).toMatch(/Commits of Add a feature[\s\S]*>feat<[\s\S]*Ann &lt;a@b&gt;/u);
  });

  it('links to its file', async () => {
    await attest('generic', { attestation_name: 'scan' }, 'the report');
    const { attachments } = await findLatest();
    const [file] = attachments as [{ url: string }];
    expect(file).toMatchObject({ filename: 'report.xml', size: 10, sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) });
    const answer = await fetch(file.url, { headers: { authorization: `Bearer ${service.apiKey}` } });
    expect(await answer.text()).toBe('the report');
    expect((await fetch(file.url)).status).toBe(401);
  });

  it.each(['00000000-0000-0000-0000-00000000', 'unknown', '', '0'.repeat(4096)])('is not found: %j', async (id) => {
    expect(await find(id)).toEqual([]);
  });

  it('has the facts of its kind', async () => {
    const suites = [{ name: 'unit', total: 3, failures: 1, errors: 0, skipped: 0, duration: 1 }];
    await attest('junit', { attestation_name: 'unit', junit_results: suites });
    expect((await findLatest())['facts']).toEqual({ tests: 3, failures: 1, errors: 0, skipped: 0 });
  });

  it('declares the fields of every kind', () => {
    for (const { endpoint } of attestationKinds) {
      const own = Object.keys(endpoint.body.json.schema.properties).filter((field) => !(field in attestationFields));
      expect(Object.keys(attestationEvidence.properties)).toEqual(expect.arrayContaining(own));
    }
  });
});
