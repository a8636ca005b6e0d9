import { beforeEach, describe, expect, it } from '@jest/globals';
import { environmentKinds } from '../../../src/contract/environment.ts';
import {
  changePolicies,
  listVerdicts,
  pod,
  reportPods,
  saveEnvironment,
  savePolicy,
  snapshotsOf,
} from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, mappingOf } from '../../support/service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

let service: TestService;
let time = 1_700_000_000_000;
const openOrganization = shareTestService({ sources: { now: () => (time += 250) } });
beforeEach(async () => {
  time = 1_700_000_000_000;
  service = await openOrganization();
});

const verdictsOf = (environment: string): Promise<readonly unknown[]> => listVerdicts(service, environment);

describe('operation 2, create or update environment', () => {
  it.each(environmentKinds)('creates an environment of the kind %s, and updates it', async (type) => {
    expect(await saveEnvironment(service, 'prod', { type })).toMatchObject({ status: 201, body: 'OK' });
    expect(await saveEnvironment(service, 'prod', { type })).toMatchObject({ status: 201, body: 'OK' });
  });

  it('accepts pods without owners, and 20,000 of them', async () => {
    await saveEnvironment(service, 'prod');
    const owners = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: fingerprintOf('1').slice(0, 36) }];
    for (const [count, status] of [
      [10_000, 201],
      [20_000, 200],
    ] as const) {
      const pods = Array.from({ length: count }, (_, index) =>
        pod(`web-${index}`, { 'registry.example.com/shop/web:1.0': 'aaaaa' }, { owners: index === 0 ? null : owners }),
      );
      expect((await reportPods(service, 'prod', ...pods)).status).toBe(status);
    }
    const { body } = await call(service, { path: `/env-diff/${service.org}?snappish1=prod&snappish2=prod` });
    expect(body).toMatchObject({ 'not-changed': { artifacts: [{ instance_count: 20_000 }] } });
  });

  it('rejects a report beyond 16 MiB', async () => {
    await saveEnvironment(service, 'prod');
    const body = Buffer.alloc(16 * 1024 * 1024 + 1, ' ');
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'PUT', path: `/environments/${service.org}/prod/report/K8S`, body, headers };
    expect((await call(service, sent)).status).toBe(413);
  });

  it('rejects another kind for an environment that exists', async () => {
    await saveEnvironment(service, 'prod');
    expect(await saveEnvironment(service, 'prod', { type: 'ECS' })).toMatchObject({
      status: 400,
      body: { message: 'Input payload validation failed', errors: { type: expect.stringContaining('must be K8S') } },
    });
  });

  it.each([
    [{ type: 'mainframe' }, 'type'],
    [{ name: '-prod' }, 'name'],
    [{ name: 'prod~1' }, 'name'],
    [{ color: 'red' }, 'color'],
    [{ included_environments: ['a'] }, 'included_environments'],
    [{ policies: 'p' }, 'policies'],
    [{ type: undefined }, 'type'],
  ])('rejects %j', async (change, field) => {
    const json = { name: 'prod', type: 'K8S', ...change };
    const { status, body } = await call(service, { method: 'PUT', path: `/environments/${service.org}`, json });
    expect(status).toBe(400);
    expect(Object.keys((body as { errors: object }).errors)).toEqual([field]);
  });

  it('includes in a logical environment only what exists and is not logical itself', async () => {
    const logical = (...included: string[]): ReturnType<typeof saveEnvironment> =>
      saveEnvironment(service, 'all', { type: 'logical', included_environments: included });
    expect(await logical('prod')).toMatchObject({
      status: 404,
      body: { message: `Environment named 'prod' does not exist for organization '${service.org}'` },
    });
    expect((await logical('all')).status).toBe(404);
    await saveEnvironment(service, 'prod');
    expect((await logical('prod', 'prod')).status).toBe(201);
    expect(await logical('all')).toMatchObject({
      status: 400,
      body: { errors: { included_environments: expect.stringContaining('all, which is a logical environment') } },
    });
  });

  it('attaches the given policies and detaches others, or leaves them if none are given', async () => {
    await savePolicy(service, 'one');
    await savePolicy(service, 'two');
    expect((await saveEnvironment(service, 'prod', { policies: ['one'] })).status).toBe(201);
    await reportPods(service, 'prod', pod('web-1', { web: 'aaaaa' }));
    const consumers = async (name: string): Promise<unknown> =>
      mappingOf(await savePolicy(service, name))['consuming_envs'];
    await saveEnvironment(service, 'prod', { description: 'The shop' });
    expect([await consumers('one'), await consumers('two')]).toEqual([['prod'], []]);
    await saveEnvironment(service, 'prod', { policies: ['two', 'two'] });
    expect([await consumers('one'), await consumers('two')]).toEqual([[], ['prod']]);
    await saveEnvironment(service, 'prod', { policies: [] });
    expect(await consumers('two')).toEqual([]);
  });

  it('reports a missing policy, and then changes nothing', async () => {
    expect(await saveEnvironment(service, 'prod', { policies: ['one'] })).toMatchObject({
      status: 404,
      body: { message: `Policy 'one' does not exist in organization '${service.org}'` },
    });
    expect((await snapshotsOf(service, 'prod')).status).toBe(404);
  });

  it('lets a snapshotter create an environment, and not decide which policies judge it', async () => {
    const key = await service.createKey('snapshotter');
    expect((await saveEnvironment(service, 'prod', {}, key)).status).toBe(201);
    expect(await saveEnvironment(service, 'prod', { policies: [] }, key)).toMatchObject({
      status: 403,
      body: { errors: { policies: 'can only be set by admins and members' } },
    });
    expect((await saveEnvironment(service, 'prod', {}, await service.createKey('reader'))).status).toBe(403);
  });

  it('lets no snapshotter take the former name of an environment, by which gates still find it', async () => {
    await saveEnvironment(service, 'prod');
    const path = `/environments/${service.org}/prod/rename`;
    expect((await call(service, { method: 'PUT', path, json: { new_name: 'production' } })).status).toBe(200);
    expect(await saveEnvironment(service, 'prod', {}, await service.createKey('snapshotter'))).toMatchObject({
      status: 403,
      body: { errors: { name: expect.stringContaining('needs the permission define') } },
    });
    expect((await saveEnvironment(service, 'prod')).status).toBe(201);
  });

  it('lets a snapshotter add members to a logical environment, and take none out, whose policies count', async () => {
    const key = await service.createKey('snapshotter');
    for (const name of ['prod', 'edge']) await saveEnvironment(service, name);
    const including = (members: string[], sender?: string): ReturnType<typeof saveEnvironment> =>
      saveEnvironment(service, 'all', { type: 'logical', included_environments: members }, sender);
    for (const members of [['prod'], ['prod', 'edge']]) expect((await including(members, key)).status).toBe(201);
    expect(await including(['edge'], key)).toMatchObject({
      status: 403,
      body: { errors: { included_environments: expect.stringContaining('needs the permission define') } },
    });
    expect((await including(['edge'])).status).toBe(201);
    // Such as the former name of a member.
    expect((await including(['unknown'], key)).text).toContain("Environment named 'unknown' does not exist");
  });
});

