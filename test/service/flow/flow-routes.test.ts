import { beforeEach, describe, expect, it } from '@jest/globals';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { report, sampleFlow, saveFlow, stateOf } from '../../support/service-samples.ts';

describe('operation 1, create or update flow', () => {
  let service: TestService;
  const openOrganization = shareTestService();
  beforeEach(async () => {
    service = await openOrganization();
  });

  it('returns 201 for a new flow and 200 for an existing one', async () => {
    expect(await saveFlow(service)).toMatchObject({ status: 201, body: 'OK' });
    expect(await saveFlow(service, { description: 'changed' })).toMatchObject({ status: 200, body: 'OK' });
  });

  it('returns 201 once with concurrent requests for the same flow', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => saveFlow(service)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
  });

  it('accepts every optional field, and null for those that allow it', async () => {
    expect((await saveFlow(service, { visibility: 'public', repo_url: 'https://git.example.com' })).status).toBe(201);
    expect((await saveFlow(service, { visibility: null, repo_url: null, template: [] })).status).toBe(200);
  });

  it('returns what was stored, and omits a repository that was never set', async () => {
    const read = (name: string): ReturnType<typeof call> => call(service, { path: `/flows/${service.org}/${name}` });
    await saveFlow(service, { visibility: 'public', repo_url: 'https://git.example.com' });
    const { name, description, template } = sampleFlow();
    const always = { name, org: service.org, description, template, tags: {}, archived: false };
    expect(await read('web')).toMatchObject({ status: 200 });
    expect((await read('web')).body).toEqual({ ...always, visibility: 'public', repo_url: 'https://git.example.com' });
    await saveFlow(service, { visibility: null, description: 'changed' });
    expect((await read('web')).body).toEqual({ ...always, visibility: 'private', description: 'changed' });
    expect(await read('api')).toMatchObject({
      status: 404,
      body: { message: `Flow named 'api' does not exist for organization '${service.org}'` },
    });
  });

  it('judges artifacts by the current template', async () => {
    await saveFlow(service);
    await report(service);
    expect(await stateOf(service)).toBe('INCOMPLETE');
    await saveFlow(service, { template: ['artifact'] });
    expect(await stateOf(service)).toBe('COMPLIANT');
  });

  it('accepts a name of 255 characters, more than a router allows by default', async () => {
    const name = 'n'.repeat(255);
    expect((await saveFlow(service, { name })).status).toBe(201);
    const artifact = await call(service, { path: `/artifacts/${service.org}/${name}/fingerprint/abcde` });
    expect(artifact.body).toMatchObject({ message: expect.stringContaining('does not exist in flow') });
  });

  it('rejects a name, a description and an address that are too long, by their fields', async () => {
    const name = 'n'.repeat(256);
    const long = { name, description: 'd'.repeat(65_537), repo_url: `https://a/${'u'.repeat(8192)}` };
    expect(await saveFlow(service, long)).toMatchObject({
      status: 400,
      body: {
        errors: {
          name: expect.stringContaining('must not have more than 255 characters'),
          description: expect.stringContaining('must not have more than 65536 characters'),
          repo_url: expect.stringContaining('must not have more than 8192 characters'),
        },
      },
    });
    expect(
      await call(service, { path: `/artifacts/${service.org}/${name}/fingerprint/abcde?trail=${name}` }),
    ).toMatchObject({
      status: 400,
      body: { errors: { 'path.flow_name': expect.stringContaining('must not have more than 255 characters') } },
    });
  });

  it('names every field that is wrong', async () => {
    const json = {
      ...sampleFlow(),
      name: '-web',
      template: ['a b'],
      visibility: 'secret',
      color: 'red',
      description: 1,
    };
    const { status, body } = await call(service, { method: 'PUT', path: `/flows/${service.org}`, json });
    expect(status).toBe(400);
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: {
        name: String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$' [input: -web]`,
        'template.0': expect.stringContaining('pattern'),
        visibility: expect.any(String),
        color: 'is not a known field [input: red]',
        description: expect.stringContaining('string'),
      },
    });
  });

  it.each([[null], [[]], ['text'], [7], [true]])('rejects %j as a flow', async (json) => {
    const { status, body } = await call(service, { method: 'PUT', path: `/flows/${service.org}`, json });
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: { body: expect.any(String) } });
  });

  it('rejects a path without a valid organization name, of its own organization or not', async () => {
    const { status } = await call(service, { method: 'PUT', path: '/flows/ac%20me', json: sampleFlow() });
    expect(status).toBe(403);
  });
});
