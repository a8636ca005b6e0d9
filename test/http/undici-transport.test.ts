import { describe, expect, it } from '@jest/globals';
import { maximumConnections } from '../../src/http/connection-settings.ts';
import { maximumAnswerBytes, TransportError } from '../../src/http/transport.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import {
  answers,
  answersText,
  answersWithoutEnd,
  closesBeforeTheAnswer,
  neverAnswers,
  neverEndsTheAnswer,
  resetsBeforeTheAnswer,
  resetsWithinTheAnswer,
  sendsHugeHeaders,
  speaksNoHttp,
  truncatesTheAnswer,
} from '../support/faults.ts';
import type { Fault } from '../support/faulty-server.ts';
import { getRequest, httpFixture, neverAborted, putRequest, timeoutError } from '../support/http-fixture.ts';
import { startRawServer } from '../support/raw-server.ts';

const opened = closeAfterEach();
const { startServer, openTransport } = httpFixture(opened);

describe('a transport', () => {
  it('sends method, path, query, headers and body, and reads the whole answer', async () => {
    const server = await startServer(answers(201, { message: 'größer' }, { 'x-request-id': 'r1' }));
    const body = { contentType: 'text/plain', length: 6, open: () => Buffer.from('größe'.slice(0, 4)) };
    const request = { ...putRequest(server.url, body), url: new URL('/api/v2/a%2Fb?x=1&x=2', server.url) };
    const answer = await openTransport().send(request, neverAborted);
    expect(answer).toMatchObject({ status: 201, text: '{"message":"größer"}', headers: { 'x-request-id': 'r1' } });
    const [received] = server.requests;
    expect(received).toMatchObject({
      method: 'PUT',
      target: '/api/v2/a%2Fb?x=1&x=2',
      headers: {
        authorization: 'Bearer key',
        'content-type': 'text/plain',
        'content-length': '6',
        host: server.url.host,
      },
    });
    expect(received?.body().toString()).toBe('größ');
  });

  it('sends no body headers without a body', async () => {
    const server = await startServer(answers(200, 'OK'));
    await openTransport().send({ ...getRequest(server.url), method: 'PUT' }, neverAborted);
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
    expect(server.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(server.requests[0]?.headers['content-length'] ?? '0').toBe('0');
  });

  it('joins repeated headers by a comma', async () => {
    const fault: Fault = {
      early: false,
      play(response) {
        response.writeHead(
          200,
          [
            ['Warning', 'one'],
            ['warning', 'two'],
          ].flat(),
        );
        response.end();
      },
    };
    const server = await startServer(fault);
    const answer = await openTransport().send(getRequest(server.url), neverAborted);
    expect(answer.headers['warning']).toBe('one, two');
  });

  it('keeps a connection for the next request', async () => {
    const server = await startServer(answers(200, 'OK'));
    const transport = openTransport();
    await transport.send(getRequest(server.url), neverAborted);
    await transport.send(getRequest(server.url), neverAborted);
    expect(server.requests).toHaveLength(2);
    expect(server.connections()).toBe(1);
  });

  it('opens a connection for each request at the same time, up to a limit, and uses them again', async () => {
    const server = await startServer(answers(200, 'OK'));
    const transport = openTransport();
    const sendAtOnce = (count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => transport.send(getRequest(server.url), neverAborted)));
    await sendAtOnce(3);
    expect(server.connections()).toBe(3);
    await sendAtOnce(maximumConnections + 5);
    expect(server.connections()).toBe(maximumConnections);
    expect(server.requests).toHaveLength(3 + maximumConnections + 5);
  });

  it('returns redirects like other answers, and follows none', async () => {
    const elsewhere = await startServer(answers(200, 'OK'));
    const server = await startServer(answersText(302, '', { location: new URL('/login', elsewhere.url).href }));
    const answer = await openTransport().send(getRequest(server.url), neverAborted);
    expect(answer).toMatchObject({ status: 302, headers: { location: new URL('/login', elsewhere.url).href } });
    expect(elsewhere.requests).toHaveLength(0);
  });

  it.each([
    ['is empty', answersText(200, '')],
    ['is HTML', answersText(502, '<html></html>', { 'content-type': 'text/html' })],
    ['has no content type', answersText(200, '{}')],
  ])('returns an answer that %s unchanged', async (_what, fault) => {
    const server = await startServer(fault);
    await expect(openTransport().send(getRequest(server.url), neverAborted)).resolves.toHaveProperty('text');
  });
});

