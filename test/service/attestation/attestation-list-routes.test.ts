import { beforeEach, describe, expect, it } from '@jest/globals';
import { maximumPageBytes } from '../../../src/contract/limits.ts';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { createKey, createServiceAccount, createServiceAccountKey } from '../../support/administration.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { attest, attestationForm, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

describe('the list of the attestations of a flow', () => {
  let service: TestService;
  let now = 1_767_323_045_250;
  const openOrganization = shareTestService({ sources: { now: () => now } });
  beforeEach(async () => {
    now = 1_767_323_045_250;
    service = await openOrganization();
    await saveFlow(service);
  });

  const list = (query = '', flow = 'web'): Promise<Called> =>
    call(service, { path: `/attestations/${service.org}/${flow}${query}` });
  const attestMany = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      await attest(service, sampleAttestation('OK', { attestation_name: `check-${index}` }));
      now += 1000;
    }
  };
  const names = ({ body }: Called): readonly unknown[] => {
    const data = valueAt(body, 'data');
    return Array.isArray(data) ? data.map((each) => valueAt(each, 'attestation_name')) : [];
  };

  it('is empty at first', async () => {
    const { status, body } = await list();
    const first = `${service.baseUrl}/attestations/${service.org}/web?page=1&per_page=15`;
    expect([status, body]).toEqual([
      200,
      {
        data: [],
        _links: { self: first, first, last: first },
        pagination: { total: 0, page: 1, per_page: 15, page_count: 0 },
      },
    ]);
  });

  it('has the numbers of user data as they were written', async () => {
    const data = '{"id":12345678901234567890,"values":[1e400,-0,1.0]}';
    const document = JSON.stringify(sampleAttestation('OK')).replace('"user_data":{}', `"user_data":${data}`);
    await call(service, {
      method: 'POST',
      path: `/attestations/${service.org}/web/trail/main/sonar`,
      form: attestationForm(document),
    });
    expect((await list()).text).toContain(`"user_data":${data}`);
  });

  it('has every field of the interface', async () => {
    const document = sampleAttestation('OK', {
      user_data: { any: [1, null] },
      description: 'The scan',
      origin_url: 'https://ci.example.com/7',
    });
    const form = attestationForm(document, { content: 'a file' });
    await call(service, { method: 'POST', path: `/attestations/${service.org}/web/trail/main/sonar`, form });
    const entry = valueAt((await list()).body, 'data');
    expect(entry).toEqual([
      {
        attestation_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{8}$/u),
        attestation_name: 'sonar',
        sequence: 1,
        attestation_type: 'sonar',
        trail_name: 'main',
        artifact_fingerprint: null,
        target_artifacts: [],
        created_at: 1_767_323_045.25,
        description: 'The scan',
        has_audit_package: true,
        html_url: expect.stringMatching(/^http:/u),
        is_compliant: true,
        origin_url: 'https://ci.example.com/7',
        reasons: [],
        reported_by: 'admin',
        schema_version: 1,
        user_data: { any: [1, null] },
      },
    ]);
  });

  it('returns which artifact an attestation applies to', async () => {
    const fingerprint = 'f'.repeat(64);
    await report(service, { fingerprint });
    await attest(service, sampleAttestation('OK', { target_artifacts: ['web'] }));
    await attest(service, sampleAttestation('OK', { artifact_fingerprint: fingerprint }));
    expect(valueAt((await list()).body, 'data')).toMatchObject([
      { artifact_fingerprint: fingerprint, target_artifacts: [] },
      { artifact_fingerprint: null, target_artifacts: ['web'] },
    ]);
  });

  it('lists attestations with equal times in reverse order of recording', async () => {
    for (const name of ['a', 'b', 'c']) await attest(service, sampleAttestation('OK', { attestation_name: name }));
    expect(names(await list())).toEqual(['c', 'b', 'a']);
  });

  it('has links to pages that work', async () => {
    await attest(service, sampleAttestation('OK'));
    const [entry] = valueAt((await list()).body, 'data') as readonly unknown[];
    const page = await fetch(String(valueAt(entry, 'html_url')), {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    expect(page.status).toBe(200);
  });

  it.each([
    ['OK', true],
    ['ERROR', false],
    ['WARN', false],
  ])('says of a gate that is %s that it is compliant: %s', async (status, compliant) => {
    await attest(service, sampleAttestation(status, { user_data: {} }));
    const { body, text } = await list();
    expect(valueAt(body, 'data')).toMatchObject([
      { is_compliant: compliant, has_audit_package: true, description: '', user_data: {} },
    ]);
    expect(text).not.toContain('origin_url');
  });

  it('can be followed by its links, forward and back, without skipping or repeating', async () => {
    await attestMany(7);
    const walk = async (start: string, direction: 'next' | 'prev'): Promise<readonly unknown[]> => {
      const seen: unknown[] = [];
      for (let at: unknown = start; typeof at === 'string';) {
        const called = await call(service, { at, path: '' });
        seen.push(...names(called));
        at = valueAt(called.body, '_links', direction);
      }
      return seen;
    };
    const first = await list('?per_page=3');
    expect(valueAt(first.body, 'pagination')).toEqual({ total: 7, page: 1, per_page: 3, page_count: 3 });
    const all = Array.from({ length: 7 }, (_, index) => `check-${6 - index}`);
    expect(await walk(String(valueAt(first.body, '_links', 'first')), 'next')).toEqual(all);
    expect((await walk(String(valueAt(first.body, '_links', 'last')), 'prev')).toSorted()).toEqual(all.toSorted());
  });

  it('is empty after its last page, with a link back', async () => {
    await attestMany(2);
    const { status, body } = await list('?page=9');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: [],
      pagination: { total: 2, page: 9, page_count: 1 },
      _links: { prev: `${service.baseUrl}/attestations/${service.org}/web?page=1&per_page=15` },
    });
    expect(valueAt(body, '_links', 'next')).toBeUndefined();
  });

  it('can be limited to a time span, both ends included, which its links keep', async () => {
    await attestMany(5);
    const start = 1_767_323_045;
    const called = await list(`?from_timestamp=${start + 1}&to_timestamp=${start + 3}&per_page=2`);
    expect(names(called)).toEqual(['check-3', 'check-2']);
    expect(valueAt(called.body, 'pagination')).toEqual({ total: 3, page: 1, per_page: 2, page_count: 2 });
    expect(valueAt(called.body, '_links', 'next')).toBe(
      `${service.baseUrl}/attestations/${service.org}/web?page=2&per_page=2&from_timestamp=${start + 1}&to_timestamp=${start + 3}`,
    );
    expect(names(await list(`?from_timestamp=${start + 4}`))).toEqual(['check-4']);
    expect(names(await list(`?to_timestamp=${start}`))).toEqual(['check-0']);
    expect(names(await list(`?from_timestamp=${start + 3}&to_timestamp=${start + 1}`))).toEqual([]);
  });

  it.each([
    ['page', '0'],
    ['page', '-1'],
    ['page', '1.5'],
    ['page', 'x'],
    ['page', ''],
    ['page', '1000000001'],
    ['per_page', '0'],
    ['per_page', '1001'],
    ['from_timestamp', 'yesterday'],
    ['from_timestamp', '-1'],
    ['to_timestamp', '1767323045250'],
    ['flow', 'web'],
  ])('rejects the query %s=%s', async (name, value) => {
    const { status, body } = await list(`?${name}=${value}`);
    expect([status, body]).toMatchObject([
      400,
      { message: 'Input payload validation failed', errors: { [`query.${name}`]: expect.any(String) } },
    ]);
  });

  it('rejects a parameter that is given twice', async () => {
    expect((await list('?page=1&page=2')).status).toBe(400);
  });

  it('rejects a page that would be too large, and returns a smaller one', async () => {
    await attestMany(3);
    const large = JSON.stringify(sampleAttestation('OK', { user_data: { text: 'x'.repeat(maximumPageBytes / 2) } }));
    await service.storage.query('UPDATE attestations SET document = $1', [large]);
    expect(await list()).toMatchObject({
      status: 400,
      body: { errors: { 'query.per_page': expect.stringMatching(/request smaller pages$/u) } },
    });
    expect(await list('?per_page=1&page=2')).toMatchObject({
      status: 200,
      body: { data: [{ attestation_name: 'check-1', sequence: 2 }], pagination: { total: 3, page: 2 } },
    });
  });

  it('requires an existing flow', async () => {
    expect(await list('', 'none')).toMatchObject({ status: 404, body: { message: 'Flow not found' } });
  });

  it('tells a service account from a user of the same name', async () => {
    await createServiceAccount(service, { name: 'ann' });
    const keys = [await createKey(service, {}), await createServiceAccountKey(service, 'ann')];
    for (const key of keys) {
      const form = attestationForm(sampleAttestation('OK'));
      await call(service, { method: 'POST', path: `/attestations/${service.org}/web/trail/main/sonar`, form, key });
    }
    const { data } = mappingOf(await list());
    const reporters = Array.isArray(data) ? data.map((entry) => valueAt(entry, 'reported_by')) : data;
    expect(reporters).toEqual(['service-account:ann', 'ann']);
  });
});
