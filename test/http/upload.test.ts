import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type RequestBody, TransportError } from '../../src/http/transport.ts';
import { UserError } from '../../src/runtime/failure.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import {
  answers,
  answersEarly,
  readsNoBody,
  resetsBeforeTheAnswer,
  resetsDuringTheUpload,
  speaksNoHttp,
} from '../support/faults.ts';
import { httpFixture, neverAborted, putRequest, timeoutError } from '../support/http-fixture.ts';
import { streamedBody } from './streamed-body.ts';

const opened = closeAfterEach();
const { startServer, openTransport } = httpFixture(opened);

describe('the body of a request', () => {
  it('is read only as far as the server reads it', async () => {
    const server = await startServer(readsNoBody);
    const size = 64 * 1024 * 1024;
    const body = streamedBody(size);
    const deadline = new AbortController();
    const sent = openTransport().send(putRequest(server.url, body), deadline.signal);
    await server.received(1);
    // The buffers of the two sockets fill up, and then nothing moves any more, however often the loop turns.
    for (let before = -1; before !== body.read();) {
      before = body.read();
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    }
    expect(body.read()).toBeGreaterThan(0);
    expect(body.read()).toBeLessThan(size / 2);
    deadline.abort(timeoutError);
    await expect(sent).rejects.toMatchObject({
      problem: 'timeout',
      mayHaveReached: false,
      message: timeoutError.message,
    });
    expect([body.opened(), body.closed()]).toEqual([1, 1]);
  });

  it.each<[string, () => Promise<URL>]>([
    ['the connection is refused', async () => new URL(`http://127.0.0.1:${await closedPort()}`)],
    ['the connection is reset before the answer', async () => (await startServer(resetsBeforeTheAnswer)).url],
    ['the connection is reset during the upload', async () => (await startServer(resetsDuringTheUpload)).url],
    ['the answer is not HTTP', async () => (await startServer(speaksNoHttp)).url],
    ['the answer arrives', async () => (await startServer(answers(200, 'OK'))).url],
  ])('is closed if %s', async (_what, url) => {
    const body = streamedBody(1024 * 1024);
    await openTransport()
      .send(putRequest(await url(), body), neverAborted)
      .catch((error: unknown) => {
        expect(error).toBeInstanceOf(TransportError);
      });
    expect([body.opened(), body.closed()]).toEqual([1, 1]);
  });

  it('ends the request with its own error if it fails because of the user', async () => {
    const server = await startServer(answers(200, 'OK'));
    const changed = new UserError({ what: 'lcov.info changed while it was read', remedy: 'Copy the file.' });
    const body: RequestBody = {
      contentType: 'application/octet-stream',
      length: 100,
      open: () =>
        new Readable({
          read() {
            this.destroy(changed);
          },
        }),
    };
    await expect(openTransport().send(putRequest(server.url, body), neverAborted)).rejects.toBe(changed);
  });

  it('arrives unchanged, although its chunks share their memory, whatever their lengths', async () => {
    const lengths = [1, 65_535, 65_536, 3, 200_000, 65_537, 9, 300_000, 1, 1, 16_384, 70_000];
    const expected = Buffer.concat(lengths.map((length, at) => Buffer.alloc(length, at + 1)));
    const server = await startServer(answers(200, 'OK'));
    const memory = Buffer.alloc(300_000);
    const body: RequestBody = {
      contentType: 'application/octet-stream',
      length: expected.length,
      async *open() {
        for (const [at, length] of lengths.entries())
          yield await Promise.resolve(memory.fill(at + 1).subarray(0, length));
        memory.fill(0);
      },
    };
    await openTransport().send(putRequest(server.url, body), neverAborted);
    expect(server.requests[0]?.body().equals(expected)).toBe(true);
  });

  it('cannot bring the process down when it fails after the request has ended', async () => {
    const url = new URL(`http://127.0.0.1:${await closedPort()}`);
    const body: RequestBody = {
      contentType: 'application/octet-stream',
      length: 100,
      open: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => undefined),
          return: () => Promise.reject(new Error('read EIO')),
        }),
      }),
    };
    await expect(openTransport().send(putRequest(url, body), neverAborted)).rejects.toBeInstanceOf(TransportError);
    await nextTurn();
  });

  it('is abandoned if the answer arrives while it is being sent', async () => {
    const server = await startServer(answersEarly(413, { message: 'File size exceeds 10MB limit' }));
    const body = streamedBody(10 * 1024 * 1024);
    const answer = await openTransport().send(putRequest(server.url, body), neverAborted);
    expect(answer).toMatchObject({ status: 413, text: '{"message":"File size exceeds 10MB limit"}' });
    expect([body.opened(), body.closed()]).toEqual([1, 1]);
  });
});
