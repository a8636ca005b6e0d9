import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { renamedColumns } from '../../../src/service/naming/rename-records.ts';
import { migrate } from '../../../src/service/platform/database/sqlite/migrations.ts';
import { administer, createNotification } from '../../support/administration.ts';
import { listVerdicts, pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { type LoginFixture, startLoginFixture } from '../../support/login-fixture.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  fingerprintOf,
  report,
  sampleArtifact,
  sampleAttestation,
  saveFlow,
} from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const fingerprint = fingerprintOf('abcdef');

const rename = (service: TestService, path: string, name: string, key: string = service.apiKey): Promise<Called> =>
  call(service, { method: 'PUT', path: `/${path}/rename`, json: { new_name: name }, key });

const artifactsMust = (rules: string): string =>
  `_schema: https://example.com/schemas/policy/environment/v1\nartifacts:\n${rules}\n`;
const strict = artifactsMust('  trail-compliance: { required: true }');
const forShop = artifactsMust('  attestations: [{ type: junit, if: \'${{ exists(flow) and flow.name == "shop" }}\' }]');

describe('renaming', () => {
  let storage: TestStorage;
  let service: TestService;
  beforeEach(async () => {
    storage = await createTestStorage();
    service = await startTestService({ storage });
    await saveFlow(service);
    await report(service, { trail_name: 'main' });
    await attest(service, sampleAttestation('ERROR'), 'main');
    await savePolicy(service, 'strict', strict);
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod'] });
    await savePolicy(service, 'for-shop', forShop);
    await saveEnvironment(service, 'stage', { policies: ['for-shop'] });
    for (const name of ['prod', 'stage']) await reportPods(service, name, pod('web-1', { web: 'abcdef' }));
  });
  afterEach(async () => {
    await stopWithoutErrors(service);
    await storage.remove();
  });

  const read = async (path: string): Promise<unknown> => (await call(service, { path })).body;

  it('a flow keeps everything, under both names, and what runs is judged by the new one', async () => {
    expect(await rename(service, 'flows/acme/web', 'shop')).toMatchObject({ status: 200 });
    for (const name of ['shop', 'web']) {
      expect(await read(`/flows/acme/${name}`)).toMatchObject({ name: 'shop' });
      expect(await read(`/trails/acme/${name}/main`)).toMatchObject({
        name: 'main',
        compliance_state: 'NON-COMPLIANT',
      });
      expect(await read(`/artifacts/acme/${name}/fingerprint/${fingerprint}`)).toMatchObject({ flow_name: 'shop' });
      expect(await read(`/attestations/acme/${name}`)).toMatchObject({ pagination: { total: 1 } });
      expect(await read(`/artifacts/acme?flow_name=${name}`)).toMatchObject([{ fingerprint }]);
      expect(await read(`/asserts/acme/fingerprint/${fingerprint}?flow_name=${name}`)).toMatchObject({
        flows: [{ flow: 'shop' }],
      });
      const page = await call(service, { at: service.url, path: `/acme/flows/${name}/trails/main` });
      expect([page.status, page.text.includes('/acme/flows/web/')]).toEqual([200, false]);
    }
    expect(await read('/snapshots/acme/prod/1')).toMatchObject({
      artifacts: [{ flow_name: 'shop' }],
      reasons: [{ html_url: expect.stringContaining('/acme/flows/shop/trails/main/') }],
    });
    expect(await listVerdicts(service, 'stage')).toEqual([true, false]);
    // Evidence goes on under the old name.
    expect((await attest(service, sampleAttestation('OK'), 'main')).status).toBe(201);
    expect(await listVerdicts(service, 'prod')).toEqual([false, true]);
    expect(await read('/organizations/acme/audit-log?type=renamed')).toMatchObject({
      data: [{ actor: 'admin', subject: 'flow web', details: { new_name: 'shop' } }],
    });
  });

  it('a flow is followed by notifications that wait for their target', async () => {
    const receiver = await startWebhookReceiver();
    const targets = [{ type: 'WEBHOOK', webhook: receiver.url, payload_version: '1.0' }];
    await createNotification(service, { triggers: ['ON_EXITED_ARTIFACT'], targets });
    await reportPods(service, 'prod');
    // The service may not reach this machine.
    for (let failing: unknown = false; failing !== true;)
      failing = valueAt(await read('/organizations/acme/environments_notifications/1'), 'is_failing');
    await rename(service, 'flows/acme/web', 'shop');
    await stopWithoutErrors(service);
    const sources = { now: () => Date.now() + 60_000 };
    service = await startTestService({ storage, sources, options: { allowPrivateTargets: true } });
    const payload: unknown = JSON.parse((await receiver.next()).body);
    const provenance = valueAt(payload, 'artifact', 'provenance');
    expect(provenance).toMatchObject({ flow: 'shop', status: 'NON-COMPLIANT' });
    expect(valueAt(provenance, 'html_url')).toContain('/acme/flows/shop/artifacts/');
    await receiver.stop();
  });

  it('an environment keeps everything, under both names', async () => {
    await createNotification(service, { environments: ['prod'] });
    const allowed = { artifact_fingerprint: fingerprint, artifact_name: 'web', description: 'Hotfix' };
    await call(service, { method: 'PUT', path: '/allowlists/acme/prod', json: allowed });
    expect(await rename(service, 'environments/acme/prod', 'live')).toMatchObject({ status: 200 });
    for (const name of ['live', 'prod']) {
      expect(await read(`/environments/acme/${name}`)).toMatchObject({
        name: 'live',
        policies: ['strict'],
        state: true,
      });
      expect(await read(`/snapshots/acme/${name}`)).toMatchObject([{ index: 2 }, { index: 1 }]);
      expect(await read(`/environments/acme/${name}/events`)).toMatchObject([{ sha256: fingerprint }]);
      expect(await read(`/allowlists/acme/${name}`)).toMatchObject([{ artifact_name: 'web' }]);
      expect(await read(`/asserts/acme/fingerprint/${fingerprint}?environment_name=${name}`)).toMatchObject({
        environment: 'live',
      });
    }
    expect(await read('/environments/acme/all')).toMatchObject({ included_environments: ['live'] });
    expect(await read('/snapshots/acme/all/1')).toMatchObject({ artifacts: [{ pods: { 'web-1': {} } }] });
    expect(await read('/policies/acme/strict')).toMatchObject({ consuming_envs: ['live'] });
    expect(await read('/organizations/acme/environments_notifications/1')).toMatchObject({ environments: ['live'] });
    expect((await reportPods(service, 'prod', pod('api-1', { api: 'bbbbbb' }))).status).toBe(201);
    expect(await read('/snapshots/acme/all/-1')).toMatchObject({ index: 3, artifacts: [{ name: 'api' }] });
  });

  it('lets a name be taken, and changed back, also if an environment has or had it', async () => {
    await rename(service, 'environments/acme/stage', 'web');
    await rename(service, 'flows/acme/web', 'shop');
    await saveFlow(service, { name: 'web', description: 'Another' });
    expect(await read('/flows/acme/web')).toMatchObject({ description: 'Another' });
    await rename(service, 'flows/acme/web', 'third');
    await rename(service, 'flows/acme/shop', 'web');
    expect(await read('/flows/acme/shop')).toMatchObject({ name: 'web' });
    expect(await read('/trails/acme/web/main')).toMatchObject({ name: 'main' });
    await rename(service, 'flows/acme/web', 'fourth');
    for (const name of ['shop', 'web']) expect(await read(`/flows/acme/${name}`)).toMatchObject({ name: 'fourth' });
    for (const name of ['fourth', 'nowhere']) {
      const named = await rename(service, `flows/acme/${name}`, 'third');
      expect([name, named.status]).toEqual([name, name === 'fourth' ? 400 : 404]);
    }
    expect((await rename(service, 'flows/acme/third', 'stage')).status).toBe(200);
    expect(await read('/environments/acme/stage')).toMatchObject({ name: 'web' });
    // Another organization has the names, too.
    const other = { ...service, org: 'other', apiKey: await service.createOrganization('other') };
    for (const name of ['web', 'shop']) await saveFlow(other, { name });
    await saveEnvironment(other, 'stage');
    const names = ['web', 'former', 'web', 'fourth', 'fifth'];
    for (const [index, to] of names.slice(1).entries()) await rename(other, `flows/other/${names[index]}`, to);
    for (const name of ['shop', 'web']) expect(await read(`/flows/acme/${name}`)).toMatchObject({ name: 'fourth' });
    expect(await read('/environments/acme/stage')).toMatchObject({ name: 'web' });
  });

  it.each([
    ['flows/acme/web', '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$'],
    ['environments/acme/prod', '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_]*$'],
  ])('%s refuses a name that is none', async (path, pattern) => {
    expect(await rename(service, path, 'new illegal name')).toMatchObject({
      status: 400,
      body: { errors: { new_name: `String should match pattern '${pattern}' [input: new illegal name]` } },
    });
  });

  it('leaves no reference behind that is checked at once', async () => {
    if (Reflect.get(globalThis, 'serviceDatabase') !== 'postgres') return;
    const referred = ['flows', 'trails', 'attestations', 'environments'].map((table) => `'${table}'::regclass`).join();
    const constraints = `SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT condeferrable AND confrelid IN (${referred})`;
    expect(await storage.query(constraints)).toEqual([]);
  });
});

