import { once } from 'node:events';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { Admission } from '../../../../src/service/platform/server/bodies/admission.ts';
import { createServer, defaultTimeouts } from '../../../../src/service/platform/server/server.ts';
import { rawRequest } from '../../../support/raw-exchange.ts';

describe('a server', () => {
  let app: FastifyInstance;
  let steps: string[];
  beforeEach(() => {
    steps = [];
    const log = { info: () => undefined, error: () => undefined };
    app = createServer({ log, storageFailed: () => undefined }, defaultTimeouts, new Admission());
    app.get<{ Params: { name: string } }>('/text/:name', async ({ params: { name } }) => {
      // All in one turn of the event loop, one after the other.
      for (let tick = 0; tick < 10 * Number(name); tick += 1) await Promise.resolve();
      steps.push(`handled ${name}`);
      return name;
    });
    app.addHook('onSend', (request, _reply, _payload, done) => {
      steps.push(`sent ${request.url.slice('/text/'.length)}`);
      done();
    });
  });
  afterEach(async () => {
    await app.close();
  });

  it('sends responses after it has handled everything that has arrived', async () => {
    await app.ready();
    const responses = await Promise.all(['1', '2', '3'].map((name) => app.inject(`/text/${name}`)));
    expect(responses.map(({ body }) => body)).toEqual(['1', '2', '3']);
    expect(steps).toEqual(['handled 1', 'handled 2', 'handled 3', 'sent 1', 'sent 2', 'sent 3']);
  });

  it('is done with a request whose client leaves before its body is read', async () => {
    const sent = Promise.withResolvers<number>();
    const client = new Socket();
    app.put('/text', {
      onRequest: async ({ raw }) => {
        const closed = once(raw.socket, 'close');
        client.destroy();
        await closed;
      },
      onSend: (_request, reply, _payload, done) => {
        sent.resolve(reply.statusCode);
        done();
      },
      handler: () => 'the body was read',
    });
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    client.connect(Number(port), hostname).write(rawRequest('PUT /text', { 'content-type': 'application/json' }, '{}'));
    expect(await sent.promise).toBe(400);
  });

  it('keeps no timer for a response whose client has left, which would delay the end of the process', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const added = Promise.withResolvers<number>();
    const client = new Socket();
    app.get('/stream', async ({ raw }, reply) => {
      const closed = once(raw.socket, 'close');
      client.destroy();
      await closed;
      const before = timers();
      setImmediate(() => {
        added.resolve(timers() - before);
      });
      return reply.send(Readable.from([]));
    });
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    client.connect(Number(port), hostname).write(rawRequest('GET /stream', {}, ''));
    expect(await added.promise).toBe(0);
  });

  it('sends a stream at once, so that it hears of its errors', async () => {
    app.get('/stream', (_request, reply) => {
      const content = new Readable({ read: () => undefined });
      process.nextTick(() => content.destroy(new Error('the disk has failed')));
      return reply.send(content);
    });
    const response = await app.inject('/stream');
    expect(response.statusCode).toBe(500);
  });
});
