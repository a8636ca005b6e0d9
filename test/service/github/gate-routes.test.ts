import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { maximumGithubGates } from '../../../src/contract/github-gate.ts';
import { listAt, textAt } from '../../../src/runtime/untrusted-data.ts';
import { receivingApp } from '../../support/fake-github-app.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called, mappingOf } from '../../support/service-call.ts';
import { sampleFlow } from '../../support/service-samples.ts';

const document = { installation_id: 1, repositories: ['10'], flows: ['web'], environments: { production: 'prod' } };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ options: { github: receivingApp } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  for (const gate of listAt((await gates('GET')).body)) await gates('DELETE', textAt(gate, 'name'));
});

const gates = (method: string, name = '', json?: unknown, key = service.apiKey, org = 'acme'): Promise<Called> =>
  call(service, {
    ...{ method, path: `/organizations/${org}/github-gates${name === '' ? '' : `/${name}`}`, key },
    ...(json === undefined ? {} : { json }),
  });

describe('a gate', () => {
  it('is created, replaced, read and deleted by admins, and audited', async () => {
    const created = await gates('PUT', 'web', document);
    expect([created.status, created.body]).toEqual([
      201,
      expect.objectContaining({ name: 'web', ...document, wait: '30m', created_by: 'admin' }),
    ]);
    const again = await gates('PUT', 'web', document);
    expect([again.status, again.body]).toEqual([200, created.body]);
    const wanted = { ...document, installation_id: 2, flows: ['web', 'api'], wait: '2h' };
    const replaced = await gates('PUT', 'web', wanted);
    expect([replaced.status, replaced.body]).toEqual([200, expect.objectContaining(wanted)]);
    expect((await gates('GET', 'web')).body).toEqual(replaced.body);
    expect((await gates('GET')).body).toEqual([replaced.body]);
    expect((await gates('DELETE', 'web')).body).toBe('deleted');
    expect([(await gates('DELETE', 'web')).status, (await gates('GET', 'web')).status]).toEqual([404, 404]);
    const { body } = await call(service, { path: '/organizations/acme/audit-log' });
    expect(listAt(body, 'data').slice(0, 3)).toEqual([
      expect.objectContaining({ type: 'github_gate_deleted', actor: 'admin', subject: 'GitHub gate web', details: {} }),
      expect.objectContaining({ type: 'github_gate_saved', details: { gate: JSON.stringify(orderOf(wanted)) } }),
      expect.objectContaining({ type: 'github_gate_saved' }),
    ]);
  });

  it('is not for other roles', async () => {
    const key = await service.createKey('member');
    expect((await gates('PUT', 'web', document, key)).status).toBe(403);
    expect((await gates('GET', '', undefined, key)).status).toBe(403);
  });

  it('has an installation that the operator gave to the organization, so that nobody takes those of others', async () => {
    for (const installation_id of [3, 4]) {
      const { status, text } = await gates('PUT', 'web', { ...document, installation_id });
      expect([status, text]).toEqual([409, expect.stringContaining(`--github-installation acme=${installation_id}`)]);
    }
  });

  it('shares no repository and no flow with another of its organization, and may with those of others', async () => {
    const otherKey = await service.createOrganization('other');
    await gates('PUT', 'web', document);
    expect((await gates('PUT', 'web', { ...document, installation_id: 3 }, otherKey, 'other')).status).toBe(201);
    const repository = await gates('PUT', 'two', { ...document, flows: ['api'] });
    expect([repository.status, mappingOf(repository)['message']]).toEqual([
      409,
      "The repository '10' belongs to the gate 'web'; remove it there first",
    ]);
    const flow = await gates('PUT', 'two', { ...document, repositories: ['11'] });
    expect([flow.status, mappingOf(flow)['message']]).toEqual([
      409,
      "The flow 'web' belongs to the gate 'web'; remove it there first",
    ]);
  });

  it.each([
    ['installation_id', 0],
    ['repositories', []],
    ['repositories', ['acme/web']],
    ['flows', ['a b']],
    ['environments', { '': 'prod' }],
    ['environments', { production: 'a b' }],
    ['wait', '30'],
    ['wait', '0m'],
    ['unknown', true],
  ])('is refused with an invalid %s', async (field, value) => {
    const { status, text } = await gates('PUT', 'web', { ...document, [field]: value });
    expect([status, text]).toEqual([400, expect.stringContaining(field)]);
  });

  it('follows the new names of its flows and environments', async () => {
    const saved = await call(service, { method: 'PUT', path: '/flows/acme', json: sampleFlow() });
    expect(saved.status).toBe(201);
    await call(service, {
      ...{ method: 'PUT', path: '/environments/acme' },
      json: { name: 'prod', type: 'K8S', description: '' },
    });
    await gates('PUT', 'web', { ...document, environments: { prod: 'prod', production: 'prod' } });
    const rename = (path: string, new_name: string): Promise<Called> =>
      call(service, { method: 'PUT', path, json: { new_name } });
    expect((await rename('/flows/acme/web/rename', 'site')).status).toBe(200);
    expect((await rename('/environments/acme/prod/rename', 'live')).status).toBe(200);
    expect((await gates('GET', 'web')).body).toMatchObject({
      flows: ['site'],
      environments: { prod: 'live', production: 'live' },
    });
  });

  it('is one of a limited number', async () => {
    const create = (index: number): Promise<Called> =>
      gates('PUT', `gate-${index}`, { ...document, repositories: [`9${index}`], flows: [`flow-${index}`] });
    for (let index = 0; index < maximumGithubGates; index += 1) expect((await create(index)).status).toBe(201);
    expect((await create(0)).status).toBe(200);
    const { status, text } = await create(maximumGithubGates);
    expect([status, text]).toEqual([400, expect.stringContaining(`there are already ${maximumGithubGates} gates`)]);
  });
});

it('cannot be saved without an app, which the error says', async () => {
  const plain = await startTestService();
  const path = '/organizations/acme/github-gates/web';
  const { status, text } = await call(plain, { method: 'PUT', path, json: document });
  expect([status, text]).toEqual([409, expect.stringContaining('--github-app-id')]);
  await plain.stop();
});

/** The fields in the order in which they are stored. */
function orderOf({ environments, wait, ...rest }: typeof document & { readonly wait: string }): unknown {
  return { environments, wait, ...rest };
}