describe('operation 3, report K8S environment', () => {
  beforeEach(async () => {
    await saveEnvironment(service, 'prod');
  });

  it('returns 201 if it created a snapshot and 200 if the same artifacts run', async () => {
    const [web, job] = [pod('web-1', { web: 'aaaaa' }), pod('job-1', { job: 'bbbbb' })];
    expect(await reportPods(service, 'prod', web, job)).toMatchObject({ status: 201, body: 'OK' });
    expect(await reportPods(service, 'prod', job, web)).toMatchObject({ status: 200, body: 'OK' });
    expect((await reportPods(service, 'prod', web, pod('web-2', { web: 'aaaaa' }), job)).status).toBe(200);
    expect((await reportPods(service, 'prod', web)).status).toBe(201);
    expect((await reportPods(service, 'prod')).status).toBe(201);
    expect((await reportPods(service, 'prod')).status).toBe(200);
    expect(await verdictsOf('prod')).toEqual(['not judged', 'not judged', 'not judged']);
  });

  it('reports a missing environment', async () => {
    expect(await reportPods(service, 'stage')).toMatchObject({
      status: 404,
      body: { message: 'Environment not found' },
    });
  });

  it('rejects a report for an environment of another kind', async () => {
    await saveEnvironment(service, 'files', { type: 'S3' });
    expect(await reportPods(service, 'files')).toMatchObject({
      status: 400,
      body: { message: 'Invalid report data', errors: { 'path.env_name': expect.stringContaining('type S3') } },
    });
  });

  it.each([
    [{ artifacts: [{ podName: 'a' }] }, 'artifacts.0.digests'],
    [{ artifacts: [pod('a', {}, { digests: { web: 'abc' } })] }, 'artifacts.0.digests.web'],
    [{ artifacts: [{ ...pod('a', {}), digests: { 'a\nb': null } }] }, 'artifacts.0.digests.a\nb'],
    [{ artifacts: [{ ...pod('a', {}), digests: { '\u2028': 5 } }] }, 'artifacts.0.digests.\u2028'],
    [{ artifacts: [{ ...pod('a', {}), digests: { ['x'.repeat(4097)]: 'a'.repeat(64) } }] }, 'artifacts.0.digests'],
    [{ artifacts: [pod('x'.repeat(256), {})] }, 'artifacts.0.podName'],
    [{ artifacts: [{ ...pod('a', {}), color: 1 }] }, 'artifacts.0.color'],
    [{}, 'artifacts'],
    [[], 'body'],
  ])('says what of the report %j is invalid', async (json, field) => {
    const path = `/environments/${service.org}/prod/report/K8S`;
    const { status, body } = await call(service, { method: 'PUT', path, json });
    expect(status).toBe(400);
    expect(body).toMatchObject({ message: 'Invalid report data' });
    expect(Object.keys((body as { errors: object }).errors)).toContain(field);
  });

  it('returns its own message also if the report is not JSON', async () => {
    const sent = { method: 'PUT', path: `/environments/${service.org}/prod/report/K8S`, body: '{' };
    expect(await call(service, { ...sent, headers: { 'content-type': 'application/json' } })).toMatchObject({
      status: 400,
      body: { message: 'Invalid report data', errors: { body: expect.stringContaining('JSON') } },
    });
  });

  it('keeps images of any name apart', async () => {
    const body = `{"artifacts":[{"podName":"a","namespace":"b","creationTimestamp":1,"digests":{"__proto__":"${'a'.repeat(64)}","constructor":"${'b'.repeat(64)}"}}]}`;
    const sent = { method: 'PUT', path: `/environments/${service.org}/prod/report/K8S`, body };
    expect((await call(service, { ...sent, headers: { 'content-type': 'application/json' } })).status).toBe(201);
    const { body: diff } = await call(service, { path: `/env-diff/${service.org}?snappish1=prod&snappish2=prod` });
    const names = (diff as { 'not-changed': { artifacts: { name: string }[] } })['not-changed'].artifacts;
    expect(names.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  });

  it('numbers snapshots without gaps or duplicates with concurrent reports', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        reportPods(service, 'prod', pod(`web-${index}`, { [`web-${index}`]: 'aaaaa' })),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { body } = await snapshotsOf(service, 'prod', '?reverse=True&per_page=100');
    const indexes = (body as { index: number }[]).map(({ index }) => index);
    expect(indexes).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });
});

