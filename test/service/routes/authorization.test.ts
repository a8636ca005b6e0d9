import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { roles } from '../../../src/service/domain/access.ts';
import { everyEndpoint } from '../../support/every-endpoint.ts';
import { call, mappingOf } from '../../support/service-call.ts';
import { report, saveFlow } from '../../support/service-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const basic = (words: string): string => `Basic ${Buffer.from(words).toString('base64')}`;

describe.each(everyEndpoint)('the way in to $endpoint.title', ({ endpoint, reads, request }) => {
  let service: TestService;
  let foreignKey: string;
  beforeAll(async () => {
    service = await startTestService();
    foreignKey = await service.createOrganization('other');
    await saveFlow(service);
    await report(service);
  });
  afterAll(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  const statusWith = async (authorization: string): Promise<number> => {
    const { status } = await call(service, { ...request('acme'), key: null, headers: { authorization } });
    return status;
  };
  const success = endpoint.success.map(({ status }) => status as number);

  it.each(roles)('follows the role %s', async (role) => {
    const { status } = await call(service, { ...request('acme'), key: await service.createKey(role) });
    if (reads || role === 'admin' || role === 'member') expect(success).toContain(status);
    else expect(status).toBe(403);
  });

  it('takes a bearer key, however the scheme is written', async () => {
    expect(success).toContain(await statusWith(`Bearer ${service.apiKey}`));
    expect(success).toContain(await statusWith(`bearer  ${service.apiKey}`));
  });

  it('takes a basic key where, and only where, it is declared', async () => {
    const declared = endpoint.authentication.includes('basic');
    for (const words of [`${service.apiKey}:`, `${service.apiKey}:any password`, `${service.apiKey}:a:b`]) {
      const status = await statusWith(basic(words));
      if (declared) expect(success).toContain(status);
      else expect(status).toBe(401);
    }
  });

  it.each([
    ['no colon', () => basic(service.apiKey)],
    ['the key as the password', () => basic(`:${service.apiKey}`)],
    ['an unknown key', () => `Bearer nobody_${'x'.repeat(43)}`],
    ['a wrong secret', () => `Bearer ${service.apiKey.slice(0, -1)}x`],
    ['a longer secret', () => `Bearer ${service.apiKey}x`],
    ['only the id', () => `Bearer ${service.apiKey.split('_')[0] ?? ''}`],
    ['no key', () => 'Bearer'],
    ['no scheme', () => service.apiKey],
    ['two keys', () => `Bearer ${service.apiKey} ${service.apiKey}`],
    ['another scheme', () => `Digest ${service.apiKey}`],
    ['the administration key', () => `Bearer ${service.adminKey}`],
    ['basic credentials that are no base64', () => 'Basic ~~~'],
    ['nothing', () => ''],
  ])('is closed to %s, and says how to come in', async (_fault, authorization) => {
    const headers: Record<string, string> = authorization() === '' ? {} : { authorization: authorization() };
    const { status, body, headers: answered } = await call(service, { ...request('acme'), key: null, headers });
    expect(status).toBe(401);
    expect(body).toMatchObject({
      message: 'Authentication is required',
      errors: { authorization: expect.any(String) },
    });
    const challenges = endpoint.authentication.includes('basic') ? /^Bearer .*, Basic / : /^Bearer realm="compliance"$/;
    expect(answered.get('www-authenticate')).toMatch(challenges);
  });

  it('is closed to a key that was revoked', async () => {
    const key = await service.createKey('admin');
    const at = `${service.adminUrl}/organizations/acme/keys/${key.split('_')[0] ?? ''}`;
    expect((await call(service, { method: 'DELETE', at, path: '', key: service.adminKey })).status).toBe(200);
    expect(await statusWith(`Bearer ${key}`)).toBe(401);
  });

  it('is closed to the keys of other organizations, with one answer whether the organization exists or not', async () => {
    const answers = await Promise.all([
      call(service, { ...request('acme'), key: foreignKey }),
      call(service, { ...request('nobody'), key: foreignKey }),
      call(service, request('other')),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body).toEqual({ message: "You don't have permission to access this resource" });
    }
  });

  it('is decided before anything else of the request is looked at', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { method = 'GET', path } = request('acme');
    const body = method === 'GET' ? {} : { body: 'nonsense' };
    expect((await call(service, { method, path, ...body, headers, key: null })).status).toBe(401);
    expect((await call(service, { method, path, ...body, headers, key: foreignKey })).status).toBe(403);
  });
});

describe('two organizations', () => {
  it('have the same names without meeting', async () => {
    const service = await startTestService();
    const foreignKey = await service.createOrganization('other');
    for (const { request } of everyEndpoint) {
      const { status } = await call(service, request('acme'));
      expect(status).toBeLessThan(300);
    }
    const theirs = (path: string): Promise<number> =>
      call(service, { path, key: foreignKey }).then(({ status }) => status);
    expect(await theirs('/artifacts/other/web/fingerprint/abcdef')).toBe(404);
    for (const { request } of everyEndpoint) await call(service, { ...request('other'), key: foreignKey });
    expect(await theirs('/artifacts/other/web/fingerprint/abcdef')).toBe(200);
    const ids = await Promise.all(
      [service.apiKey, foreignKey].map(async (key, index) => {
        const path = `/artifacts/${index === 0 ? 'acme' : 'other'}/web/fingerprint/abcdef`;
        return String(mappingOf(await call(service, { path, key }))['id']);
      }),
    );
    expect(new Set(ids).size).toBe(2);
    expect(await theirs(`/artifacts/other/web/fingerprint/abcdef?attestation_id=${ids[0] ?? ''}`)).toBe(404);
    await service.stop();
  });
});

describe('the requests that these tests walk', () => {
  it('are of every endpoint of the interface that is served', async () => {
    const service = await startTestService();
    const walked = everyEndpoint.map(({ endpoint }) => endpoint);
    for (const endpoint of endpoints.filter((declared) => !walked.includes(declared))) {
      const path = endpoint.path.replace(/\{(\w+)\}/g, 'x');
      expect([path, (await call(service, { method: endpoint.method, path, key: null })).status]).toEqual([path, 404]);
    }
    await service.stop();
  });
});
