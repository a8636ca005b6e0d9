import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';
import { type Call, call } from '../support/service-call.ts';

describe('every response of the interface', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(async () => {
    await service.stop();
  });

  it('says that keys are accepted, errors too; the admin API does not', async () => {
    const accepted = async (request: Call): Promise<unknown> => {
      const { status, headers } = await call(service, request);
      return [status, headers.get('accept-idempotency-key')];
    };
    expect(await accepted({ path: '/service-accounts/acme' })).toEqual([200, '?1']);
    expect(await accepted({ path: '/service-accounts/acme', key: null })).toEqual([401, '?1']);
    expect(await accepted({ path: '/service-accounts/other' })).toEqual([403, '?1']);
    expect(await accepted({ path: '/nothing' })).toEqual([404, '?1']);
    expect(await accepted({ method: 'POST', path: '/flows/acme' })).toEqual([405, '?1']);
    expect(await accepted({ path: '/flows/%ff/web' })).toEqual([400, '?1']);
    expect(await accepted({ method: 'PUT', path: '/flows/acme', json: {} })).toEqual([400, '?1']);
    expect(await accepted({ path: '/openapi.json', key: null })).toEqual([200, '?1']);
    const other = { at: service.adminUrl, path: '/nothing', key: service.adminKey };
    expect(await accepted(other)).toEqual([404, null]);
    expect(await accepted({ at: service.url, path: '/ready' })).toEqual([200, null]);
  });

  it.each([
    ['is not HTTP', 'PUT /api/v2/flows/acme HTTP/1.1\r\nbad header\r\n\r\n', 400],
    ['has an unknown Expect header', 'GET /api/v2/flows/acme HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n', 417],
  ])('says it if the request %s', async (_case, request, status) => {
    const socket = createConnection(Number(new URL(service.url).port), '127.0.0.1');
    socket.end(request);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*\r\naccept-idempotency-key: \\?1\r\n`, 'iu'));
  });
});
