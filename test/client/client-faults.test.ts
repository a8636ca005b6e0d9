import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/client/service-error.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { keysAcceptedHeader } from '../../src/contract/idempotency.ts';
import { describeError, ExternalError } from '../../src/runtime/failure.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import type { TestClient } from '../support/client.ts';
import { advanceUntil, manualClock, startOfTime } from '../support/clock.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import {
  answers,
  answersEarly,
  answersText,
  closesBeforeTheAnswer,
  neverAnswers,
  neverEndsTheAnswer,
  resetsBeforeTheAnswer,
  resetsDuringTheUpload,
  resetsWithinTheAnswer,
  sendsHugeHeaders,
  speaksNoHttp,
  truncatesTheAnswer,
} from '../support/faults.ts';
import type { Fault } from '../support/faulty-server.ts';
import { httpFixture } from '../support/http-fixture.ts';
import { startRawServer } from '../support/raw-server.ts';

const opened = closeAfterEach();
const { startServer, openClient } = httpFixture(opened);

type Operation = 'create-flow' | 'attest-sonar' | 'get-artifact';

/** One of each method: PUT and GET change nothing when they are repeated, POST does. */
const calls: Readonly<Record<Operation, (client: TestClient, fileSize?: number) => Promise<unknown>>> = {
  'create-flow': ({ client }) =>
    client.call(createFlow, {
      parameters: { org: 'acme' },
      document: { name: 'web', description: '', template: [] },
    }),
  'attest-sonar': ({ client }, size = 1000) =>
    client.call(attestSonar, {
      parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
      document: {
        attestation_name: 'sonar',
        sonar_results: { project: { key: 'acme_web' }, qualityGate: { status: 'OK', conditions: [] } },
      },
      file: { filename: 'big.bin', size, open: () => Readable.from([Buffer.alloc(size)]) },
    }),
  'get-artifact': ({ client }) =>
    client.call(getArtifact, { parameters: { org: 'acme', flow_name: 'web', fingerprint: 'abcde' } }),
};

/** More than the buffers of a connection hold, so that an upload that breaks off cannot have been sent completely. */
const bigFile = 10_000_000;

