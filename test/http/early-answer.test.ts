import tls from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import type { HttpResponse, RequestBody } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/undici-transport.ts';
import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import { canMakeCertificates, type Certificate, makeCertificate } from '../support/certificate.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { readsNoBody } from '../support/faults.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { neverAborted, timeoutError } from '../support/http-fixture.ts';
import { startProxy } from '../support/proxy-server.ts';
import { type RawServer, startRawServer } from '../support/raw-server.ts';

const opened = closeAfterEach();

/** How a server closes a connection. */
type Ending = 'closed' | 'reset';

interface RefusingServer extends RawServer {
  /** Resolves when the server has closed the connection. */
  readonly ended: Promise<unknown>;
}

/** Starts a server that reads the beginning of an upload, sends the answer, and closes the connection. */
async function startRefusingServer(answer: string, ending: Ending, certificate?: Certificate): Promise<RefusingServer> {
  const { promise: ended, resolve: onEnded } = Promise.withResolvers<undefined>();
  const server = await startRawServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      onEnded(undefined);
    });
    socket.pause();
    if (answer !== '') socket.write(answer);
    if (ending === 'reset') socket.resetAndDestroy();
    else socket.end(() => socket.destroy());
  }, certificate);
  return { ...server, ended };
}

/** The response of a server that refuses an upload because of its headers. */
const earlyRefusal = [
  'HTTP/1.1 401 Unauthorized',
  'content-type: application/json',
  'content-length: 25',
  'connection: close',
  '',
  '{"message":"no such key"}',
].join('\r\n');

/** A large body of which only the first chunk is sent before `until` resolves. */
function bodyThatWaits(until: Promise<unknown>): RequestBody {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  return {
    contentType: 'application/octet-stream',
    length: 64 * chunk.length,
    async *open() {
      yield chunk;
      await until;
      for (let count = 1; count < 64; count += 1) yield chunk;
    },
  };
}

/** Uploads to a server that ends the connection while the client is about to write on. */
function upload(url: string, { ended }: RefusingServer, environment: EnvironmentVariables = {}): Promise<HttpResponse> {
  const transport = opened(createTransport(environment));
  return transport.send({ method: 'POST', url: new URL(url), headers: {}, body: bodyThatWaits(ended) }, neverAborted);
}

const endings: readonly Ending[] = ['closed', 'reset'];

describe('an answer that comes before the whole body was sent', () => {
  it.each(endings)('counts, although the connection is %s and the next write fails', async (ending) => {
    const server = opened(await startRefusingServer(earlyRefusal, ending));
    const answer = await upload(`http://127.0.0.1:${server.port}`, server);
    expect(answer).toMatchObject({ status: 401, text: '{"message":"no such key"}' });
  });

  it('of a proxy counts, too', async () => {
    const proxy = opened(await startRefusingServer(earlyRefusal, 'closed'));
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const answer = await upload('http://compliance.example.com', proxy, environment);
    expect(answer).toMatchObject({ status: 401, text: '{"message":"no such key"}' });
  });

  (canMakeCertificates ? it : it.skip).each([
    ['directly', false],
    ['through the tunnel of a proxy', true],
  ])('counts over TLS, %s', async (_way, isProxied) => {
    const certificate = makeCertificate('localhost');
    const before = tls.getCACertificates('default');
    opened({
      close() {
        tls.setDefaultCACertificates(before);
        return Promise.resolve();
      },
    });
    tls.setDefaultCACertificates([...before, certificate.certificate]);
    const server = opened(await startRefusingServer(earlyRefusal, 'closed', certificate));
    const proxy = opened(await startProxy({ tunnelsTo: server.port }));
    const environment = isProxied ? { HTTPS_PROXY: proxy.url.href } : {};
    const answer = await upload(`https://localhost:${server.port}`, server, environment);
    expect(answer).toMatchObject({ status: 401, text: '{"message":"no such key"}' });
  });
});

describe('an upload that breaks off without an answer', () => {
  it.each(endings)('cannot have been carried out if the connection is %s before its end', async (ending) => {
    const server = opened(await startRefusingServer('', ending));
    await expect(upload(`http://127.0.0.1:${server.port}`, server)).rejects.toMatchObject({
      problem: 'interrupted',
      mayHaveReached: false,
      sentInPart: true,
    });
  });

  it('cannot have been carried out if its deadline passes before its end', async () => {
    const server = opened(await startFaultyServer(readsNoBody));
    const deadline = new AbortController();
    const transport = opened(createTransport({}));
    const body = bodyThatWaits(new Promise(() => undefined));
    const sent = transport.send({ method: 'POST', url: server.url, headers: {}, body }, deadline.signal);
    await server.received(1);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toMatchObject({
      problem: 'timeout',
      mayHaveReached: false,
      sentInPart: true,
      message: 'no complete answer within 30 s',
    });
  });
});
