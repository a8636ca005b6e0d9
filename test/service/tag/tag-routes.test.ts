import { beforeEach, describe, expect, it } from '@jest/globals';
import { maximumTags } from '../../../src/contract/tags.ts';
import { listVerdicts, pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { report, sampleArtifact, saveFlow } from '../../support/service-samples.ts';

const sampleIn = (flow: string) => sampleArtifact({ trail_name: `of-${flow}` });

const policyForTeam = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  attestations:
    - type: sonar
      if: \${{ exists(flow.tags.team) and flow.tags.team == "shop" }}
`;

describe('tags', () => {
  let service: TestService;
  const openOrganization = shareTestService();
  beforeEach(async () => {
    service = await openOrganization();
    for (const name of ['web', 'api']) await saveFlow(service, { name, template: [] });
    for (const name of ['prod', 'stage']) await saveEnvironment(service, name);
  });

  const tag = (path: string, set: Readonly<Record<string, string>>, remove: readonly string[] | null = null) =>
    call(service, {
      method: 'PATCH',
      path: `/tags/${service.org}/${path}`,
      json: { set_tags: set, remove_tags: remove },
    });
  const read = (path: string): Promise<Called> => call(service, { path });
  const namesAt = async (path: string): Promise<unknown> => {
    const { body } = await read(path);
    const listed = Array.isArray(body) ? body : (body as { data: unknown[] }).data;
    return (listed as { name: string }[]).map(({ name }) => name);
  };

  it.each([
    ['flow', 'flows', 'web'],
    ['flows', 'flows', 'web'],
    ['env', 'environments', 'prod'],
    ['environment', 'environments', 'prod'],
    ['environments', 'environments', 'prod'],
  ])('of a %s are set, replaced and removed, and shown', async (type, list, name) => {
    expect(await tag(`${type}/${name}`, { team: 'shop', 'risk-level': 'high' })).toMatchObject({ status: 200 });
    expect(await tag(`${type}/${name}`, { team: '<shop>', tier: '1' }, ['risk-level', 'unknown'])).toMatchObject({
      status: 200,
    });
    const tags = { team: '<shop>', tier: '1' };
    expect((await read(`/${list}/${service.org}/${name}`)).body).toMatchObject({ tags });
    expect((await read(`/${list}/${service.org}`)).body).toContainEqual(expect.objectContaining({ name, tags }));
    expect((await call(service, { at: service.url, path: `/${service.org}/${list}/${name}` })).text).toContain(
      '&lt;shop&gt;',
    );
  });

  it.each([
    ['flow', 'flows', 'web', 'is a flow that is archived; create the flow again'],
    ['env', 'environments', 'prod', 'is an environment that is archived; create the environment again'],
  ])('of a %s can be changed under its former name, and not once it is archived', async (type, list, name, fault) => {
    const current = `${name}-2`;
    const json = { new_name: current };
    await call(service, { method: 'PUT', path: `/${list}/${service.org}/${name}/rename`, json });
    expect(await tag(`${type}/${name}`, { team: 'shop' })).toMatchObject({ status: 200 });
    await call(service, { method: 'PUT', path: `/${list}/${service.org}/${current}/archive` });
    for (const each of [name, current]) {
      expect(await tag(`${type}/${each}`, { team: 'other' })).toMatchObject({
        status: 400,
        body: { errors: { 'path.name': expect.stringContaining(fault) } },
      });
    }
    expect((await read(`/${list}/${service.org}/${current}`)).body).toMatchObject({ tags: { team: 'shop' } });
  });

  it('stay when the flow or the environment is changed', async () => {
    await tag('flow/web', { team: 'shop' });
    await tag('env/prod', { team: 'shop' });
    await saveFlow(service, { name: 'web', description: 'Changed' });
    await saveEnvironment(service, 'prod', { description: 'Changed' });
    for (const path of [`/flows/${service.org}/web`, `/environments/${service.org}/prod`]) {
      expect((await read(path)).body).toMatchObject({ description: 'Changed', tags: { team: 'shop' } });
    }
  });

  it('select flows, environments, and the trails of flows', async () => {
    await tag('flow/web', { team: 'shop', tier: '1' });
    await tag('env/prod', { team: 'shop', tier: '1' });
    for (const flow of ['web', 'api']) {
      await call(service, { method: 'POST', path: `/artifacts/${service.org}/${flow}`, json: sampleIn(flow) });
    }
    for (const [list, name] of [
      ['flows', 'web'],
      ['environments', 'prod'],
    ]) {
      for (const query of ['tag=team', 'tag=team:shop', 'tag=team:shop&tag=tier']) {
        expect([query, await namesAt(`/${list ?? ''}/${service.org}?${query}`)]).toEqual([query, [name]]);
      }
      for (const query of ['tag=shop', 'tag=team:sh', 'tag=team&tag=other', 'tag=%25']) {
        expect([query, await namesAt(`/${list ?? ''}/${service.org}?${query}`)]).toEqual([query, []]);
      }
    }
    expect((await read(`/flows/${service.org}?tag=team&per_page=1`)).body).toMatchObject({ pagination: { total: 1 } });
    for (const query of ['flow_tag=team=shop', 'flow_tag=team', 'flow_tag=team&flow=web']) {
      expect([query, await namesAt(`/trails/${service.org}?${query}`)]).toEqual([query, ['of-web']]);
    }
    const { fingerprint } = sampleIn('web');
    expect(await namesAt(`/trails/${service.org}?flow_tag=team&fingerprint=${fingerprint}`)).toEqual(['of-web']);
    for (const query of ['flow_tag=team=other', 'flow_tag=team&flow=api', 'flow_tag=']) {
      expect([query, await namesAt(`/trails/${service.org}?${query}`)]).toEqual([query, []]);
    }
  });

  it('of a flow decide which rules of a policy apply, at once', async () => {
    await report(service);
    await savePolicy(service, 'for-team', policyForTeam);
    await saveEnvironment(service, 'prod', { policies: ['for-team'] });
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    await tag('flow/web', { team: 'shop' });
    await tag('flow/web', { team: 'shop', other: 'tag' });
    await tag('flow/web', {}, ['team']);
    expect(await listVerdicts(service, 'prod')).toEqual([true, false, true]);
    const { body } = await read(`/organizations/${service.org}/audit-log?type=tags_changed`);
    expect(body).toMatchObject({
      data: [
        { details: { before: '{"other":"tag","team":"shop"}', after: '{"other":"tag"}' } },
        { actor: 'admin', subject: 'flow web' },
        { details: { before: '{}', after: '{"team":"shop"}' } },
      ],
    });
  });

  it('are refused on what has none, beyond the limits, and with keys that filters could not name', async () => {
    expect(await tag('control/web', {})).toMatchObject({
      status: 400,
      body: { errors: { 'path.type': expect.stringContaining('flow') } },
    });
    expect(await tag('flow/none', {})).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining("Flow named 'none'") },
    });
    expect(await tag('env/none', {})).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining("Environment named 'none'") },
    });
    expect(await tag('flow/web', { 'a:b': 'c' })).toMatchObject({ status: 400 });
    const many = Object.fromEntries(Array.from({ length: maximumTags }, (_, index) => [`tag${index}`, 'x']));
    expect(await tag('flow/web', many)).toMatchObject({ status: 200 });
    expect(await tag('flow/web', { more: 'x' })).toMatchObject({
      status: 400,
      body: { errors: { set_tags: expect.stringContaining('no more than') } },
    });
  });
});