const operations = Object.keys(calls) as readonly Operation[];
const html = answersText(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' });

describe('the client under faults', () => {
  /** How many times a request is sent if the fault never ends; 4 means three retries. */
  const table: readonly (readonly [string, Fault, number])[] = [
    ['resets before the answer', resetsBeforeTheAnswer, 4],
    ['closes before the answer', closesBeforeTheAnswer, 4],
    ['resets within the answer', resetsWithinTheAnswer, 4],
    ['truncates the answer', truncatesTheAnswer, 4],
    ['resets during the upload', resetsDuringTheUpload, 4],
    ['speaks no HTTP', speaksNoHttp, 4],
    ['sends huge headers', sendsHugeHeaders, 4],
    ['answers 400', answers(400, { message: 'no' }), 1],
    ['answers 401 without a body', answersText(401, ''), 1],
    ['answers 404', answers(404, { message: 'no' }), 1],
    ['answers 408', answers(408, { message: 'no' }), 4],
    ['answers 409', answers(409, { message: 'no' }), 4],
    ['answers 413 early', answersEarly(413, { message: 'no' }), 1],
    ['answers 429', answers(429, { message: 'no' }), 4],
    ['answers 429 with seconds', answers(429, { message: 'no' }, { 'retry-after': '2' }), 4],
    [
      'answers 429 with a date',
      answers(429, { message: 'no' }, { 'retry-after': new Date(startOfTime + 3000).toUTCString() }),
      4,
    ],
    ['answers 429 with a wait beyond the deadline', answers(429, { message: 'no' }, { 'retry-after': '86400' }), 1],
    ['answers 500', answers(500, { message: 'no' }), 4],
    ['answers 501', answers(501, { message: 'no' }), 1],
    ['answers 502 with HTML', html, 4],
    ['answers 503', answers(503, { message: 'no' }), 4],
    ['answers 503 with Retry-After', answers(503, { message: 'no' }, { 'retry-after': '1' }), 4],
    ['answers 200 with HTML', answersText(200, '<html>', { 'content-type': 'text/html' }), 4],
    ['answers 302', answersText(302, '', { location: '/login' }), 1],
  ];

  describe.each(table)('if the service %s', (_what, fault, asked) => {
    it.each(operations)(
      'retries as often as allowed, logs why, and fails with a message and a remedy: %s',
      async (operation) => {
        const server = await startServer(fault);
        const client = openClient(server.url);
        const file = fault.early ? bigFile : undefined;
        const error: unknown = await calls[operation](client, file).catch((thrown: unknown) => thrown);
        expect(error instanceof ServiceError || error instanceof ExternalError).toBe(true);
        expect(error).toMatchObject({
          message: expect.stringContaining(operation),
          remedy: expect.stringMatching(/\.$/u),
        });
        const [first] = server.requests;
        expect(server.requests.filter(({ target }) => target === first?.target)).toHaveLength(asked);
        const again = client.log.infos.filter((line) => /^(?!list-).*trying again in/u.test(line));
        expect(again).toHaveLength(asked - 1);
        expect(
          again.every(
            (line, index) => line.startsWith(`${operation}: attempt ${index + 1} of 4: `) && line.endsWith(' s'),
          ),
        ).toBe(true);
        if (asked > 1) expect(describeError(error)).toContain('(after 4 attempts)');
      },
    );
  });

  it.each(operations)('succeeds once the service is available again: %s', async (operation) => {
    const body = operation === 'get-artifact' ? { fingerprint: 'a'.repeat(64) } : 'OK';
    const status = operation === 'get-artifact' ? 200 : 201;
    const busy = answers(429, { message: 'no' }, { 'retry-after': '0', [keysAcceptedHeader]: '?1' });
    const server = await startServer(busy, busy, answers(status, body, { [keysAcceptedHeader]: '?1' }));
    await expect(calls[operation](openClient(server.url))).resolves.toMatchObject({ status, body });
  });

  it.each(operations)('retries if the connection was refused, because nothing was sent: %s', async (operation) => {
    const client = openClient(new URL(`http://127.0.0.1:${await closedPort()}`));
    await expect(calls[operation](client)).rejects.toMatchObject({
      kind: 'external',
      message: expect.stringMatching(/ECONNREFUSED .*\(after 4 attempts\); the request was not sent$/u),
      remedy: expect.stringContaining('`base-url`'),
    });
    expect(client.log.infos).toHaveLength(3);
  });

  it('keeps the message of the service over all attempts', async () => {
    const server = await startServer(answers(500, { message: 'disk full on node 3' }));
    await expect(calls['get-artifact'](openClient(server.url))).rejects.toMatchObject({
      message:
        'get-artifact: GET /artifacts/acme/web/fingerprint/abcde returned 500: disk full on node 3 (after 4 attempts)',
      facts: { serviceMessage: 'disk full on node 3', attempts: 4 },
    });
  });

  it('says that an upload that broke off each time is not on record', async () => {
    const server = await startServer(resetsDuringTheUpload);
    const error: unknown = await calls['attest-sonar'](openClient(server.url), bigFile).catch(
      (thrown: unknown) => thrown,
    );
    expect(describeError(error)).toMatch(/ECONNRESET \(after 4 attempts\); the request was not sent completely$/mu);
    expect(describeError(error)).not.toContain('may have recorded');
  });

  it('does not claim that nothing was sent if only the answer to an upload was lost', async () => {
    const server = await startServer(resetsBeforeTheAnswer);
    const error: unknown = await calls['attest-sonar'](openClient(server.url)).catch((thrown: unknown) => thrown);
    expect(describeError(error)).toContain(`got no answer from ${server.url.origin}`);
    expect(describeError(error)).not.toContain('the request was not sent');
  });
});

describe('the client and its deadlines', () => {
  const retryPolicy = { requestTimeout: 10_000, retries: 1 };

  it.each([
    ['never answers', neverAnswers],
    ['never ends its answer', neverEndsTheAnswer],
  ])('aborts a request after its timeout, and retries: the service %s', async (_what, fault) => {
    const server = await startServer(fault, answers(201, 'OK'));
    const clock = manualClock();
    const client = openClient(server.url, { clock, retryPolicy });
    const call = calls['create-flow'](client);
    await server.received(1);
    await clock.advance(10_000);
    while (clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(500);
    await expect(call).resolves.toMatchObject({ status: 201 });
    expect(client.log.infos).toEqual([
      'create-flow: attempt 1 of 2: no complete answer within 10 s; trying again in 0.5 s',
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('asks once, and no longer than that, if its time limit is now and gives a timeout', async () => {
    const server = await startServer(neverAnswers);
    const clock = manualClock();
    const client = openClient(server.url, { clock, retryPolicy: { retries: 3, retryFor: 60_000 } });
    const limited = { ...client, client: client.client.until(clock.now(), 5000) };
    const failed = calls['get-artifact'](limited).catch((thrown: unknown) => thrown);
    await server.received(1);
    await clock.advance(5000);
    expect(describeError(await failed)).toContain('no complete answer within 5.0 s');
    expect(server.requests).toHaveLength(1);
    expect(clock.now()).toBe(startOfTime + 5000);
  });

  it('retries a POST if the timeout passed before it was connected', async () => {
    const silent = opened(await startRawServer());
    const clock = manualClock();
    const client = openClient(new URL(`https://127.0.0.1:${silent.port}`), { clock, retryPolicy });
    const call = calls['attest-sonar'](client);
    const failed = call.catch((thrown: unknown) => thrown);
    await silent.connected(1);
    await clock.advance(10_000);
    while (clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(500);
    await silent.connected(2);
    await clock.advance(9500);
    expect(describeError(await failed)).toMatch(
      /^attest-sonar: POST .* no complete answer within 9\.5 s \(after 2 attempts\); the request was not sent/u,
    );
  });

  it('names the timeout if it passed after a POST was sent', async () => {
    const server = await startServer(neverAnswers);
    const clock = manualClock();
    const client = openClient(server.url, { clock, retryPolicy });
    const failed = calls['attest-sonar'](client).catch((thrown: unknown) => thrown);
    await server.received(1);
    await clock.advance(10_000);
    expect(await advanceUntil(clock, failed)).toMatchObject({
      message: expect.stringMatching(
        /no complete answer within [\d.]+ s.*\nThe service may still have recorded it\.$/u,
      ),
      remedy: expect.stringContaining('`timeout`'),
    });
  });

  it('ends with the reason of a cancellation', async () => {
    const server = await startServer(neverAnswers);
    const cancelled = new AbortController();
    const clock = manualClock();
    const failed = calls['attest-sonar'](openClient(server.url, { clock, signal: cancelled.signal }));
    await server.received(1);
    const reason = new ExternalError({ what: 'the step was cancelled', remedy: 'Run the job again.' });
    cancelled.abort(reason);
    await expect(failed).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });
});
