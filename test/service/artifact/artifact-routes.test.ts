import { beforeEach, describe, expect, it } from '@jest/globals';
import { artifact } from '../../../src/contract/artifact.ts';
import { violations } from '../../../src/contract/check.ts';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { pod, reportPods, saveEnvironment } from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { accepted, call, type Called, mappingOf } from '../../support/service-call.ts';
import {
  attest,
  commitOf,
  fingerprintOf,
  report,
  sampleArtifact,
  sampleAttestation,
  saveFlow,
} from '../../support/service-samples.ts';

const idForm = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$/;

describe('operation 10, get artifact by fingerprint', () => {
  let service: TestService;
  let time = 1_700_000_000_000;
  const openOrganization = shareTestService({ sources: { now: () => (time += 250) } });
  beforeEach(async () => {
    time = 1_700_000_000_000;
    service = await openOrganization();
    await saveFlow(service, { template: ['artifact', 'sonar,unit'] });
  });

  const get = (rest: string): Promise<Called> =>
    call(service, { path: `/artifacts/${service.org}/web/fingerprint/${rest}` });

  it('returns everything that was reported, and the reason for the state', async () => {
    const git_commit_info = {
      sha1: commitOf('1'),
      author: 'Ann Dev <ann@example.com>',
      branch: 'main',
      message: 'feat: first\n\nbody',
      timestamp: 1_699_999_999,
      url: 'https://git.example.com/c/1',
      author_username: 'ann',
      signature_state: 'VALID',
      parents: [commitOf('2'), commitOf('3')],
      verified: true,
    };
    const repo_info = { name: 'acme/web', url: 'https://git.example.com/acme/web', id: '7', provider: 'github' };
    const sent = sampleArtifact({
      git_commit_info,
      repo_info,
      template_reference_name: 'web',
      external_urls: { docs: { href: 'https://docs.example.com' } },
      annotations: { team: 'shop' },
      user_data: { nested: [1, null, 'ü'] },
    });
    await report(service, sent);
    await attest(service, sampleAttestation('OK'));
    const { status, body } = await get(fingerprintOf('abcdef'));
    expect(status).toBe(200);
    expect(violations(artifact, body)).toEqual([]);
    const page = `${service.url}/${service.org}/flows/web`;
    expect(body).toEqual({
      id: expect.stringMatching(idForm),
      fingerprint: fingerprintOf('abcdef'),
      filename: 'web.tar',
      created_at: expect.stringMatching(/^17000000\d\d(\.\d+)?$/),
      last_modified_at: expect.stringMatching(/^17000000\d\d(\.\d+)?$/),
      flow_name: 'web',
      trail_name: 'main',
      template_reference_name: 'web',
      git_commit: commitOf('1'),
      git_commit_info,
      repo_info,
      commit_url: sent.commit_url,
      build_url: sent.build_url,
      repo_url: repo_info.url,
      html_url: expect.stringContaining(`${page}/artifacts/${fingerprintOf('abcdef')}?artifact_id=`),
      api_url: expect.stringContaining(`${service.baseUrl}/artifacts/${service.org}/web/fingerprint/`),
      evidence: {
        sonar: {
          attestation_id: expect.stringMatching(idForm),
          attestation_name: 'sonar',
          attestation_type: 'sonar',
          trail_name: 'main',
          is_compliant: true,
          status: 'compliant',
          status_info: 'the quality gate is OK',
          created_at: expect.any(Number),
          reported_by: 'admin',
          has_attachment: false,
          html_url: expect.stringContaining(`${page}/trails/main/attestations/`),
        },
      },
      commit_lead_times: {},
      build_lead_times: {},
      external_urls: { docs: { href: 'https://docs.example.com' } },
      annotations: { team: 'shop' },
      user_data: { nested: [1, null, 'ü'] },
      state: 'INCOMPLETE',
      state_info: 'unit: not recorded (template of the flow).',
      reasons: [
        {
          ...{ state: 'missing', about: 'unit', value: 'not recorded', rule: 'template of the flow' },
          html_url: `${page}/trails/main#evidence-web.unit`,
        },
      ],
      template: ['artifact', 'sonar,unit'],
      running: [],
      exited: [],
      history: [
        { event: 'web reported', timestamp: expect.any(Number) },
        {
          event: 'sonar attestation sonar reported by admin: compliant, the quality gate is OK',
          timestamp: expect.any(Number),
        },
      ],
    });
  });

  it('returns the lead time to the first start, however often the artifact started since then', async () => {
    await report(service);
    await saveEnvironment(service, 'jobs');
    const leadTimes = async (): Promise<unknown> => valueAt((await get('abcdef')).body, 'build_lead_times');
    await reportPods(service, 'jobs', pod('job', { web: 'abcdef' }));
    const first = await leadTimes();
    expect(first).toEqual({ jobs: expect.any(Number) });
    for (let run = 0; run < 101; run += 1) {
      await reportPods(service, 'jobs');
      await reportPods(service, 'jobs', pod('job', { web: 'abcdef' }));
    }
    expect(await leadTimes()).toEqual(first);
  });

  it('leaves out what was not reported, except user_data, which is null', async () => {
    await report(service);
    const { body } = await get('abcdef');
    expect(violations(artifact, body)).toEqual([]);
    expect(body).toMatchObject({ user_data: null, evidence: {} });
    const nulls = Object.entries(body as object).filter(([, value]) => value === null);
    expect(nulls).toEqual([['user_data', null]]);
    for (const field of ['template_reference_name', 'git_commit_info', 'repo_info', 'repo_url']) {
      expect(body).not.toHaveProperty(field);
    }
  });

  it('is found by the id of its report under both names, if they agree', async () => {
    await report(service);
    await report(service);
    const id = String(valueAt((await get('abcdef')).body, 'id'));
    const other = id.replace(/.$/u, (digit) => (digit === '0' ? '1' : '0'));
    for (const query of [`attestation_id=${id}`, `artifact_id=${id}`, `attestation_id=${id}&artifact_id=${id}`]) {
      expect(await get(`abcdef?${query}`)).toMatchObject({ status: 200, body: { id } });
    }
    expect((await get(`abcdef?artifact_id=${other}`)).status).toBe(404);
    expect(await get(`abcdef?attestation_id=${id}&artifact_id=${other}`)).toMatchObject({
      status: 400,
      body: { errors: { 'query.artifact_id': 'must be the same as attestation_id' } },
    });
  });

  it('updates last_modified_at with new evidence', async () => {
    await report(service);
    await attest(service, sampleAttestation('OK'));
    const { created_at: created, last_modified_at: modified } = mappingOf(await get('abcdef'));
    expect(Number(modified)).toBeGreaterThan(Number(created));
  });

  it('returns a URL with the same response', async () => {
    await report(service);
    const first = await get('abcdef');
    const again = await call(service, { at: String(mappingOf(first)['api_url']), path: '' });
    expect(again.body).toEqual(first.body);
  });

  it('accepts 5 or more digits if they are unambiguous, and else returns the number of matches', async () => {
    for (const digits of ['abcde1', 'abcde2', 'bcdef1']) await report(service, { fingerprint: fingerprintOf(digits) });
    await saveFlow(service, { name: 'api' });
    const json = sampleArtifact({ fingerprint: fingerprintOf('bcdef2') });
    await accepted(call(service, { method: 'POST', path: `/artifacts/${service.org}/api`, json }));
    expect(await get('bcdef')).toMatchObject({ status: 200, body: { fingerprint: fingerprintOf('bcdef1') } });
    expect(await get('abcde2')).toMatchObject({ status: 200, body: { fingerprint: fingerprintOf('abcde2') } });
    expect(await get('abcde')).toMatchObject({
      status: 400,
      body: { message: "Fingerprint 'abcde' is ambiguous in flow 'web': it is the beginning of 2 fingerprints" },
    });
  });

  it.each(['abcd', 'ABCDE', 'abcdg', 'a'.repeat(65), '%2e%2e%2f', 'abcde%00', '%F0%9F%98%80'])(
    'rejects %s as a fingerprint',
    async (digits) => {
      expect(await get(digits)).toMatchObject({
        status: 400,
        body: { errors: { 'path.fingerprint': expect.stringContaining('pattern') } },
      });
    },
  );

  it('is narrowed by trail and by the id of a report', async () => {
    await report(service, { trail_name: 'one' });
    await report(service, { trail_name: 'two' });
    const other = fingerprintOf('abcde2');
    await report(service, { trail_name: 'two', fingerprint: other });
    expect((await get('abcde?trail=one')).body).toMatchObject({ fingerprint: fingerprintOf('abcdef') });
    expect((await get(`${fingerprintOf('abcdef')}?trail=two`)).body).toMatchObject({
      fingerprint: fingerprintOf('abcdef'),
    });
    expect((await get(`${other}?trail=one`)).status).toBe(404);
    const [one, two] = [mappingOf(await get('abcdef?trail=one')), mappingOf(await get('abcdef'))];
    expect([one['trail_name'], two['trail_name']]).toEqual(['one', 'two']);
    expect(mappingOf(await get(`abcdef?attestation_id=${String(one['id'])}`))['trail_name']).toBe('one');
    expect((await get(`abcdef?attestation_id=${String(one['id'])}&trail=two`)).status).toBe(404);
    expect((await get('abcdef?trail=three')).status).toBe(404);
  });

  it.each([
    ['trail=-x', 'query.trail'],
    ['trail=', 'query.trail'],
    ['trail=a&trail=b', 'query.trail'],
    ['trail=%00', 'query.trail'],
    ['attestation_id=1', 'query.attestation_id'],
    ['page=1', 'query.page'],
    ['__proto__=1', 'query.__proto__'],
  ])('rejects the query %s', async (query, field) => {
    const { status, body } = await get(`abcdef?${query}`);
    expect(status).toBe(400);
    expect(
      Object.keys(Object(mappingOf({ status, body, headers: new Headers(), text: '' })['errors']) as object),
    ).toEqual([field]);
  });

  it('reports what was not found', async () => {
    expect(await get(fingerprintOf('abcdef'))).toMatchObject({
      status: 404,
      body: {
        message: `Artifact with fingerprint '${fingerprintOf('abcdef')}' does not exist in flow 'web' belonging to organization '${service.org}'`,
      },
    });
    expect(await call(service, { path: `/artifacts/${service.org}/api/fingerprint/abcdef` })).toMatchObject({
      status: 404,
      body: { message: 'Flow not found' },
    });
  });

  it('keeps an attestation called __proto__ as evidence', async () => {
    await saveFlow(service, { template: ['__proto__'] });
    await report(service);
    await attest(service, sampleAttestation('ERROR', { attestation_name: '__proto__' }));
    const called = await get('abcdef');
    expect(called.text).toContain('"evidence":{"__proto__":{"attestation_id"');
    expect(mappingOf(called)['state']).toBe('NON-COMPLIANT');
  });
});

