import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attestationKinds } from '../../../../../src/contract/attestations/kinds.ts';
import { environmentKinds } from '../../../../../src/contract/environment.ts';
import { codePoint } from '../../../../support/code-point.ts';
import { rawErrorOf, rawExchange, rawRequest } from '../../../../support/raw-exchange.ts';
import { startTestService, type TestService } from '../../../../support/service.ts';
import { call } from '../../../../support/service-call.ts';
import { report, sampleArtifact, sampleFlow, saveFlow } from '../../../../support/service-samples.ts';

describe('the service', () => {
  let service: TestService;
  let authorization: string;
  // One for all tests, because each of them says what there must be.
  beforeAll(async () => {
    service = await startTestService();
    authorization = `Bearer ${service.apiKey}`;
  });
  afterEach(() => {
    expect(service.errors).toEqual([]);
  });
  afterAll(() => service.stop());

  let flows = 0;
  /** A flow that no other test has created. */
  const newFlow = (): ReturnType<typeof sampleFlow> => sampleFlow({ name: `flow-${(flows += 1)}` });
  const json = { 'content-type': 'application/json' };
  const putFlow = (body: string | Uint8Array<ArrayBuffer>): ReturnType<typeof call> =>
    call(service, { method: 'PUT', path: '/flows/acme', body, headers: json });

  it('says that it is ready', async () => {
    const answer = await fetch(new URL('/ready', service.url));
    expect([answer.status, await answer.text()]).toEqual([200, 'OK']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('forbids caching and MIME sniffing of its responses', async () => {
    for (const path of ['/flows/acme', '/artifacts/acme/web/fingerprint/abcdef', '/nothing']) {
      const { headers } = await call(service, { path });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each([
    '/api/v2',
    '/api/v2/',
    '/api/v1/flows/acme',
    '/api/v2/flows',
    '/api/v2/flows/acme/',
    '/api/v2/flows/acme/x/y/z',
  ])('responds to %s with 404', async (path) => {
    const { status, body } = await call(service, { method: 'PUT', at: service.url, path, json: sampleFlow() });
    expect(status).toBe(404);
    expect(body).toEqual({ message: `There is nothing at PUT ${path}` });
  });

  it.each([
    ['POST', '/flows/acme', 'GET, HEAD, PUT'],
    ['DELETE', '/artifacts/acme/web', 'POST'],
    ['PUT', '/artifacts/acme/web/fingerprint/abcdef', 'GET, HEAD'],
    ['GET', '/environments/acme/prod/report/K8S', 'PUT'],
    ['PATCH', '/flows/acme', 'GET, HEAD, PUT'],
    ['OPTIONS', '/flows/acme', 'GET, HEAD, PUT'],
    ['PUT', '/attestations/acme/web/trail/main/sonar', 'GET, HEAD, POST'],
    ['PUT', '/attestations/acme/web/trail/main/scan', 'GET, HEAD'],
    ['POST', '/environments/acme/prod/report/K8S', 'PUT'],
  ])('responds to %s %s with the allowed methods', async (method, path, allowed) => {
    const { status, headers, body } = await call(service, { method, path });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe(allowed);
    expect(body).toEqual({ message: `${method} is not allowed here; use ${allowed}` });
  });

  it('responds with the allowed methods where an address can have any end', async () => {
    const tile = { method: 'POST', at: service.url, path: '/log/acme/tile/0/000' };
    const { status, headers } = await call(service, tile);
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it.each([
    ['POST', '/attestations/acme/web/trail/main/scan', [...attestationKinds.map(({ name }) => name), 'override']],
    ['PUT', '/environments/acme/prod/report/k8s', environmentKinds.filter((kind) => kind !== 'logical')],
  ])('responds to %s %s with the kinds that there are', async (method, path, kinds) => {
    const { status, body } = await call(service, { method, path });
    expect(status).toBe(404);
    expect(body).toEqual({
      message: `There is nothing at ${method} /api/v2${path}`,
      errors: { path: `must end in one of ${kinds.toSorted().join(', ')}` },
    });
  });

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['nothing', ''],
    ['what is no JSON', '{"name"'],
    ['two documents', '{}{}'],
    ['NaN', '{"name":NaN}'],
    ['bytes that are no UTF-8', Uint8Array.from([0x22, 0xff, 0x22])],
    ['a surrogate in UTF-8', Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a deep document', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['deep objects', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)],
    ['NUL', JSON.stringify(sampleFlow({ description: 'a\0b' }))],
    ['a lone surrogate', '{"name":"web","template":[],"description":"\\ud800"}'],
    ['a key with NUL', '{"a\\u0000":1}'],
    ['a key with a lone surrogate', '{"a\\udc00":1}'],
    ['a number without bounds', '{"name":1e400}'],
    ['__proto__', '{"__proto__":{"name":"web","description":"","template":[]}}'],
  ])('rejects %s with 400', async (_fault, body) => {
    const called = await putFlow(body);
    expect(called.status).toBe(400);
    expect(called.body).toMatchObject({ message: 'Input payload validation failed', errors: expect.any(Object) });
  });

  it('names the field of a document that cannot be stored', async () => {
    await saveFlow(service);
    const called = await report(service, { user_data: { list: [1, { text: 'a\0' }] } });
    expect(called.body).toMatchObject({ errors: { 'user_data.list.1.text': 'must not contain NUL' } });
  });

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=latin1', 415],
    ['multipart/form-data; boundary=b', 415],
    [';', 415],
    ['json', 415],
    ['application/json', 201],
    ['Application/JSON', 201],
    ['application/json; charset=utf-8', 201],
    ['application/json;charset="UTF-8"', 201],
  ])('responds to a document of the type %s with %d', async (type, status) => {
    const headers = { 'content-type': type };
    const body = JSON.stringify(newFlow());
    expect((await call(service, { method: 'PUT', path: '/flows/acme', body, headers })).status).toBe(status);
  });

  it('rejects a document over its limit, with or without Content-Length', async () => {
    const large = JSON.stringify(sampleFlow({ description: 'x'.repeat(1024 * 1024) }));
    expect((await putFlow(large)).status).toBe(413);
    const chunk = 'x'.repeat(65_536);
    const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(20);
    const head = rawRequest('PUT /api/v2/flows/acme', { authorization, ...json, 'transfer-encoding': 'chunked' });
    const answer = await rawExchange(service.url, `${head}${chunks}0\r\n\r\n`);
    expect([answer.status, rawErrorOf(answer).message]).toEqual([413, 'The request is too large']);
  });

  it.each([
    '/api/v2/artifacts/%2e%2e%2fother/web/fingerprint/abcdef',
    '/api/v2/artifacts/acme/%2e%2e%2f%2e%2e%2fother/fingerprint/abcdef',
    '/api/v2/artifacts/acme/..%5c../fingerprint/abcdef',
    '/api/v2/artifacts/acme/web%00/fingerprint/abcdef',
    '/api/v2/artifacts/acme/web/fingerprint/%ff%fe',
    '/api/v2/artifacts/acme/web/fingerprint/%zz',
    '/api/v2/artifacts/acme/w%0d%0aeb/fingerprint/abcdef',
    '/api/v2/artifacts/acme/web/fingerprint/abcdef?trail=%ff',
    '/acme/flows/%2e%2e/trails/main',
    '/acme/flows/web/trails/%2e%2e%2f%2e%2e%2fetc%2fpasswd/attestations/x/attachment',
  ])('rejects the address %s, and does not follow it', async (path) => {
    const answer = await rawExchange(service.url, rawRequest(`GET ${path}`, { authorization }));
    expect([400, 403]).toContain(answer.status);
    expect(rawErrorOf(answer).message).not.toBe('');
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['another protocol', 'GET / SPDY/1\r\n\r\n', 400],
    ['a malformed header', 'GET /ready HTTP/1.1\r\nno colon here\r\n\r\n', 400],
    ['two lengths', 'PUT /ready HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx', 400],
    ['a length beside chunks', 'PUT /ready HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', 400],
    ['a head without end', `GET /ready HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['an unknown expectation', 'GET /ready HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n', 417],
    ['an unknown method', 'BREW /ready HTTP/1.1\r\nhost: x\r\n\r\n', 501],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 501],
  ])('responds to %s in the form of every error', async (_fault, bytes, status) => {
    const answer = await rawExchange(service.url, bytes);
    expect(answer.status).toBe(status);
    expect(rawErrorOf(answer).message).not.toBe('');
    expect(answer.head).toContain('cache-control: no-store');
    expect(answer.head).toContain('x-content-type-options: nosniff');
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) =>
        rawExchange(service.url, rawRequest(`${method} /api/v2/service-accounts/acme`, { authorization })),
      ),
    );
    const withoutDate = (text = ''): string => text.replace(/^date: .*$/im, '');
    expect(withoutDate(head?.head)).toBe(withoutDate(get?.head));
    expect([get?.body, head?.body]).toEqual(['[]', '']);
  });

  describe('does not read a body that it does not need', () => {
    const announced = { ...json, 'content-length': '100000000', connection: 'keep-alive' };
    const multipart = { ...announced, 'content-type': 'multipart/form-data; boundary=x' };
    // None of these bodies is ever sent whole: the answer comes all the same, and the connection ends with it.
    it.each([
      ['without a key', 401, 'PUT /api/v2/flows/acme', () => announced],
      ['for an address that does not exist', 404, 'PUT /no/thing', () => announced],
      ['for an address that is malformed', 400, 'PUT /%zz', () => announced],
      ['with an unknown expectation', 417, 'PUT /api/v2/flows/acme', () => ({ ...announced, expect: 'a-miracle' })],
      ['of JSON over its limit', 413, 'PUT /api/v2/flows/acme', () => ({ ...announced, authorization })],
      ['of files over their limit', 413, 'PUT /api/v2/policies/acme', () => ({ ...multipart, authorization })],
    ])('%s', async (_reason, status, line, headers) => {
      const answer = await rawExchange(service.url, rawRequest(line, headers()) + 'x'.repeat(100_000));
      expect(answer.status).toBe(status);
      expect(answer.head.toLowerCase()).toContain('connection: close');
      expect(rawErrorOf(answer).message).not.toBe('');
    });

    it('and closes the connection only after the client had time to read the response', async () => {
      const { hostname, port } = new URL(service.url);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      const closed = once(socket, 'close');
      const head = rawRequest('PUT /api/v2/flows/acme', { ...announced, expect: 'a-miracle' });
      socket.write(head + 'x'.repeat(20_000_000));
      await sleep(100);
      let answer = '';
      socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
      await closed;
      expect(answer).toContain('417 Expectation Failed');
    });

    it('and does not send 100 Continue', async () => {
      const head = rawRequest('PUT /api/v2/flows/acme', { ...announced, expect: '100-continue' });
      expect((await rawExchange(service.url, head)).status).toBe(401);
    });
  });

  it('sends 100 Continue for a body that it needs', async () => {
    const body = JSON.stringify(newFlow());
    const head = { authorization, ...json, expect: '100-continue' };
    const answer = await rawExchange(service.url, rawRequest('PUT /api/v2/flows/acme', head, body));
    expect(answer.status).toBe(100);
    expect(answer.body).toContain('201 Created');
  });

  it('accepts a missing Host header, which it does not use', async () => {
    const answer = await rawExchange(service.url, 'GET /ready HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(answer.status).toBe(200);
  });

  it('keeps working after a client that disconnected', async () => {
    const request = rawRequest(
      'PUT /api/v2/flows/acme',
      { authorization, ...json, 'content-length': '500' },
      '{"name"',
    );
    await rawExchange(service.url, request, { end: true });
    expect((await saveFlow(service, newFlow())).status).toBe(201);
  });

  it('survives a client that resets its connection after CONNECT', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('CONNECT example.com:443 HTTP/1.1\r\n\r\n');
    socket.resetAndDestroy();
    expect((await call(service, { path: '/flows/acme' })).status).toBe(200);
  });

  it('never fails because of the content of a document', async () => {
    await saveFlow(service);
    const values = fc.jsonValue({ stringUnit: codePoint });
    const fields = fc.constantFrom(
      ...Object.keys(sampleArtifact()),
      'user_data',
      'annotations',
      'repo_info',
      '__proto__',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fields, values), { maxLength: 3 }), async (changes) => {
        const document = { ...sampleArtifact(), ...Object.fromEntries(changes) };
        const { status } = await call(service, { method: 'POST', path: '/artifacts/acme/web', json: document });
        expect([201, 400]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a client that is too slow', () => {
  it('gets 408, for the headers and for the body', async () => {
    const timeouts = { head: 40, request: 80, response: 1000, idle: 1000, stop: 1000 };
    const service = await startTestService({ options: { timeouts } });
    const head = 'PUT /api/v2/flows/acme HTTP/1.1\r\n';
    const body = `${head}host: x\r\nauthorization: Bearer ${service.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`;
    const answers = await Promise.all([rawExchange(service.url, head), rawExchange(service.url, body)]);
    for (const answer of answers) {
      expect([answer.status, rawErrorOf(answer).message]).toEqual([408, 'The request took too long to arrive']);
    }
    await service.stop();
  });
});

describe('a defect', () => {
  it('gets a response with an id that the log has, too, and without details', async () => {
    let isDefective = false;
    const randomBytes = (size: number): Buffer => {
      if (isDefective) throw new Error('a secret detail');
      return Buffer.alloc(size);
    };
    const service = await startTestService({ sources: { randomBytes } });
    await saveFlow(service);
    isDefective = true;
    const { status, body } = await report(service);
    expect(status).toBe(500);
    const [id = ''] = /(?<=request )\S+(?=:)/.exec(service.errors.join()) ?? [];
    expect(body).toEqual({ message: `Internal error; the log of the service has the details of request ${id}` });
    expect(service.errors.join()).toContain('POST /api/v2/artifacts/:org/:flow_name failed');
    expect(service.errors.join()).toContain('a secret detail');
    await service.stop();
  });
});
