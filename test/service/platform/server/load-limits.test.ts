import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import type { ServiceOptions } from '../../../../src/service/service.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { call, type Called } from '../../../support/service-call.ts';

let service: TestService;
const sockets: Socket[] = [];
const start = async (options: Partial<ServiceOptions>): Promise<void> => {
  service = await startTestService({ options });
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  expect(service.errors).toEqual([]);
  await service.stop();
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(service.url + path, { headers });
const listFlows = (): Promise<Called> => call(service, { path: '/flows/acme' });

it('rejects requests without a key above the limit of an address, for a minute', async () => {
  await start({ load: { anonymous: 2 } });
  expect([(await get('/-/sign-in')).status, (await get('/nowhere/at/all')).status]).toEqual([200, 404]);
  const rejected = await get('/api/v2/openapi.json', { authorization: 'Bearer any', cookie: 'any' });
  expect([rejected.status, await rejected.json()]).toEqual([429, { message: 'Too many requests; try again later' }]);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(50);
  expect([(await listFlows()).status, (await get('/ready')).status]).toEqual([200, 200]);
});

it.each([
  ['counts clients of a trusted proxy separately', ['127.0.0.0/8'], [200, 429, 200]],
  ['believes no other peer what it says of its clients', [], [200, 429, 429]],
])('%s', async (_name, trustedProxies, statuses) => {
  await start({ load: { anonymous: 1 }, trustedProxies });
  const from = async (address: string): Promise<number> =>
    (await get('/-/sign-in', { 'x-forwarded-for': `198.51.100.9, ${address}` })).status;
  expect([await from('203.0.113.1'), await from('203.0.113.1'), await from('203.0.113.2')]).toEqual(statuses);
});

/** Sends the head of an upload whose body never comes, and resolves when the service waits for the body. */
async function openUpload(path: string, key = service.apiKey): Promise<void> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  sockets.push(socket);
  socket.write(
    `PUT /api/v2${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nexpect: 100-continue\r\n` +
      'content-type: application/json\r\ncontent-length: 10\r\n\r\n',
  );
  await once(socket, 'data');
}

it('rejects what an organization sends above its number of requests at the same time', async () => {
  await start({ admission: { requests: 2 } });
  const otherKey = await service.createOrganization('other');
  await openUpload('/flows/acme');
  expect((await listFlows()).status).toBe(200);
  await openUpload('/flows/acme');
  const rejected = await listFlows();
  expect([rejected.status, rejected.headers.get('retry-after'), rejected.body]).toEqual([
    ...[429, '1', { message: 'Too many requests; try again later' }],
  ]);
  const authorization = `Bearer ${service.apiKey}`;
  for (const path of ['/acme', '/log/acme/checkpoint']) expect((await get(path, { authorization })).status).toBe(429);
  expect((await call(service, { path: '/flows/other', key: otherKey })).status).toBe(200);
  const [first] = sockets;
  first?.destroy();
  let after = await listFlows();
  for (let turn = 0; turn < 100 && after.status === 429; turn += 1) after = await listFlows();
  expect(after.status).toBe(200);
});

it('rejects nothing after a pause that is shorter than the limit', async () => {
  await start({ load: { delay: 10_000, interval: 10 } });
  for (let pause = 0; pause < 10; pause += 1) {
    const end = performance.now() + 20;
    while (performance.now() < end);
    expect((await listFlows()).status).toBe(200);
  }
});

it('rejects everything but health checks while there is hardly any memory left', async () => {
  await start({ load: { heap: 1, delay: 0, interval: 10 } });
  let rejected = await listFlows().catch(() => undefined);
  for (let turn = 0; turn < 1000 && rejected?.status !== 503; turn += 1) rejected = await listFlows();
  expect([rejected?.status, rejected?.headers.get('retry-after'), rejected?.body]).toEqual([
    ...[503, '2', { message: 'The service is overloaded; try again later' }],
  ]);
  expect((await get('/-/sign-in', { accept: 'text/html' })).headers.get('content-type')).toContain('text/html');
  expect((await get('/ready')).status).toBe(200);
});
