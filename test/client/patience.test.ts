import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ComplianceClient, type Connection } from '../../src/client/client.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { genericKind } from '../../src/contract/attestations/generic.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { describeError } from '../../src/runtime/failure.ts';
import { silentTransport } from '../support/answering-transport.ts';
import type { TestClient } from '../support/client.ts';
import { instantClock, startOfTime } from '../support/clock.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { failureOf } from '../support/failures.ts';
import { answers, answersText, sendsHugeHeaders, speaksNoHttp } from '../support/faults.ts';
import type { Fault } from '../support/faulty-server.ts';
import { httpFixture } from '../support/http-fixture.ts';
import { collectingLog } from '../support/log.ts';

const { startServer, openClient } = httpFixture(closeAfterEach());

const read = ({ client }: Pick<TestClient, 'client'>): Promise<unknown> =>
  client.call(getArtifact, { parameters: { org: 'acme', flow_name: 'web', fingerprint: 'abcde' } });
const attest = ({ client }: Pick<TestClient, 'client'>): Promise<unknown> =>
  client.call(genericKind.endpoint, {
    parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
    document: { attestation_name: 'scan', is_compliant: true },
  });
const write = ({ client }: Pick<TestClient, 'client'>): Promise<unknown> =>
  client.call(createFlow, { parameters: { org: 'acme' }, document: { name: 'web', description: '', template: [] } });

const connection: Connection = {
  baseUrl: new URL('https://compliance.example.com/api/v2'),
  apiToken: 'an-api-key',
  authenticationMethod: 'bearer',
  filePartStyle: 'indexed',
};

const page = answersText(200, '<html>Maintenance</html>', { 'content-type': 'text/html' });
const artifact = answers(200, { fingerprint: 'a'.repeat(64) });

/** Answers that are not the service's, and pass if it is only away for a while. */
const garbled: readonly (readonly [what: string, fault: Fault, reason: string])[] = [
  ['an HTML page with status 200', page, 'the answer was 200 with an HTML page of 24 bytes instead of JSON'],
  ['something that is not HTTP', speaksNoHttp, 'Response does not match the HTTP'],
  ['headers without end', sendsHugeHeaders, 'Headers Overflow'],
  [
    'an empty body',
    answersText(200, '', { 'content-type': 'application/json' }),
    'the answer was 200 with an empty body',
  ],
  [
    'half of a JSON text',
    answersText(200, '{"fingerprint":"aaaa', { 'content-type': 'application/json' }),
    'the answer was 200 with a body that claims to be JSON but is not',
  ],
];

describe('a read that is answered with', () => {
  describe.each(garbled)('%s', (_what, fault, reason) => {
    it('is sent again, and the log says why', async () => {
      const server = await startServer(fault, fault, artifact);
      const client = openClient(server.url, { retryPolicy: { retryFor: 60_000 } });
      await expect(read(client)).resolves.toMatchObject({ status: 200 });
      expect(client.log.infos.map((line) => line.split(/: |; /u).slice(0, 2))).toEqual([
        ['get-artifact', 'attempt 1, failing for 0.0 s'],
        ['get-artifact', 'attempt 2, failing for 0.5 s'],
      ]);
      for (const line of client.log.infos) expect(line).toContain(reason);
    });

    it('is repeated five times at most if the service has never answered', async () => {
      const server = await startServer(fault);
      const client = openClient(server.url, { retryPolicy: { retryFor: 60_000 } });
      expect(describeError(await failureOf(read(client)))).toContain('(after 6 attempts)');
      expect(server.requests).toHaveLength(6);
    });

    it.each([
      ['a success', artifact],
      ['a refusal', answers(404, { message: 'Flow not found' })],
    ])('is repeated for the whole patience once the service has answered the step with %s', async (_kind, answer) => {
      const server = await startServer(answer, fault);
      const client = openClient(server.url, { retryPolicy: { retries: 10 } });
      await read(client).catch(() => undefined);
      expect(describeError(await failureOf(read(client)))).toContain('(after 11 attempts)');
      expect(server.requests).toHaveLength(1 + 11);
    });

    it('is repeated for the whole patience after an error of the service in the same call', async () => {
      const server = await startServer(answers(503, { message: 'Restarting' }), fault);
      await failureOf(read(openClient(server.url, { retryPolicy: { retries: 10 } })));
      expect(server.requests).toHaveLength(11);
    });

    it('is not repeated with `retries: 0`', async () => {
      const server = await startServer(fault);
      await failureOf(read(openClient(server.url, { retryPolicy: { retries: 0 } })));
      expect(server.requests).toHaveLength(1);
    });
  });

  it('JSON of another form, is not sent again: the next answer would have that form, too', async () => {
    const server = await startServer(artifact, answers(200, { login: 'required' }));
    const client = openClient(server.url);
    await read(client);
    expect((await failureOf(read(client))).message).toContain('does not have the expected form');
    expect(server.requests).toHaveLength(2);
  });
});