describe('a transport that gets no complete answer', () => {
  it.each<[string, Fault, Partial<TransportError>]>([
    [
      'resets the connection before the answer',
      resetsBeforeTheAnswer,
      { problem: 'interrupted', mayHaveReached: true },
    ],
    [
      'closes the connection before the answer',
      closesBeforeTheAnswer,
      { problem: 'interrupted', mayHaveReached: true },
    ],
    [
      'resets the connection within the answer',
      resetsWithinTheAnswer,
      { problem: 'interrupted', mayHaveReached: true },
    ],
    ['sends less than it announced', truncatesTheAnswer, { problem: 'interrupted', mayHaveReached: true }],
    ['does not speak HTTP', speaksNoHttp, { problem: 'malformed', mayHaveReached: true }],
    ['sends huge headers', sendsHugeHeaders, { problem: 'malformed', mayHaveReached: true }],
    ['sends a body without end', answersWithoutEnd, { problem: 'malformed', mayHaveReached: true }],
  ])('says what happened if the server %s', async (_what, fault, expected) => {
    const server = await startServer(fault);
    const error: unknown = await openTransport()
      .send(getRequest(server.url), neverAborted)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject(expected);
  });

  it('reads no more than the maximum size of an answer', async () => {
    const server = await startServer(answersWithoutEnd);
    await expect(openTransport().send(getRequest(server.url), neverAborted)).rejects.toThrow(
      `the answer is larger than ${maximumAnswerBytes} bytes`,
    );
  });

  it('reports that nothing was sent if the connection is refused', async () => {
    const url = new URL(`http://127.0.0.1:${await closedPort()}`);
    await expect(openTransport().send(getRequest(url), neverAborted)).rejects.toMatchObject({
      problem: 'unreachable',
      mayHaveReached: false,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('reports that nothing was sent if the host is unknown', async () => {
    await expect(
      openTransport().send(getRequest(new URL('http://nowhere.invalid')), neverAborted),
    ).rejects.toMatchObject({
      problem: 'unreachable',
      mayHaveReached: false,
      message: expect.stringContaining('nowhere.invalid'),
      cause: { code: 'ENOTFOUND' },
    });
  });

  it('works again with the next request', async () => {
    const server = await startServer(resetsWithinTheAnswer, speaksNoHttp, answers(200, 'OK'));
    const transport = openTransport();
    await expect(transport.send(getRequest(server.url), neverAborted)).rejects.toBeInstanceOf(TransportError);
    await expect(transport.send(getRequest(server.url), neverAborted)).rejects.toBeInstanceOf(TransportError);
    await expect(transport.send(getRequest(server.url), neverAborted)).resolves.toMatchObject({ status: 200 });
  });
});

describe('a transport past its deadline', () => {
  it.each([
    ['never answers', neverAnswers],
    ['never ends its answer', neverEndsTheAnswer],
  ])('ends with the error of the deadline if the server %s', async (_what, fault) => {
    const server = await startServer(fault);
    const deadline = new AbortController();
    const sent = openTransport().send(getRequest(server.url), deadline.signal);
    await server.received(1);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toBe(timeoutError);
  });

  it('works again with the next request', async () => {
    const server = await startServer(neverAnswers, answers(200, 'OK'));
    const transport = openTransport();
    const deadline = new AbortController();
    const sent = transport.send(getRequest(server.url), deadline.signal);
    await server.received(1);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toBe(timeoutError);
    await expect(transport.send(getRequest(server.url), neverAborted)).resolves.toMatchObject({ status: 200 });
  });

  it('reports that nothing was sent if there was no connection yet', async () => {
    const server = opened(await startRawServer());
    const deadline = new AbortController();
    const sent = openTransport().send(getRequest(new URL(`https://127.0.0.1:${server.port}`)), deadline.signal);
    await server.connected(1);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toMatchObject({
      problem: 'timeout',
      mayHaveReached: false,
      message: timeoutError.message,
    });
  });

  it('reports that nothing was sent if the deadline passed before it started', async () => {
    const server = opened(await startRawServer());
    const deadline = new AbortController();
    const sent = openTransport().send(getRequest(new URL(`https://127.0.0.1:${server.port}`)), deadline.signal);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toMatchObject({ problem: 'timeout', mayHaveReached: false });
  });

  it('opens a new connection for the next request instead of waiting for one that hangs', async () => {
    const server = opened(await startRawServer());
    const transport = openTransport();
    const attempts = maximumConnections + 1;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const deadline = new AbortController();
      const sent = transport.send(getRequest(new URL(`https://127.0.0.1:${server.port}`)), deadline.signal);
      await server.connected(attempt);
      deadline.abort(timeoutError);
      await expect(sent).rejects.toMatchObject({ problem: 'timeout' });
    }
    expect(server.connections()).toBe(attempts);
  });

  it('lets the process end: closing also ends attempts to connect', async () => {
    const server = opened(await startRawServer());
    const transport = openTransport();
    const deadline = new AbortController();
    const sent = transport.send(getRequest(new URL(`https://127.0.0.1:${server.port}`)), deadline.signal);
    await server.connected(1);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toMatchObject({ problem: 'timeout' });
    await transport.close();
    await server.abandoned();
    expect(server.count()).toBe(0);
  });

  it('ends with the reason of a cancellation, unchanged', async () => {
    const server = await startServer(neverAnswers);
    const cancelled = new AbortController();
    const sent = openTransport().send(getRequest(server.url), cancelled.signal);
    await server.received(1);
    const reason = new Error('the job was cancelled');
    cancelled.abort(reason);
    await expect(sent).rejects.toBe(reason);
  });

  it('sends nothing if it was already cancelled', async () => {
    const server = await startServer(answers(200, 'OK'));
    const reason = new Error('the job was cancelled');
    await expect(openTransport().send(getRequest(server.url), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.connections()).toBe(0);
  });
});
