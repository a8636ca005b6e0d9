import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HttpRequest } from '../../src/http/transport.ts';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import { canMakeCertificates, type Certificate, makeCertificate } from '../support/certificate.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { answers, neverAnswers } from '../support/faults.ts';
import { getRequest, httpFixture, neverAborted, timeoutError } from '../support/http-fixture.ts';
import { type ProxyBehaviour, type ProxyServer, startProxy } from '../support/proxy-server.ts';
import { startRawServer } from '../support/raw-server.ts';

const opened = closeAfterEach();
const { startServer, openTransport } = httpFixture(opened);

async function openProxy(behaviour: ProxyBehaviour = {}): Promise<ProxyServer> {
  return opened(await startProxy(behaviour));
}

function get(url: URL): HttpRequest {
  return getRequest(url, '/api/v2/flows/a%2Fb?x=1');
}

describe('plain http through HTTP_PROXY', () => {
  it('is forwarded with the whole URL, and with headers and body unchanged', async () => {
    const server = await startServer(answers(201, 'OK'));
    const proxy = await openProxy();
    const body = { contentType: 'application/json', length: 2, open: () => Buffer.from('{}') };
    const answer = await openTransport({ HTTP_PROXY: proxy.url.href }).send(
      { ...get(server.url), method: 'PUT', body },
      neverAborted,
    );
    expect(answer).toMatchObject({ status: 201, text: '"OK"' });
    expect(proxy.requests).toMatchObject([
      { method: 'PUT', target: get(server.url).url.href, headers: { host: server.url.host } },
    ]);
    expect(proxy.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(server.requests).toMatchObject([{ method: 'PUT', headers: { authorization: 'Bearer key' } }]);
    expect(server.requests[0]?.body().toString()).toBe('{}');
  });

  it('shows the password of the proxy to the proxy only', async () => {
    const server = await startServer(answers(200, 'OK'));
    const proxy = await openProxy();
    const withPassword = new URL(proxy.url);
    [withPassword.username, withPassword.password] = ['ann', 'p@ss'];
    await openTransport({ http_proxy: withPassword.href }).send(get(server.url), neverAborted);
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(
      `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
    );
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it.each(['127.0.0.1', '*', 'example.com, 127.0.0.1'])('bypasses the proxy with NO_PROXY=%s', async (noProxy) => {
    const server = await startServer(answers(200, 'OK'));
    const proxy = await openProxy();
    await openTransport({ HTTP_PROXY: proxy.url.href, NO_PROXY: noProxy }).send(get(server.url), neverAborted);
    expect(proxy.requests).toHaveLength(0);
    expect(server.requests).toHaveLength(1);
  });

  it('bypasses the proxy for one port with NO_PROXY=host:port', async () => {
    const [direct, forwarded] = [await startServer(answers(200, 'OK')), await startServer(answers(200, 'OK'))];
    const proxy = await openProxy();
    const transport = openTransport({ HTTP_PROXY: proxy.url.href, NO_PROXY: direct.url.host });
    await transport.send(get(direct.url), neverAborted);
    await transport.send(get(forwarded.url), neverAborted);
    expect(proxy.requests.map(({ target }) => target)).toEqual([get(forwarded.url).url.href]);
  });

  it('does not use a proxy that is for https only', async () => {
    const server = await startServer(answers(200, 'OK'));
    const proxy = await openProxy();
    await openTransport({ HTTPS_PROXY: proxy.url.href }).send(get(server.url), neverAborted);
    expect(proxy.requests).toHaveLength(0);
    expect(server.requests).toHaveLength(1);
  });

  it('reports that nothing was sent if the proxy requires a password', async () => {
    const server = await startServer(answers(200, 'OK'));
    const proxy = await openProxy({ wantsPassword: true });
    await expect(
      openTransport({ HTTP_PROXY: proxy.url.href }).send(get(server.url), neverAborted),
    ).rejects.toMatchObject({
      problem: 'unreachable',
      mayHaveReached: false,
      message: expect.stringContaining('407'),
    });
    expect(server.requests).toHaveLength(0);
  });

  it('reports that nothing was sent if the proxy cannot be reached', async () => {
    const server = await startServer(answers(200, 'OK'));
    const environment = { HTTP_PROXY: `http://ann:hunter2@127.0.0.1:${await closedPort()}` };
    const error: unknown = await openTransport(environment)
      .send(get(server.url), neverAborted)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problem: 'unreachable', mayHaveReached: false });
    expect(`${String(error)} ${error instanceof Error ? error.stack : ''}`).not.toContain('hunter2');
  });

  it('ends with its deadline', async () => {
    const server = await startServer(neverAnswers);
    const proxy = await openProxy();
    const deadline = new AbortController();
    const sent = openTransport({ HTTP_PROXY: proxy.url.href }).send(get(server.url), deadline.signal);
    await server.received(1);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toBe(timeoutError);
  });
});

