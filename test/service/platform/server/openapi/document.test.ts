import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { apiEndpoints } from '../../../../../src/contract/api-endpoints.ts';
import { logEndpoints } from '../../../../../src/contract/log.ts';
import { valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import { createOpenApiDocument } from '../../../../../src/service/platform/server/openapi/document.ts';
import { findDeviation } from '../../../../support/openapi-conformance.ts';
import { readText } from '../../../../support/repository.ts';
import { startTestService } from '../../../../support/service.ts';
import { call } from '../../../../support/service-call.ts';

const document: unknown = JSON.parse(JSON.stringify(createOpenApiDocument('/api/v2')));
const byTitle = apiEndpoints.map((endpoint) => [endpoint.title, endpoint] as const);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document) as Record<string, unknown>)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('is up to date in the repository (if not, run npm run openapi)', () => {
    expect(JSON.parse(readText('docs/openapi.json'))).toEqual(document);
  });

  it('is served to everyone, with the address of the service', async () => {
    const service = await startTestService({ options: { publicUrl: 'https://compliance.example.com/x' } });
    const { status, body } = await call(service, { path: '/openapi.json', key: null });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...(document as object),
      servers: [{ url: 'https://compliance.example.com/x/api/v2' }],
    });
    await service.stop();
  });

  it('is not sent again to a client that has it', async () => {
    const service = await startTestService();
    const get = (tag?: string): Promise<Response> =>
      fetch(`${service.baseUrl}/openapi.json`, { headers: tag === undefined ? {} : { 'if-none-match': tag } });
    const first = await get();
    const tag = first.headers.get('etag') ?? '';
    expect([tag.length, first.headers.get('cache-control'), (await first.text()).length > 100_000]).toEqual([
      ...[34, 'public, no-cache', true],
    ]);
    for (const [known, status] of [
      [tag, 304],
      [`"other", W/${tag}`, 304],
      ['"other"', 200],
    ] as const) {
      const again = await get(known);
      expect([again.status, again.headers.get('etag'), again.headers.get('cache-control')]).toEqual([
        ...[status, tag, 'public, no-cache'],
      ]);
      expect((await again.text()) === '').toBe(status === 304);
    }
    await service.stop();
  });

  it('has the operations of the contract and no others', () => {
    const paths = valueAt(document, 'paths') as Record<string, Record<string, unknown>>;
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const declared = [...apiEndpoints, ...logEndpoints].map(({ method, path }) => `${method} ${path}`);
    const atRoot = logEndpoints.map(({ path }) => `SERVERS ${path}`);
    expect(described.toSorted()).toEqual([...declared, ...atRoot].toSorted());
  });
});

describe.each(byTitle)('%s in the OpenAPI document', (_title, endpoint) => {
  const operation = valueAt(document, 'paths', endpoint.path, endpoint.method.toLowerCase());

  it('has every parameter, required or not', () => {
    const parameters = valueAt(operation, 'parameters') as readonly Record<string, unknown>[];
    const names = parameters.map(({ name, in: place }) => [place, name]);
    expect(names).toEqual([
      ...Object.keys(endpoint.parameters.properties).map((name) => ['path', name]),
      ...Object.keys(endpoint.query.properties).map((name) => ['query', name]),
      ...(endpoint.repetition.effect === 'safe' ? [] : [['header', 'Idempotency-Key']]),
    ]);
    const optional = parameters.filter(({ required }) => required !== true).map(({ name }) => name);
    const required: readonly string[] = Object.hasOwn(endpoint.query, 'required') ? endpoint.query.required : [];
    const declared = Object.keys(endpoint.query.properties).filter((name) => !required.includes(name));
    expect(optional.filter((name) => name !== 'Idempotency-Key')).toEqual(declared);
  });

  it('has every response and every message, and those of any HTTP service', () => {
    for (const { status, description } of endpoint.success) {
      expect(valueAt(operation, 'responses', String(status), 'description')).toBe(description);
    }
    for (const { status, message } of endpoint.errors) {
      expect(valueAt(operation, 'responses', String(status), 'description')).toContain(`\`${message}\``);
    }
    for (const status of [400, 408, 417, 431, 500, 503]) {
      expect(valueAt(operation, 'responses', String(status))).toBeDefined();
    }
  });

  it('says how to authenticate, and whether it is deprecated', () => {
    expect(valueAt(operation, 'security')).toEqual(endpoint.authentication.map((method) => ({ [method]: [] })));
    expect(valueAt(operation, 'deprecated')).toBe(endpoint.deprecated === undefined ? undefined : true);
  });

  it('has the body with its parts, if there is one', () => {
    const content = valueAt(operation, 'requestBody', 'content');
    const { body } = endpoint;
    if (body.kind === 'none') expect(content).toBeUndefined();
    else if (body.kind === 'json') expect(valueAt(content, 'application/json', 'schema', 'type')).toBe('object');
    else {
      const parts = valueAt(content, 'multipart/form-data', 'schema', 'properties') as object;
      expect(Object.keys(parts)).toEqual([body.json.part, `${body.file.part}.0`, body.file.part]);
    }
  });
});

describe('an answer', () => {
  const good = { method: 'PUT', path: '/flows/acme', status: 201, contentType: 'application/json; charset=utf-8' };

  it.each([
    ['as declared', { ...good, body: 'OK' }, undefined],
    ['of an address that is not described', { ...good, path: '/flow/acme', body: 1 }, undefined],
    ['with an undeclared status', { ...good, status: 202, body: 'OK' }, /the status is not declared/u],
    ['of another type', { ...good, contentType: 'text/html', body: 'OK' }, /sent as text\/html/u],
    ['with another body', { ...good, body: { message: 'OK' } }, /the body is not as declared/u],
    ['with an error body', { ...good, status: 400, body: { message: 'No', errors: null } }, undefined],
    ['with another error body', { ...good, status: 400, body: { error: 'No' } }, /the body is not as declared/u],
  ])('%s is recognized', (_case, answered, expected) => {
    const found = findDeviation(answered);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(expected);
  });
});