describe('the verdict of an environment', () => {
  const policy = `_schema: https://example.com/v1
artifacts:
  trail-compliance:
    required: true
`;
  beforeEach(async () => {
    await saveFlow(service);
    await saveEnvironment(service, 'prod');
    await savePolicy(service, 'strict', policy);
    await changePolicies(service, 'POST', 'prod', ['strict']);
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
  });

  it('follows new evidence', async () => {
    expect(await verdictsOf('prod')).toEqual([false]);
    await report(service);
    expect(await verdictsOf('prod')).toEqual([false]);
    await attest(service, sampleAttestation('OK'));
    expect(await verdictsOf('prod')).toEqual([false, true]);
    await attest(service, sampleAttestation('OK'));
    await attest(service, sampleAttestation('ERROR'), 'another-trail');
    expect(await verdictsOf('prod')).toEqual([false, true]);
    await attest(service, sampleAttestation('ERROR', { artifact_fingerprint: 'abcdef'.padEnd(64, '0') }));
    expect(await verdictsOf('prod')).toEqual([false, true, false]);
  });

  it('follows the template of the flow and the version of the policy', async () => {
    await report(service);
    await saveFlow(service, { template: [] });
    expect(await verdictsOf('prod')).toEqual([false, true]);
    await savePolicy(service, 'strict', policy.replace('true', 'false'));
    expect(await verdictsOf('prod')).toEqual([false, true, true]);
  });

  it('of a logical environment by its own policies follows new evidence, also if its members have none', async () => {
    await saveEnvironment(service, 'stage');
    await reportPods(service, 'stage', pod('web-1', { web: 'abcdef' }));
    await saveEnvironment(service, 'all', {
      ...{ type: 'logical', included_environments: ['stage'], policies: ['strict'] },
    });
    await report(service);
    await attest(service, sampleAttestation('OK'));
    expect(await verdictsOf('stage')).toEqual(['not judged']);
    expect(await verdictsOf('all')).toEqual([false, true]);
  });

  it('of a logical environment follows its members, each of whose snapshots leads to one of its own', async () => {
    await saveEnvironment(service, 'stage');
    const included = ['prod', 'stage'];
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: included });
    expect(await verdictsOf('all')).toEqual([false]);
    await reportPods(service, 'stage', pod('web-1', { web: 'bbbbb' }));
    expect(await verdictsOf('all')).toEqual([false, false]);
    await report(service);
    await attest(service, sampleAttestation('OK'));
    expect(await verdictsOf('all')).toEqual([false, false, true]);
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['stage'] });
    await saveEnvironment(service, 'all', { type: 'logical' });
    expect(await verdictsOf('all')).toEqual([false, false, true, 'not judged']);
  });
});