describe('an outage that a call gave up on', () => {
  const busy = answers(503, { message: 'Busy' });
  const minute = { retryFor: 60_000 };

  it.each([
    ['a minute', minute, 8],
    ['three retries', { retries: 3 }, 4],
  ])('is not waited for again, with a patience of %s', async (_what, retryPolicy, attempts) => {
    const server = await startServer(busy);
    const client = openClient(server.url, { retryPolicy });
    await failureOf(read(client));
    expect(server.requests).toHaveLength(attempts);
    await failureOf(read(client));
    await failureOf(write(client));
    expect(server.requests).toHaveLength(attempts + 2);
  });

  it('is not waited for again, if a page takes the place of the service', async () => {
    const server = await startServer(artifact, page);
    const client = openClient(server.url, { retryPolicy: minute });
    await read(client);
    await failureOf(read(client));
    expect(server.requests).toHaveLength(1 + 8);
    await failureOf(read(client));
    expect(server.requests).toHaveLength(1 + 8 + 1);
  });

  it.each([
    ['a success', artifact],
    ['a refusal', answers(404, { message: 'Flow not found' })],
  ])('is over with %s: the next one is waited for again', async (_what, answer) => {
    const server = await startServer(...faultsOf(busy, 8), answer, busy);
    const client = openClient(server.url, { retryPolicy: minute });
    await failureOf(read(client));
    await read(client).catch(() => undefined);
    expect(server.requests).toHaveLength(9);
    await failureOf(read(client));
    expect(server.requests).toHaveLength(9 + 8);
  });

  it('is waited for until the end of a poll, however long it lasts', async () => {
    const server = await startServer(...faultsOf(busy, 30), artifact);
    const clock = instantClock();
    const { client } = openClient(server.url, { retryPolicy: minute, clock });
    const poll = client.until(startOfTime + 3_600_000);
    const asked = { parameters: { org: 'acme', flow_name: 'web', fingerprint: 'abcde' } };
    await failureOf(poll.call(getArtifact, asked));
    await failureOf(poll.call(getArtifact, asked));
    expect(server.requests).toHaveLength(16);
  });
});

describe('a step whose service never answers', () => {
  it('ends within its patience and the time of one request, whatever it reads and writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(read, write, attest), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 60 }),
        async (calls, patience, timeout) => {
          const clock = instantClock({ maximumWait: Number.POSITIVE_INFINITY });
          const retryPolicy = { retries: 0, retryFor: patience * 1000, requestTimeout: timeout * 1000 };
          const context = { clock, random: () => 0, log: collectingLog(), transport: silentTransport(), retryPolicy };
          const client = new ComplianceClient(connection, context);
          for (const call of calls) await failureOf(call({ client }));
          expect(clock.now() - startOfTime).toBeLessThanOrEqual((patience + timeout) * 1000);
        },
      ),
    );
  });
});

function faultsOf(fault: Fault, count: number): readonly [Fault, ...Fault[]] {
  return [fault, ...Array.from({ length: count - 1 }, () => fault)];
}
