import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { defaultTimeouts } from '../../../../src/service/platform/server/server.ts';
import { pod } from '../../../support/environment-samples.ts';
import { rawExchange, rawRequest } from '../../../support/raw-exchange.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

describe('a service that stops', () => {
  let service: TestService;
  beforeEach(async () => {
    // Longer than the tests, so that none passes because of it.
    service = await startTestService({ options: { timeouts: { ...defaultTimeouts, stop: 60_000 } } });
  });
  afterEach(async () => {
    await service.stop();
  });

  it('responds to every request whose connection the kernel had accepted', async () => {
    const request = rawRequest('GET /api/v2/service-accounts/acme', { authorization: `Bearer ${service.apiKey}` });
    // The kernel accepts these connections at once; the service has not seen any of them when it stops.
    const answers = Array.from({ length: 100 }, () => rawExchange(service.url, request));
    const stopped = service.stop();
    expect(await Promise.all(answers.map(async (answer) => (await answer).status))).toEqual(answers.map(() => 200));
    await stopped;
  });

  it('finishes the requests of clients that have left, before it closes the storage', async () => {
    const { hostname, port } = new URL(service.url);
    const report = JSON.stringify({
      artifacts: Array.from({ length: 2000 }, (_, at) => pod(`pod-${at}`, { web: 'a' })),
    });
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
    const request = rawRequest('PUT /api/v2/environments/acme/prod/report/K8S', headers, report);
    const left = Array.from({ length: 5 }, async () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      await new Promise<void>((resolve) =>
        socket.write(request, () => {
          resolve();
        }),
      );
      socket.destroy();
    });
    await Promise.all(left);
    await service.stop();
    expect(service.errors).toEqual([]);
  });

  it('does not wait for clients that send no request, or stay connected after it was refused', async () => {
    const { hostname, port } = new URL(service.url);
    const sent = ['', 'no HTTP\r\n\r\n', 'CONNECT example.com:443 HTTP/1.1\r\n\r\n'].map(async (bytes) => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined);
      await once(socket, 'connect');
      if (bytes !== '') {
        socket.write(bytes);
        await once(socket, 'data');
      }
      return socket;
    });
    const sockets = await Promise.all(sent);
    await service.stop();
    for (const socket of sockets) socket.destroy();
  });

  it('is no longer ready, and closes each connection after its response', async () => {
    const request = rawRequest('GET /ready', { connection: 'keep-alive' });
    const answer = rawExchange(service.url, request);
    const stopped = service.stop();
    const { status, head, body } = await answer;
    expect(status).toBe(503);
    expect(head.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(body)).toEqual({ message: 'The service is stopping' });
    await stopped;
  });

  it('accepts no connection after it has stopped', async () => {
    const { hostname, port } = new URL(service.url);
    await service.stop();
    const refused = await new Promise<string | undefined>((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.on('connect', () => {
        socket.destroy();
        resolve(undefined);
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code);
      });
    });
    expect(refused).toBe('ECONNREFUSED');
  });
});
