import { describe, expect, it } from '@jest/globals';
import { createGitHubFetch } from '../../../src/evidence/github/github-fetch.ts';
import { TransportError } from '../../../src/http/transport.ts';
import { createTransport } from '../../../src/http/undici-transport.ts';
import { closeAfterEach } from '../../support/close-after-each.ts';
import { answers, answersText } from '../../support/faults.ts';
import { startFaultyServer, type Fault, type FaultyServer } from '../../support/faulty-server.ts';
import { closedPort } from '../../../tools/loopback-server.ts';

const keep = closeAfterEach();
const fetch = (...parameters: Parameters<ReturnType<typeof createGitHubFetch>>): Promise<Response> =>
  createGitHubFetch(keep(createTransport({})))(...parameters);

async function serverThat(...faults: readonly [Fault, ...Fault[]]): Promise<FaultyServer> {
  return keep(await startFaultyServer(...faults));
}

const headers = { authorization: 'token hush', 'content-type': 'application/json; charset=utf-8' };

describe('createGitHubFetch', () => {
  it('sends method, headers and body, and returns status, headers and body', async () => {
    const server = await serverThat(answers(201, { id: 7 }, { 'x-github-request-id': 'r1' }));
    const response = await fetch(new URL('/repos', server.url).href, { method: 'PATCH', headers, body: '{"ü":1}' });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-github-request-id')).toBe('r1');
    await expect(response.json()).resolves.toEqual({ id: 7 });
    expect(server.requests[0]).toMatchObject({ method: 'PATCH', target: '/repos', headers });
    expect(server.requests[0]?.body().toString()).toBe('{"ü":1}');
  });

  it('accepts an answer without a body', async () => {
    const server = await serverThat(answersText(204, ''));
    const response = await fetch(server.url.href, { method: 'DELETE', headers });
    expect(response.status).toBe(204);
    await expect(response.text()).resolves.toBe('');
  });

  it('follows a redirect if a repository was renamed', async () => {
    const server = await serverThat(
      answersText(301, '', { location: '/repositories/7' }),
      answersText(307, '', { location: '/repositories/8' }),
      answers(200, { id: 8 }),
    );
    const response = await fetch(new URL('/repos/old', server.url).href, { method: 'GET', headers });
    await expect(response.json()).resolves.toEqual({ id: 8 });
    expect(server.requests.map(({ target }) => target)).toEqual(['/repos/old', '/repositories/7', '/repositories/8']);
  });

  it('does not send the token to another origin', async () => {
    const elsewhere = await serverThat(answers(200, {}));
    const server = await serverThat(answersText(302, '', { location: elsewhere.url.href }));
    const response = await fetch(server.url.href, { method: 'GET', headers });
    expect(response.status).toBe(302);
    expect(elsewhere.requests).toEqual([]);
  });

  it('does not turn a write into a GET, and does not follow redirects endlessly', async () => {
    const server = await serverThat(answersText(302, '', { location: '/again' }));
    expect((await fetch(server.url.href, { method: 'POST', headers, body: '{}' })).status).toBe(302);
    expect(server.requests).toHaveLength(1);
    expect((await fetch(server.url.href, { method: 'GET', headers })).status).toBe(302);
    expect(server.requests).toHaveLength(5);
  });

  it('says whether a request may have reached GitHub', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/`;
    const sent = fetch(url, { method: 'POST', headers, body: '{}' });
    await expect(sent).rejects.toMatchObject({ mayHaveReached: false });
    await expect(sent).rejects.toBeInstanceOf(TransportError);
  });
});