describe('where an artifact runs', () => {
  const artifact = async (): Promise<ReturnType<typeof mappingOf>> =>
    mappingOf(await call(service, { path: `/artifacts/${service.org}/web/fingerprint/abcdef` }));

  it('is part of its response: where it runs, where it ran, and its history', async () => {
    await saveFlow(service);
    await report(service);
    for (const name of ['prod', 'stage']) {
      await saveEnvironment(service, name);
      await reportPods(service, name, pod('web-1', { web: 'abcdef' }));
      await reportPods(service, name, pod('web-1', { web: 'abcdef' }), pod('job-1', { job: 'bbbbb' }));
    }
    await reportPods(service, 'stage', pod('job-1', { job: 'bbbbb' }));
    const { running, exited, history } = await artifact();
    expect(running).toEqual([{ environment_name: 'prod', snapshot_index: 2 }]);
    expect(exited).toEqual([{ environment_name: 'stage', snapshot_index: 2 }]);
    expect((history as { event: string }[]).map(({ event }) => event)).toEqual([
      'web.tar reported',
      'Started to run in prod, snapshot 1',
      'Started to run in stage, snapshot 1',
      'No longer runs in stage, snapshot 3',
    ]);
  });
});

describe('environments and policies', () => {
  it('of another organization judge nothing here, also if they have the same names', async () => {
    const other = { ...service, org: 'foreign', apiKey: await service.createOrganization('foreign') };
    await savePolicy(service, 'strict');
    await savePolicy(other, 'strict', '_schema: https://example.com/v1\n');
    for (const place of [service, other]) {
      await saveEnvironment(place, 'prod', { policies: ['strict'] });
      await reportPods(place, 'prod', pod('web-1', { web: 'aaaaa' }));
    }
    expect([await listVerdicts(service, 'prod'), await listVerdicts(other, 'prod')]).toEqual([[false], [true]]);
  });

  it('of another organization are reported as missing', async () => {
    const key = await service.createOrganization('other');
    await saveEnvironment(service, 'prod');
    await reportPods(service, 'prod', pod('web-1', { web: 'aaaaa' }));
    const sent = { method: 'PUT', path: '/environments/other/prod/report/K8S', json: { artifacts: [] }, key };
    expect((await call(service, sent)).status).toBe(404);
    expect((await call(service, { path: '/snapshots/other/prod', key })).status).toBe(404);
    expect((await call(service, { path: '/env-diff/other?snappish1=prod&snappish2=prod', key })).status).toBe(404);
    expect((await call(service, { path: `/snapshots/${service.org}/prod`, key })).status).toBe(403);
  });
});
