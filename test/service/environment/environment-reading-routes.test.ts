import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reportKinds } from '../../../src/contract/environment-report.ts';
import { listAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { fingerprintOf, report, sampleArtifact, saveFlow } from '../../support/service-samples.ts';

/** Fields of an element of each kind that names its instances. */
const named: Readonly<Record<string, object>> = {
  ECS: { taskArn: 'arn:aws:ecs:eu-north-1:1:task/web/1', cluster_name: 'web' },
  'azure-apps': { app_name: 'shop', app_kind: 'linux', digests_source: 'acr' },
  'cloud-run': { kind: 'service', serviceName: 'web', revisionName: 'web-1' },
};

let service: TestService;
let time = 1_700_000_000_000;
beforeAll(async () => {
  service = await startTestService({ sources: { now: () => (time += 250) } });
  await saveFlow(service);
  await report(service, { repo_info: { url: 'https://example.com/acme/web', name: 'acme/web', id: '1' } });
  await savePolicy(service, 'provenance');
  await saveEnvironment(service, 'prod', { description: 'The shop' });
  await changePolicies(service, 'POST', 'prod', ['provenance']);
  const web = pod('web-1', { web: 'abcdef' });
  await reportPods(service, 'prod', web);
  await reportPods(
    service,
    'prod',
    web,
    pod('web-2', { web: 'abcdef' }),
    pod('web-1', { job: 'bbbbb' }, { namespace: 'x' }),
  );
  await reportPods(service, 'prod', web);
  await saveEnvironment(service, 'empty', { type: 'S3' });
  await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod', 'empty'] });
});
afterAll(() => stopWithoutErrors(service));

const get = (path: string): Promise<Called> => call(service, { path });
const snapshot = (expression: string, environment = 'prod'): Promise<Called> =>
  get(`/snapshots/acme/${environment}/${encodeURIComponent(expression)}`);

describe.each(reportKinds)('the report of the kind $kind', ({ kind }) => {
  const path = `/environments/acme/of-${kind}/report/${kind}`;
  const element = (digits: string, change: object = {}): object => ({
    ...{ digests: { [`${kind}-image`]: fingerprintOf(digits) }, creationTimestamp: 1_700_000_000 },
    ...named[kind],
    ...change,
  });
  const send = (json: object): Promise<Called> => call(service, { method: 'PUT', path, json });

  it('makes a snapshot that can be read', async () => {
    expect(await send({ artifacts: [] })).toMatchObject({ status: 404, body: { message: 'Environment not found' } });
    await saveEnvironment(service, `of-${kind}`, { type: kind });
    const top = kind === 'cloud-run' ? { type: 'cloud-run' } : {};
    const artifacts = [element('aaaaa'), element('aaaaa', kind in named ? {} : { creationTimestamp: 1_700_000_001 })];
    expect(await send({ ...top, artifacts })).toMatchObject({ status: 201, body: 'OK' });
    expect(await send({ ...top, artifacts })).toMatchObject({ status: 200, body: 'OK' });
    const { body } = await snapshot('-1', `of-${kind}`);
    const created = kind in named ? [1_700_000_000] : [1_700_000_000, 1_700_000_001];
    expect(body).toMatchObject({
      ...{ index: 1, type: kind, compliant: false, judged: false },
      artifacts: [{ name: `${kind}-image`, creationTimestamp: created, pods: {}, flow_name: '', git_commit: '' }],
    });
  });

  it('rejects what is not of its form or its kind, with the message of operation 3', async () => {
    const wrong = [
      { artifacts: [element('aaaaa', { color: 1 })] },
      { artifacts: [{ digests: {} }] },
      {},
      { artifacts: 1 },
    ];
    for (const json of wrong) {
      expect(await send(json)).toMatchObject({ status: 400, body: { message: 'Invalid report data' } });
    }
    const other = { method: 'PUT', path: `/environments/acme/prod/report/${kind}`, json: { artifacts: [] } };
    expect(await call(service, other)).toMatchObject({
      status: 400,
      body: { errors: { 'path.env_name': `is an environment of the type K8S, and this is a report of ${kind}` } },
    });
  });
});

describe('a snapshot', () => {
  it('has its artifacts with their builds, instances and verdicts', async () => {
    const { status, body } = await snapshot('2');
    const { git_commit, commit_url } = sampleArtifact();
    const web = {
      ...{ name: 'web', fingerprint: fingerprintOf('abcdef'), flow_name: 'web', git_commit, commit_url },
      ...{ compliant: true, allowed: false, deployments: [], creationTimestamp: [1_700_000_000, 1_700_000_000] },
      pods: {
        'web-1': { namespace: 'shop', creationTimestamp: 1_700_000_000, owners: [] },
        'web-2': { namespace: 'shop', creationTimestamp: 1_700_000_000, owners: [] },
      },
      annotation: { type: 'scaled', was: 1, now: 2 },
    };
    const job = {
      ...{ name: 'job', flow_name: '', git_commit: '', commit_url: '', compliant: false },
      annotation: { type: 'started-running', was: 0, now: 1 },
    };
    expect([status, body]).toMatchObject([
      200,
      { index: 2, environment: 'prod', type: 'K8S', user_id: '', user_name: '', compliant: false, judged: true },
    ]);
    expect(listAt(body, 'artifacts')).toEqual([expect.objectContaining(job), web]);
  });

  it.each([
    ['-1', 3],
    ['~0', 3],
    ['~1', 2],
    ['-3', 1],
    ['#1', 1],
    ['1', 1],
    ['@{2100-01-01T10:00:00}', 3],
  ])('is selected by %s', async (expression, index) => {
    expect(await snapshot(expression)).toMatchObject({ status: 200, body: { index } });
  });

  it.each([
    ['prod', '23', "Org: 'acme'. Snapshot 'prod#23' resolves to 'prod#23'. len(snapshots) == 3. Indexes are 1-based"],
    ['prod', '~3', "Org: 'acme'. Snapshot 'prod~3' resolves to 'prod#0'. len(snapshots) == 3. Indexes are 1-based"],
    ['empty', '-1', "Org: 'acme'. Snapshot 'empty#-1' resolves to 'empty#0'. len(snapshots) == 0. Indexes are 1-based"],
    ['none', '1', "Environment named 'none' does not exist for organization 'acme'"],
  ])('of %s at %s does not exist', async (environment, expression, message) => {
    expect(await snapshot(expression, environment)).toMatchObject({ status: 404, body: { message } });
  });

  it.each(['0', 'x', '@{yesterday}', '-0'])('cannot be selected by %s', async (expression) => {
    expect((await snapshot(expression)).status).toBe(400);
  });

  it('of a logical environment has the artifacts and verdicts of its members', async () => {
    expect((await snapshot('-1', 'all')).body).toMatchObject({
      ...{ type: 'logical', compliant: true, judged: true },
      artifacts: [{ name: 'web', compliant: true, pods: { 'web-1': { namespace: 'shop' } } }],
    });
  });
});

describe('an environment', () => {
  it('can be read', async () => {
    const { status, body } = await get('/environments/acme/prod');
    expect([status, body]).toEqual([
      200,
      {
        ...{ name: 'prod', org: 'acme', type: 'K8S', description: 'The shop', state: true, tags: {} },
        archived: false,
        ...{ policies: ['provenance'], require_provenance: false, included_environments: [] },
        last_reported_at: expect.any(Number),
        last_modified_at: expect.any(Number),
        last_changed_at: expect.any(Number),
      },
    ]);
    expect(await get('/environments/acme/empty')).toMatchObject({
      body: { state: null, last_reported_at: null, last_changed_at: null, policies: [] },
    });
    expect(await get('/environments/acme/none')).toMatchObject({
      status: 404,
      body: { message: "Environment named 'none' does not exist for organization 'acme'" },
    });
  });

  it('has the time of the latest report, also if nothing had changed', async () => {
    const before = Number(valueAt((await get('/environments/acme/prod')).body, 'last_reported_at'));
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    expect(Number(valueAt((await get('/environments/acme/prod')).body, 'last_reported_at'))).toBeGreaterThan(before);
  });

  const names = async (query: string): Promise<unknown[]> => {
    const { body } = await get(`/environments/acme${query}`);
    return (Array.isArray(body) ? body : listAt(body, 'environments')).map((found: unknown) => valueAt(found, 'name'));
  };

  it('is listed, filtered and sorted', async () => {
    expect((await names('')).slice(0, 2)).toEqual(['all', 'empty']);
    expect(await names('?type=logical')).toEqual(['all']);
    expect(await names('?type=logical&type=K8S&sort_direction=desc')).toEqual(['prod', 'all']);
    expect(await names('?name=PRO')).toEqual(['prod']);
    expect(await names('?name=prod&tag=team:web')).toEqual([]);
    expect(await names('?space_id=a')).toEqual([]);
    expect((await names('?sort=last_modified_at'))[0]).toBe('prod');
    expect((await names('?sort=last_changed_at&sort_direction=desc')).at(-1)).toBe('empty');
    expect((await get('/environments/acme?type=mainframe')).status).toBe(400);
  });

  it('is listed in pages if a page is requested', async () => {
    expect((await get('/environments/acme?page=2&per_page=1&name=p&type=K8S&type=S3')).body).toMatchObject({
      ...{ page: 2, per_page: 1, total_pages: 2, total_count: 2 },
      environments: [{ name: 'prod' }],
    });
    expect((await get('/environments/acme?per_page=1&type=logical')).body).toMatchObject({
      environments: [{ name: 'all' }],
      ...{ page: 1, per_page: 1, total_pages: 1, total_count: 1 },
    });
  });
});

describe('the log of an environment', () => {
  const events = async (query = ''): Promise<string[]> => {
    const { status, body } = await get(`/environments/acme/prod/events${query}`);
    expect([query, status]).toEqual([query, 200]);
    return listAt({ body }, 'body').map((event) =>
      [valueAt(event, 'snapshot_index'), valueAt(event, 'artifact_name'), valueAt(event, 'pipeline')].join(' '),
    );
  };

  it('has what started and stopped running', async () => {
    expect((await get('/environments/acme/prod/events?reverse=true')).body).toEqual([
      {
        ...{ snapshot_index: 1, artifact_name: 'web', sha256: fingerprintOf('abcdef'), pipeline: 'web' },
        ...{ description: 'Started to run in prod', reported_at: expect.any(Number) },
      },
      expect.objectContaining({ snapshot_index: 2, artifact_name: 'job', description: 'Started to run in prod' }),
      expect.objectContaining({ snapshot_index: 3, artifact_name: 'job', description: 'No longer runs in prod' }),
    ]);
  });

  it.each([
    ['', ['3 job ', '2 job ', '1 web web']],
    ['?page=2&per_page=1', ['2 job ']],
    ['?interval=2..3', ['3 job ', '2 job ']],
    ['?interval=NOW', ['3 job ']],
    ['?start=2&end=2', ['2 job ']],
    ['?start=1hour&end=NOW&interval=', ['3 job ', '2 job ', '1 web web']],
    ['?start=NOW', []],
    ['?end=1day', []],
    ['?start_ts=1700000000.5&end_ts=1800000000', ['3 job ', '2 job ', '1 web web']],
    ['?repo_name=acme%2Fweb&repo_name=acme%2Fother', ['1 web web']],
    ['?repo_name=acme%2Fother&repo_name=acme%2Fnone', []],
  ])('is narrowed by %s', async (query, expected) => {
    expect(await events(query)).toEqual(expected);
  });

  it('rejects an invalid time and an unknown environment', async () => {
    for (const query of ['?start=soon', '?end=0', '?interval=x', '?start_ts=x']) {
      expect((await get(`/environments/acme/prod/events${query}`)).status).toBe(400);
    }
    expect((await get('/environments/acme/none/events')).status).toBe(404);
    expect((await get('/environments/acme/all/events')).body).toEqual([]);
  });
});

describe('the policies', () => {
  it('are listed with the text of the latest version', async () => {
    await savePolicy(service, 'a-first');
    await savePolicy(service, 'a-first');
    const { body } = await get('/policies/acme');
    expect(body).toMatchObject([
      {
        name: 'a-first',
        consuming_envs: [],
        versions: [{ version: 1 }, { version: 2, policy_yaml: expect.any(String) }],
      },
      { name: 'provenance', consuming_envs: ['prod'], created_at: expect.any(Number) },
    ]);
    expect(valueAt(listAt({ body }, 'body')[0], 'versions', '0', 'policy_yaml')).toBeUndefined();
  });
});