describe('renaming a flow that a login rule names', () => {
  let fixture: LoginFixture;
  beforeEach(async () => {
    fixture = await startLoginFixture();
  });
  afterEach(() => fixture.stop());

  it('keeps the access of its runs, and gives them none to what takes the name', async () => {
    const { service } = fixture;
    await fixture.saveRule({
      role: 'member',
      flows: ['web'],
      counts_for_environments: ['prod'],
      permissions: ['record', 'define'],
    });
    const key = await fixture.logIn();
    await fixture.saveRule({ role: 'member', flows: ['other'] }, 'other');
    expect(await rename(service, 'flows/acme/web', 'other')).toMatchObject({
      status: 400,
      body: { errors: { new_name: expect.stringContaining('the login rule other names') } },
    });
    // The rule permits only to define the flow, not what others are.
    expect((await rename(service, 'flows/acme/web', 'shop', key)).status).toBe(403);
    const json = sampleArtifact({ fingerprint: fingerprintOf('eeeeee') });
    const send = (flow: string): Promise<Called> =>
      call(service, { method: 'POST', path: `/artifacts/acme/${flow}`, json, key });
    expect((await send('web')).status).toBe(201);
    expect((await rename(service, 'flows/acme/web', 'shop')).status).toBe(200);
    for (const flow of ['web', 'shop']) expect([flow, (await send(flow)).status]).toEqual([flow, 201]);
    await saveFlow(service, { name: 'web' });
    expect((await send('web')).status).toBe(403);
    expect((await send('shop')).status).toBe(201);
    const rules = await administer(service, { method: 'GET', path: '/organizations/acme/login-rules' });
    expect(JSON.stringify(rules.body)).toContain('"flows":["shop"]');
  });

  it('lets evidence count for an environment under its new name', async () => {
    const { service } = fixture;
    await savePolicy(service, 'reported');
    await saveEnvironment(service, 'target', { policies: ['reported'] });
    const limits = { role: 'member', flows: ['web'], counts_for_environments: ['target'] };
    await fixture.saveRule(limits);
    const key = await fixture.logIn();
    const digest = fingerprintOf('dddddd');
    const json = sampleArtifact({ fingerprint: digest, trail_name: 'limited' });
    await call(service, { method: 'POST', path: '/artifacts/acme/web', json, key });
    const form = attestationForm(sampleAttestation('OK'));
    await call(service, { method: 'POST', path: '/attestations/acme/web/trail/limited/sonar', form, key });
    await rename(service, 'environments/acme/target', 'goal');
    const path = `/asserts/acme/fingerprint/${digest}?environment_name=goal`;
    expect(await call(service, { path })).toMatchObject({ body: { compliant: true } });
    await saveEnvironment(service, 'target', { policies: ['reported'] });
    expect(await call(service, { path: path.replace('goal', 'target') })).toMatchObject({ body: { compliant: false } });
  });

  it('keeps the latest of each evidence that counted for the new name or the former one', async () => {
    const { service } = fixture;
    const logInFor = async (environment: string): Promise<string> => {
      await fixture.saveRule({ role: 'member', flows: ['web', 'api'], counts_for_environments: [environment] });
      return fixture.logIn();
    };
    await saveFlow(service, { name: 'api' });
    await savePolicy(
      service,
      'tested',
      artifactsMust('  attestations: [{type: "*", name: sonar}, {type: "*", name: unit}]'),
    );
    await saveEnvironment(service, 'target', { policies: ['tested'] });
    const record = (place: string, status: string, attestation_name: string, key: string): Promise<Called> => {
      const form = attestationForm(sampleAttestation(status, { attestation_name }));
      return call(service, { method: 'POST', path: `/attestations/acme/${place}/sonar`, form, key });
    };
    const key = await logInFor('goal');
    const places = ['web/trail/main', 'web/trail/other', 'api/trail/main'];
    for (const [index, place] of places.entries()) {
      const [flow, , trail_name = ''] = place.split('/');
      const json = sampleArtifact({ fingerprint: fingerprintOf(`${index}ab`), trail_name });
      await call(service, { method: 'POST', path: `/artifacts/acme/${flow}`, json, key });
      for (const name of ['sonar', 'unit'])
        await record(place, index === 0 && name === 'sonar' ? 'ERROR' : 'OK', name, key);
    }
    expect((await record('web/trail/main', 'OK', 'sonar', await logInFor('target'))).status).toBe(201);
    expect((await rename(service, 'environments/acme/target', 'goal')).status).toBe(200);
    for (const index of places.keys()) {
      const path = `/asserts/acme/fingerprint/${fingerprintOf(`${index}ab`)}?environment_name=goal`;
      expect(await call(service, { path })).toMatchObject({ body: { compliant: true } });
    }
  });
});

it('renames every column that names a flow or an environment', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, 'memory');
  const columns = database
    .prepare(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.name IN ('flow', 'environment', 'member') ORDER BY 1`,
    )
    .all()
    .map(({ name }) => name);
  database.close();
  const renamed = Object.values(renamedColumns).flat();
  expect(columns).toEqual(renamed.filter((name) => !/^(?:flows|environments)\./u.test(name)).sort());
});