describe('attest artifact', () => {
  let service: TestService;
  const openOrganization = shareTestService();
  beforeEach(async () => {
    service = await openOrganization();
    await saveFlow(service);
  });

  it('records an artifact', async () => {
    expect(await report(service)).toMatchObject({ status: 201, body: { message: 'OK' } });
  });

  it('keeps user data with keys such as __proto__ as it was sent', async () => {
    const json = JSON.stringify(sampleArtifact()).slice(0, -1);
    const userData = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const body = `${json},"user_data":${userData}}`;
    const headers = { 'content-type': 'application/json; charset=UTF-8' };
    expect((await call(service, { method: 'POST', path: `/artifacts/${service.org}/web`, body, headers })).status).toBe(
      201,
    );
    const { text } = await call(service, { path: `/artifacts/${service.org}/web/fingerprint/abcdef` });
    expect(text).toContain(`"user_data":${userData}`);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('keeps numbers in free-form data as they were written', async () => {
    const json = JSON.stringify(sampleArtifact()).slice(0, -1);
    const data = '{"id":12345678901234567890,"__proto__":[1e400,-0,1.0,-1.50E+3,0.1]}';
    const fields = ['user_data', 'annotations'].map((field) => `"${field}":${data}`).join(',');
    const info = `"git_commit_info":{"sha1":"${'a'.repeat(40)}","timestamp":1700000000.0}`;
    const body = `${json},${fields},${info},"repo_info":{"name":"a","url":"b","additional_info":${data}}}`;
    const headers = { 'content-type': 'application/json' };
    expect((await call(service, { method: 'POST', path: `/artifacts/${service.org}/web`, body, headers })).status).toBe(
      201,
    );
    // The last one is kept in memory.
    for (const fingerprint of ['abcdef', fingerprintOf('abcdef'), fingerprintOf('abcdef')]) {
      const { text } = await call(service, { path: `/artifacts/${service.org}/web/fingerprint/${fingerprint}` });
      for (const field of ['user_data', 'annotations', 'additional_info']) {
        expect(text).toContain(`"${field}":${data}`);
      }
      // A declared field is read as a number.
      expect(text).toContain('"timestamp":1700000000}');
    }
  });

  it('rejects a declared number that exceeds a double', async () => {
    const info = `"git_commit_info":{"sha1":"${'a'.repeat(40)}","timestamp":1e400}`;
    const body = `${JSON.stringify(sampleArtifact()).slice(0, -1)},${info}}`;
    const headers = { 'content-type': 'application/json' };
    expect(await call(service, { method: 'POST', path: `/artifacts/${service.org}/web`, body, headers })).toMatchObject(
      {
        status: 400,
        body: { errors: { 'git_commit_info.timestamp': 'must be integer' } },
      },
    );
  });

  it('says of a repeated report if another artifact of the name is the latest in the trail', async () => {
    const send = async (fingerprint: string, key: string, change: object = {}, flow = 'web'): Promise<unknown> => {
      const json = sampleArtifact({ fingerprint, user_data: { idempotency_key: key }, ...change });
      const headers = { 'idempotency-key': key };
      const sent = await call(service, { method: 'POST', path: `/artifacts/${service.org}/${flow}`, json, headers });
      return [sent.status, sent.headers.get('idempotent-replayed'), sent.headers.get('idempotent-superseded')];
    };
    const [one, other] = [fingerprintOf('a'), fingerprintOf('b')];
    expect(await send(one, 'first')).toEqual([201, null, null]);
    expect(await send(other, 'elsewhere', { trail_name: 'another' })).toEqual([201, null, null]);
    await saveFlow(service, { name: 'api' });
    for (const key of ['api-1', 'api-2']) expect(await send(other, key, {}, 'api')).toEqual([201, null, null]);
    expect(await send(one, 'first')).toEqual([201, 'true', null]);
    expect(await send(other, 'second')).toEqual([201, null, null]);
    expect(await send(one, 'first')).toEqual([201, 'true', 'true']);
    // A step sends it with a new key then.
    expect(await send(one, 'renewed')).toEqual([201, null, null]);
    expect(await send(one, 'first')).toEqual([201, 'true', null]);
    expect(await send(other, 'second')).toEqual([201, 'true', 'true']);
    expect(await send(one, 'rebuilt', { git_commit: 'b'.repeat(40) })).toEqual([201, null, null]);
    expect(await send(one, 'first')).toEqual([201, 'true', 'true']);
  });

  it('reports a missing flow', async () => {
    const sent = { method: 'POST', path: `/artifacts/${service.org}/api`, json: sampleArtifact() };
    expect(await call(service, sent)).toMatchObject({ status: 404, body: { message: 'Flow not found' } });
    // Others have a flow of this name.
    expect((await report(await openOrganization())).status).toBe(404);
  });

  it('names every field that is wrong', async () => {
    const { status, body } = await report(service, { fingerprint: 'ABC', trail_name: '', filename: '' });
    expect(status).toBe(400);
    expect(Object.keys(Object(Reflect.get(Object(body) as object, 'errors')) as object).sort()).toEqual([
      'filename',
      'fingerprint',
      'trail_name',
    ]);
  });
});
