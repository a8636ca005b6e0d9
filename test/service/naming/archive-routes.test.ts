import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  changePolicies,
  listVerdicts,
  pod,
  reportPods,
  saveEnvironment,
  savePolicy,
} from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

describe('archiving', () => {
  let service: TestService;
  const openOrganization = shareTestService();
  beforeEach(async () => {
    service = await openOrganization();
    for (const name of ['web', 'api']) await saveFlow(service, { name });
    await saveEnvironment(service, 'prod');
    await savePolicy(service, 'provenance');
  });

  const archive = (path: string): Promise<Called> => call(service, { method: 'PUT', path: `/${path}/archive` });
  const read = (path: string): Promise<Called> => call(service, { path });
  const namesAt = async (path: string): Promise<unknown> =>
    ((await read(path)).body as { name: string }[]).map(({ name }) => name);

  it.each([
    ['flows', 'web', () => saveFlow(service, { name: 'web' })],
    ['environments', 'prod', () => saveEnvironment(service, 'prod')],
    ['policies', 'provenance', () => savePolicy(service, 'provenance')],
  ])('of %s leaves %s out of lists, until it is created again', async (list, name, create) => {
    const others = ((await namesAt(`/${list}/${service.org}`)) as string[]).filter((each) => each !== name);
    await archive(`${list}/${service.org}/${name}`);
    expect((await archive(`${list}/${service.org}/${name}`)).status).toBe(200);
    expect(await namesAt(`/${list}/${service.org}`)).toEqual(others);
    const page = `/${service.org}/${list}`;
    expect((await call(service, { at: service.url, path: page })).text).not.toContain(`${page}/${name}"`);
    expect((await read(`/${list}/${service.org}/${name}`)).body).toMatchObject({ name, archived: true });
    if (list !== 'policies') expect(await namesAt(`/${list}/${service.org}?archived=true`)).toEqual([name]);
    await create();
    expect((await read(`/${list}/${service.org}/${name}`)).body).toMatchObject({ name, archived: false });
    expect(await namesAt(`/${list}/${service.org}`)).toContain(name);
    const { body } = await read(`/organizations/${service.org}/audit-log?type=archived`);
    expect(body).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ actor: 'admin' })]) });
  });

  it('of a flow keeps its records, and refuses new ones', async () => {
    await report(service);
    await archive(`flows/${service.org}/web`);
    const refused = {
      status: 400,
      body: { errors: { 'path.flow_name': expect.stringContaining('create the flow again') } },
    };
    expect(await report(service)).toMatchObject(refused);
    expect(await attest(service, sampleAttestation('OK'))).toMatchObject(refused);
    expect(await read(`/artifacts/${service.org}?flow_name=web`)).toMatchObject({
      status: 200,
      body: [{ filename: 'web.tar' }],
    });
  });

  it('of an environment refuses reports, ends judging, and takes it out of the logical ones', async () => {
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod'] });
    await changePolicies(service, 'POST', 'prod', ['provenance']);
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    await archive(`environments/${service.org}/prod`);
    expect(await reportPods(service, 'prod')).toMatchObject({
      status: 400,
      body: { errors: { 'path.env_name': expect.stringContaining('create the environment again') } },
    });
    expect((await changePolicies(service, 'DELETE', 'prod', ['provenance'])).status).toBe(400);
    await report(service);
    expect(await listVerdicts(service, 'prod')).toEqual([false]);
    expect(await listVerdicts(service, 'all')).toEqual([false, 'not judged']);
    await saveEnvironment(service, 'prod');
    expect(await listVerdicts(service, 'prod')).toEqual([false, true]);
    expect(await listVerdicts(service, 'all')).toEqual([false, 'not judged', true]);
    expect((await read(`/organizations/${service.org}/audit-log?type=restored`)).body).toMatchObject({
      data: [{ subject: 'environment prod' }],
    });
  });

  it('of a member leaves its policies out of assertions for the logical environment', async () => {
    const strict = '_schema: https://x/v1\nartifacts:\n  attestations: [{ type: junit }]\n';
    await savePolicy(service, 'strict', strict);
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod'] });
    await changePolicies(service, 'POST', 'all', ['provenance']);
    await report(service);
    const assert = async (): Promise<unknown> =>
      (await read(`/asserts/${service.org}/fingerprint/${fingerprintOf('abcdef')}?environment_name=all`)).body;
    expect(await assert()).toMatchObject({ compliant: false });
    await archive(`environments/${service.org}/prod`);
    expect(await assert()).toMatchObject({ compliant: true });
  });

  it('of an environment is only ended by somebody who may define', async () => {
    await archive(`environments/${service.org}/prod`);
    const key = await service.createKey('snapshotter');
    expect(await saveEnvironment(service, 'prod', {}, key)).toMatchObject({
      status: 403,
      body: { errors: { name: expect.stringContaining('archived'), authorization: expect.stringContaining('member') } },
    });
    expect(await namesAt(`/environments/${service.org}`)).not.toContain('prod');
    expect((await saveEnvironment(service, 'prod')).status).toBe(201);
    expect((await saveEnvironment(service, 'prod', {}, key)).status).toBe(201);
  });

  it('of a policy is refused while it judges, and then nothing can be judged by it', async () => {
    await changePolicies(service, 'POST', 'prod', ['provenance']);
    expect(await archive(`policies/${service.org}/provenance`)).toMatchObject({
      status: 400,
      body: { errors: { 'path.policy_name': 'is attached to prod; detach it first' } },
    });
    await changePolicies(service, 'DELETE', 'prod', ['provenance']);
    expect((await archive(`policies/${service.org}/provenance`)).status).toBe(200);
    expect((await changePolicies(service, 'POST', 'prod', ['provenance'])).status).toBe(404);
    const page = await call(service, { at: service.url, path: `/${service.org}/policies/provenance` });
    expect(page.text).toContain('lists leave it out, and a new version brings it back');
    expect(page.text).not.toContain('attach it to one');
  });

  it('of a policy lets it be detached from an environment that was archived, too', async () => {
    await changePolicies(service, 'POST', 'prod', ['provenance']);
    await archive(`environments/${service.org}/prod`);
    expect((await archive(`policies/${service.org}/provenance`)).status).toBe(200);
    await saveEnvironment(service, 'prod');
    expect((await changePolicies(service, 'POST', 'prod', ['provenance'])).status).toBe(404);
    expect((await changePolicies(service, 'DELETE', 'prod', ['provenance'])).status).toBe(200);
    expect((await read(`/environments/${service.org}/prod`)).body).toMatchObject({ policies: [] });
  });

  it('needs something that exists', async () => {
    for (const path of [
      `flows/${service.org}/none`,
      `environments/${service.org}/none`,
      `policies/${service.org}/none`,
    ]) {
      expect((await archive(path)).status).toBe(404);
    }
  });
});

