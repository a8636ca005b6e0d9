import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { startLoginFixture } from '../../support/login-fixture.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attestationForm, commitOf, fingerprintOf, report, saveFlow } from '../../support/service-samples.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';
import { verifyBundle } from '../../support/verify-bundle.ts';

const [currentKey] = sampleSigningKeys as [(typeof sampleSigningKeys)[0]];
const fingerprint = fingerprintOf('abcdef');
const testResult = 'https://in-toto.io/attestation/test-result/v0.1';

describe('the statement of an attestation', () => {
  let service: TestService;
  const openOrganization = shareTestService({ options: { signingKeys: sampleSigningKeys } });
  beforeEach(async () => {
    service = await openOrganization();
    await saveFlow(service);
    await report(service);
  });

  const attest = (kind: string, document: object, content?: string): Promise<Called> =>
    call(service, {
      ...{ method: 'POST', path: `/attestations/${service.org}/web/trail/main/${kind}` },
      form: attestationForm({ attestation_name: 'unit', ...document }, content === undefined ? undefined : { content }),
    });
  const findLatestId = async (): Promise<string> => {
    const { body } = await call(service, { path: `/attestations/${service.org}/web?per_page=1` });
    return textAt(listAt(body, 'data')[0], 'attestation_id') ?? '';
  };
  const get = (id: string, key = service.apiKey): Promise<Called> =>
    call(service, { path: `/attestations/${service.org}/${id}/statement`, key });
  const verify = async (): Promise<unknown> => {
    const { status, body } = await get(await findLatestId());
    expect(status).toBe(200);
    return verifyBundle(body, `${service.url.replace('http://', '')}/log/${service.org}`, currentKey);
  };
  const ownType = (): string => `${service.url}/-/attestation/v1`;

  it('says what answers say, about the artifact by its SHA-256', async () => {
    const document = { artifact_fingerprint: fingerprint, is_compliant: false, description: 'By hand' };
    await attest('generic', document, 'the report');
    const statement = await verify();
    const { body } = await call(service, {
      path: `/attestations/${service.org}?attestation_id=${await findLatestId()}`,
    });
    const found = listAt(body, 'data')[0];
    const shown = ['reasons', 'status_info', 'is_compliant', 'reported_by', 'created_at', 'trail_name', 'facts'];
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'web.tar', digest: { sha256: fingerprint } }],
      predicateType: ownType(),
      predicate: {
        ...{ org: service.org, flow_name: 'web', verdict: 'non-compliant', attestation_type: 'generic' },
        ...Object.fromEntries([...shown, 'attachments', 'html_url'].map((field) => [field, valueAt(found, field)])),
      },
    });
    const sha256 = createHash('sha256').update('the report').digest('hex');
    expect(valueAt(statement, 'predicate', 'attachments')).toMatchObject([{ sha256, size: 10 }]);
  });

  it('is about the commit, or about the trail by its address, without an artifact', async () => {
    const repo = { name: 'acme/web', url: 'https://git/acme/web' };
    await attest('generic', { git_commit_info: { sha1: commitOf('1') }, repo_info: repo });
    expect(await verify()).toMatchObject({ subject: [{ name: 'acme/web', digest: { gitCommit: commitOf('1') } }] });
    await attest('generic', {});
    const name = `${service.url}/${service.org}/flows/web/trails/main`;
    const sha256 = createHash('sha256').update(name).digest('hex');
    expect(await verify()).toMatchObject({ subject: [{ name, digest: { sha256 } }] });
  });

  it('of tests has the type of in-toto, unless there is no result or somebody overrode it', async () => {
    const suite = (name: string, failures: number, skipped = 0): object => {
      return { name, total: 2, failures, errors: 0, skipped, duration: 1 };
    };
    const origin_url = 'https://ci/7';
    await attest('junit', { origin_url, junit_results: [suite('a', 0), suite('b', 1), suite('c', 0, 2)] });
    expect(await verify()).toMatchObject({
      predicateType: testResult,
      predicate: {
        ...{ result: 'FAILED', configuration: [], url: origin_url, passedTests: ['a'], failedTests: ['b'] },
        [ownType()]: { verdict: 'non-compliant', facts: { tests: 6, failures: 1, skipped: 2 } },
      },
    });
    const override = {
      ...{ attestation_name: 'unit', reason: 'Known', new_compliance_status: true, user_data: {} },
      original_attestation_type: 'junit',
    };
    await call(service, {
      method: 'POST',
      path: `/attestations/${service.org}/web/trail/main/override`,
      json: override,
    });
    expect(await verify()).toMatchObject({
      predicateType: ownType(),
      predicate: { verdict: 'compliant', override: { was_compliant: false, by: 'admin', reason: 'Known' } },
    });
    await attest('junit', { junit_results: [suite('a', 0)] });
    expect(await verify()).toMatchObject({ predicateType: testResult, predicate: { result: 'PASSED' } });
    await attest('junit', { junit_results: [] });
    expect(await verify()).toMatchObject({ predicateType: ownType(), predicate: { verdict: 'incomplete' } });
  });

  it('is linked from the page, as a file', async () => {
    await attest('generic', {});
    const id = await findLatestId();
    expect((await get('00000000-0000-0000-0000-00000000')).status).toBe(404);
    const page = `${service.url}/${service.org}/flows/web/trails/main/attestations/${id}`;
    const headers = { authorization: `Bearer ${service.apiKey}` };
    expect(await (await fetch(page, { headers })).text()).toContain(
      `href="${page.slice(service.url.length)}/statement"`,
    );
    expect((await get('00000000-0000-0000-0000-00000000')).status).toBe(404);
    const file = await fetch(`${page}/statement`, { headers });
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${id}.sigstore.json"`);
    expect(await file.text()).toBe((await get(id)).text);
  });

  it('is for keys that may read the flow', async () => {
    const fixture = await startLoginFixture({ signingKeys: sampleSigningKeys });
    const form = attestationForm({ attestation_name: 'unit', is_compliant: true });
    await call(fixture.service, { method: 'POST', path: `/attestations/acme/web/trail/main/generic`, form });
    const { body } = await call(fixture.service, { path: `/attestations/acme/web` });
    const path = `/attestations/acme/${textAt(listAt(body, 'data')[0], 'attestation_id') ?? ''}/statement`;
    for (const [flow, status] of [
      ['web', 200],
      ['other', 403],
    ] as const) {
      await fixture.saveRule({ flows: [flow], role: 'reader' });
      expect((await call(fixture.service, { path, key: await fixture.logIn() })).status).toBe(status);
    }
    await fixture.stop();
  });
});