describe('https through HTTPS_PROXY', () => {
  it('reports that nothing was sent if the proxy requires a password', async () => {
    const proxy = await openProxy({ wantsPassword: true });
    const url = new URL('https://compliance.example.com');
    await expect(openTransport({ HTTPS_PROXY: proxy.url.href }).send(get(url), neverAborted)).rejects.toMatchObject({
      problem: 'unreachable',
      mayHaveReached: false,
      message: expect.stringContaining('407'),
    });
    expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: 'compliance.example.com:443' }]);
    expect(proxy.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('asks a proxy only once that closes the connection without an answer', async () => {
    const proxy = await openProxy({ tunnelsTo: await closedPort() });
    const url = new URL('https://compliance.example.com');
    const sent = openTransport({ HTTPS_PROXY: proxy.url.href }).send(get(url), neverAborted);
    await expect(sent).rejects.toMatchObject({ problem: 'unreachable', mayHaveReached: false });
    expect(proxy.requests).toHaveLength(1);
  });

  it('does not use a proxy that is for plain http only', async () => {
    const proxy = await openProxy();
    const url = new URL(`https://127.0.0.1:${await closedPort()}`);
    await expect(openTransport({ HTTP_PROXY: proxy.url.href }).send(get(url), neverAborted)).rejects.toMatchObject({
      problem: 'unreachable',
    });
    expect(proxy.requests).toHaveLength(0);
  });

  it('closes a tunnel whose other end is silent', async () => {
    const silent = opened(await startRawServer());
    const proxy = await openProxy({ tunnelsTo: silent.port });
    const transport = openTransport({ HTTPS_PROXY: proxy.url.href });
    const deadline = new AbortController();
    const sent = transport.send(get(new URL('https://compliance.example.com')), deadline.signal);
    await silent.connected(1);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toMatchObject({ problem: 'timeout', mayHaveReached: false });
    await transport.close();
    await silent.abandoned();
    expect(silent.count()).toBe(0);
  });
});

(canMakeCertificates ? describe : describe.skip)('a certificate', () => {
  const host = 'localhost';
  let certificate: Certificate;
  beforeEach(() => {
    certificate = makeCertificate(host);
  });

  async function tlsServer(): Promise<number> {
    const server = createServer({ key: certificate.key, cert: certificate.certificate }, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('"OK"');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened({
      close: () =>
        new Promise((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        }),
    });
    return (server.address() as AddressInfo).port;
  }

  function trustTheCertificate(): void {
    const before = tls.getCACertificates('default');
    opened({
      close() {
        tls.setDefaultCACertificates(before);
        return Promise.resolve();
      },
    });
    tls.setDefaultCACertificates([...before, certificate.certificate]);
  }

  it('of an authority that is not trusted ends the request before anything is sent', async () => {
    const url = new URL(`https://${host}:${await tlsServer()}`);
    await expect(openTransport().send(get(url), neverAborted)).rejects.toMatchObject({
      problem: 'untrusted',
      mayHaveReached: false,
    });
  });

  it('of an authority that is trusted is accepted', async () => {
    trustTheCertificate();
    const url = new URL(`https://${host}:${await tlsServer()}`);
    await expect(openTransport().send(get(url), neverAborted)).resolves.toMatchObject({ status: 200, text: '"OK"' });
  });

  it('is checked through the tunnel of a proxy, which sees neither path nor key', async () => {
    trustTheCertificate();
    const proxy = await openProxy({ tunnelsTo: await tlsServer() });
    const url = new URL(`https://${host}`);
    const answer = await openTransport({ HTTPS_PROXY: proxy.url.href }).send(get(url), neverAborted);
    expect(answer).toMatchObject({ status: 200, text: '"OK"' });
    expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: `${host}:443` }]);
    expect(proxy.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    ['directly', false],
    ['through a proxy', true],
  ])('for another name ends the request before anything is sent, %s', async (_way, proxied) => {
    trustTheCertificate();
    const port = await tlsServer();
    const proxy = await openProxy({ tunnelsTo: port });
    const url = new URL(`https://127.0.0.1:${port}`);
    const environment = proxied ? { HTTPS_PROXY: proxy.url.href } : {};
    await expect(openTransport(environment).send(get(url), neverAborted)).rejects.toMatchObject({
      problem: 'untrusted',
      mayHaveReached: false,
    });
  });

  it('of a proxy at an IP address is accepted, without the address as server name', async () => {
    certificate = makeCertificate('127.0.0.1');
    trustTheCertificate();
    const names: unknown[] = [];
    const proxy = opened(
      await startRawServer((socket) => {
        names.push(valueAt(socket, 'servername'));
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      }, certificate),
    );
    const sent = openTransport({ HTTPS_PROXY: `https://127.0.0.1:${proxy.port}` }).send(
      get(new URL('https://compliance.example.com')),
      neverAborted,
    );
    await expect(sent).rejects.toMatchObject({ message: expect.stringContaining('407') });
    expect(names).toEqual([false]);
  });

  it('is missing if the server speaks plain http', async () => {
    const server = await startServer(answers(200, 'OK'));
    const url = new URL(server.url.href.replace('http:', 'https:'));
    await expect(openTransport().send(get(url), neverAborted)).rejects.toMatchObject({
      problem: 'untrusted',
      mayHaveReached: false,
      message: 'TLS failed: wrong version number',
    });
  });
});