describe('joining', () => {
  let service: TestService;
  const openOrganization = shareTestService();
  beforeEach(async () => {
    service = await openOrganization();
    await saveEnvironment(service, 'prod');
    await saveEnvironment(service, 'stage');
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod'] });
  });

  const join = (logical: string, member: string): Promise<Called> =>
    call(service, {
      method: 'PUT',
      path: `/environments/${service.org}/${logical}/join`,
      json: { physical_env_name: member },
    });

  it('adds a member to a logical environment, once', async () => {
    await reportPods(service, 'stage', pod('web-1', { web: 'abcdef' }));
    for (const member of ['stage', 'stage', 'prod']) expect((await join('all', member)).status).toBe(200);
    expect((await call(service, { path: `/environments/${service.org}/all` })).body).toMatchObject({
      included_environments: ['prod', 'stage'],
    });
    expect((await call(service, { path: `/snapshots/${service.org}/all/-1` })).body).toMatchObject({
      index: 1,
      artifacts: [{ name: 'web' }],
    });
  });

  const missing = { message: expect.stringMatching(/^Environment named 'none' does not exist for organization '/u) };
  it.each([
    ['none', 'prod', 404, missing],
    ['all', 'none', 404, missing],
    ['stage', 'prod', 400, { errors: { 'path.env_name': 'must be a logical environment' } }],
    ['all', 'all', 400, { errors: { physical_env_name: 'must not be all, which is a logical environment' } }],
  ])('%s by %s is a %d', async (logical, member, status, body) => {
    expect(await join(logical, member)).toMatchObject({ status, body });
  });
});
