import { describe, expect, it } from '@jest/globals';
import type { EndpointCall } from '../../src/client/endpoint-call.ts';
import type { WriteIdentity } from '../../src/client/idempotency-key.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import { quotaExceeded } from '../../src/contract/errors.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { createPolicy } from '../../src/contract/policy.ts';
import type { TestClient } from '../support/client.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { failureOf } from '../support/failures.ts';
import { answers, answersText, resetsBeforeTheAnswer } from '../support/faults.ts';
import type { Fault, FaultyServer } from '../support/faulty-server.ts';
import { httpFixture } from '../support/http-fixture.ts';

const opened = closeAfterEach();
const { startServer, openClient } = httpFixture(opened);

const accepts = { 'accept-idempotency-key': '?1' };
const identity: WriteIdentity = {
  repository: 'acme/widgets',
  runId: '7',
  job: 'build',
  matrix: undefined,
  step: '__run',
};
const page = { pagination: { total: 0, page: 1, per_page: 100, page_count: 1 }, data: [] };

const sonarCall: EndpointCall<typeof attestSonar> = {
  parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
  document: {
    attestation_name: 'sonar',
    sonar_results: { project: { key: 'acme_web' }, qualityGate: { status: 'OK', conditions: [] } },
    user_data: { ticket: 'ABC-1' },
  },
};

function attest({ client }: TestClient): ReturnType<typeof client.call<typeof attestSonar>> {
  return client.call(attestSonar, sonarCall);
}

const saveFlow = ({ client }: TestClient): Promise<unknown> =>
  client.call(createFlow, { parameters: { org: 'acme' }, document: { name: 'web', description: '', template: [] } });

function methodsOf({ requests }: FaultyServer): readonly string[] {
  return requests.map(({ method }) => method);
}

function keysOf({ requests }: FaultyServer): readonly unknown[] {
  return requests.filter(({ method }) => method !== 'GET').map(({ headers }) => headers['idempotency-key']);
}

describe('a write', () => {
  it('carries its key in the header and, if it is an attestation, in its data', async () => {
    const server = await startServer(answers(201, 'OK'));
    await attest(openClient(server.url, { connection: { identity } }));
    const [key] = keysOf(server);
    expect(key).toMatch(/^"7-[\w-]{43}"$/u);
    expect(server.requests[0]?.body().toString()).toContain(
      `"user_data":{"ticket":"ABC-1","idempotency_key":${String(key)}}`,
    );
  });

  it('shows its key in a dry run', async () => {
    const client = openClient(new URL('https://compliance.example.com'), { connection: { identity, dryRun: true } });
    const unsent: unknown = await attest(client).catch((thrown: unknown) => thrown);
    const key = expect.stringMatching(/^7-[\w-]{43}$/u);
    expect(unsent).toMatchObject({
      request: {
        headers: { 'idempotency-key': expect.stringMatching(/^"7-[\w-]{43}"$/u) },
        json: { document: { user_data: { idempotency_key: key } } },
      },
    });
  });

  it.each<[string, (client: TestClient) => Promise<unknown>, WriteIdentity | undefined, keys: number]>([
    ['sets a state has another key in each execution', saveFlow, identity, 2],
    ['appends a record outside a GitHub run has another key in each execution', attest, undefined, 2],
    ['appends the same record in the same step has the same key', attest, identity, 1],
  ])('that %s', async (_what, send, sender, keys) => {
    const server = await startServer(answers(201, 'OK'));
    let drawn = 0;
    const random = (): number => ((drawn += 1) % 97) / 97;
    const client = openClient(server.url, { random, connection: sender === undefined ? {} : { identity: sender } });
    await send(client);
    await send(client);
    expect(new Set(keysOf(server)).size).toBe(keys);
  });

  it('is sent again with the same key if an answer has shown that the service honours it', async () => {
    const server = await startServer(
      answers(503, {}, accepts),
      resetsBeforeTheAnswer,
      answersText(200, '<html>', { 'content-type': 'text/html' }),
      answers(201, 'OK', { ...accepts, 'idempotent-replayed': 'true' }),
    );
    const client = openClient(server.url);
    await expect(attest(client)).resolves.toMatchObject({ status: 201, source: 'replay', earlierArrived: false });
    expect(methodsOf(server)).toEqual(['POST', 'POST', 'POST', 'POST']);
    expect(new Set(keysOf(server)).size).toBe(1);
    expect(client.log.infos).toEqual([
      expect.stringContaining('the answer was 503; the same idempotency key keeps it from being recorded twice'),
      expect.stringContaining('attempt 2 of 4: '),
      expect.stringContaining('the answer was 200, but not as the service answers; the same'),
      'attest-sonar: an earlier attempt had arrived; nothing was done twice',
    ]);
  });

  it('says that a re-run recorded nothing new', async () => {
    const server = await startServer(answers(201, 'OK', { ...accepts, 'idempotent-replayed': 'true' }));
    const client = openClient(server.url, { connection: { identity } });
    await expect(attest(client)).resolves.toMatchObject({ source: 'replay' });
    expect(client.log.infos).toEqual([
      'attest-sonar: an earlier attempt of this step had already sent the same; nothing was done twice',
    ]);
  });

  describe('whose record no longer counts', () => {
    const superseded = answers(201, 'OK', {
      ...accepts,
      'idempotent-replayed': 'true',
      'idempotent-superseded': 'true',
    });
    const rerun = { connection: { identity } };

    it('is recorded once more, with a key of its own that its retries share', async () => {
      const server = await startServer(superseded, resetsBeforeTheAnswer, answers(201, 'OK', accepts));
      const client = openClient(server.url, rerun);
      const result = await attest(client);
      expect(result.source).toBe('answer');
      const [first, second, third] = keysOf(server);
      expect(second).toBe(`"${result.key ?? ''}"`);
      expect(second).toMatch(/^"7-[\w-]{43}"$/u);
      expect([second === first, third === second]).toEqual([false, true]);
      expect(server.requests[1]?.body().toString()).toContain(`"idempotency_key":${String(second)}`);
      expect(client.log.infos[0]).toBe(
        'attest-sonar: an earlier attempt had sent the same, but it no longer counts, so it is recorded once more',
      );
    });

    it('is kept with the new key if it is not answered', async () => {
      const server = await startServer(superseded, answers(503, {}, accepts));
      const client = openClient(server.url, { ...rerun, retryPolicy: { retries: 0 }, random: Math.random });
      await failureOf(attest(client));
      const { key } = await client.client.prepare(attestSonar, sonarCall);
      expect(keysOf(server)[1]).toBe(`"${key}"`);
    });

    it('is recorded at most once more', async () => {
      const server = await startServer(superseded, superseded);
      await expect(attest(openClient(server.url, rerun))).resolves.toMatchObject({ source: 'replay' });
      expect(keysOf(server)).toHaveLength(2);
    });

    it.each<[string, Fault, readonly Fault[]]>([
      ['a lost answer', resetsBeforeTheAnswer, [answers(200, page, accepts)]],
      ['an answer that may be about a repetition by a gateway', answers(503, {}, accepts), []],
    ])('is not recorded again after %s', async (_what, fault, looks) => {
      const server = await startServer(fault, ...looks, superseded);
      const client = openClient(server.url, rerun);
      await expect(attest(client)).resolves.toMatchObject({ source: 'replay' });
      expect(new Set(keysOf(server)).size).toBe(1);
      expect(client.log.infos.at(-1)).toBe(
        'attest-sonar: an earlier attempt had arrived; nothing was done twice; what was recorded since counts instead',
      );
    });

    it('is not recorded again if it was kept, or if no step sends it', async () => {
      const server = await startServer(answers(200, page, accepts), superseded, superseded);
      const kept = { ...sonarCall, key: '7-kept', since: 0 };
      await expect(openClient(server.url, rerun).client.call(attestSonar, kept)).resolves.toMatchObject({
        source: 'replay',
      });
      await expect(attest(openClient(server.url))).resolves.toMatchObject({ source: 'replay' });
      expect(methodsOf(server)).toEqual(['GET', 'POST', 'POST']);
    });
  });

  it('is sent again if looking for it shows that the service honours keys', async () => {
    const server = await startServer(resetsBeforeTheAnswer, answers(200, page, accepts), answers(201, 'OK', accepts));
    await expect(attest(openClient(server.url))).resolves.toMatchObject({ status: 201, source: 'answer' });
    expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST']);
  });

  it('is done if a service that ignores keys has it on record', async () => {
    const server = await startServer(resetsBeforeTheAnswer, {
      early: false,
      play(response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        const key = String(keysOf(server)[0]).slice(1, -1);
        const other = { attestation_id: 'a', user_data: { idempotency_key: 'another' } };
        const own = { attestation_id: 'b', user_data: { idempotency_key: key } };
        response.end(JSON.stringify({ ...page, data: [other, own] }));
      },
    });
    const client = openClient(server.url);
    const result = await attest(client);
    expect(result).toMatchObject({ source: 'look-up', body: { attestation_id: 'b' } });
    expect(keysOf(server)).toEqual([`"${result.key ?? ''}"`]);
    expect(methodsOf(server)).toEqual(['POST', 'GET']);
    expect(client.log.infos).toEqual([
      'attest-sonar: no clear answer; checking whether it was recorded',
      'attest-sonar: it is on record, so it is not sent again',
    ]);
  });

  it('is sent again, and says that it may be recorded twice, if a service that ignores keys does not show it', async () => {
    const server = await startServer(resetsBeforeTheAnswer, answers(200, page), answers(201, 'OK'));
    const client = openClient(server.url);
    await expect(attest(client)).resolves.toMatchObject({ status: 201, source: 'answer' });
    expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST']);
    expect(client.log.infos.at(-1)).toContain(
      ', and it is not on record; it may be recorded twice then, which does no harm, because the newest counts',
    );
  });

  it('is red, with what to do, if it was never answered', async () => {
    const server = await startServer(
      resetsBeforeTheAnswer,
      answers(200, page),
      resetsBeforeTheAnswer,
      answers(200, page),
    );
    const client = openClient(server.url, { retryPolicy: { retries: 1 } });
    const failure = await failureOf(attest(client));
    expect(failure.message).toMatch(/The service may still have recorded it\. It was not found there yet\.$/u);
    expect(failure.remedy).toMatch(/^Run the job again unless the trail shows the attestation/u);
    expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST', 'GET']);
  });

  it('looks for it if the attempts run out, and says that a re-run is safe', async () => {
    const busy = answers(502, {}, accepts);
    const server = await startServer(busy, busy, answers(200, page, accepts));
    const client = openClient(server.url, { retryPolicy: { retries: 1 } });
    const failure = await failureOf(attest(client));
    expect(failure.message).toContain('The service may still have recorded it. It was not found there yet.');
    expect(failure.remedy).toMatch(/^Run the job again: the request has an idempotency key/u);
    expect(methodsOf(server)).toEqual(['POST', 'POST', 'GET']);
  });

  it('warns of a record even if a later attempt is refused for good', async () => {
    const server = await startServer(answers(502, {}, accepts), answers(403, { message: 'No' }, accepts));
    const failure = await failureOf(attest(openClient(server.url)));
    expect(failure.message).toMatch(/returned 403: No.*\nThe service may still have recorded it\./u);
  });

  it('is not sent again if a quota refuses it, which is not the fault of the workflow author', async () => {
    const server = await startServer(answers(403, { message: quotaExceeded.message }, accepts));
    const failure = await failureOf(attest(openClient(server.url)));
    expect(failure).toMatchObject({
      kind: 'external',
      message: expect.stringMatching(/returned 403: The quota '/u),
      remedy: expect.stringContaining('Ask the operator of the service'),
    });
    expect(failure.remedy).toContain('Ask the operator of the service');
    expect(methodsOf(server)).toEqual(['POST']);
  });

  describe.each<[string, Fault]>([
    ['an object', answers(200, { status: 'login required' })],
    ['a message', answers(200, { message: 'Log in to the network' })],
    ['plain text', answersText(200, 'Log in', { 'content-type': 'text/plain' })],
    ['a web page', answersText(200, '<html>', { 'content-type': 'text/html' })],
    ['nothing', answersText(200, '')],
  ])('that something else answers with 200 and %s', (_what, foreign) => {
    it('is sent again with the same key if the service honours it', async () => {
      const server = await startServer(foreign, answers(200, page, accepts), answers(201, 'OK', accepts));
      await expect(attest(openClient(server.url))).resolves.toMatchObject({ status: 201, source: 'answer' });
      expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST']);
      expect(new Set(keysOf(server)).size).toBe(1);
    });

    it('is looked for once and sent again if nothing says that the service honours keys', async () => {
      const server = await startServer(foreign, answers(200, page), answers(201, 'OK'));
      await expect(attest(openClient(server.url))).resolves.toMatchObject({ status: 201 });
      expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST']);
    });

    it('is sent again if it sets a state', async () => {
      const server = await startServer(foreign, answers(201, 'OK'));
      await expect(saveFlow(openClient(server.url))).resolves.toMatchObject({ status: 201, body: 'OK' });
    });
  });

  it('is not done if an answer looks right but lacks what earlier answers of the service had', async () => {
    const server = await startServer(answers(503, {}, accepts), answers(201, 'OK'), answers(201, 'OK', accepts));
    await expect(attest(openClient(server.url))).resolves.toMatchObject({ status: 201 });
    expect(methodsOf(server)).toEqual(['POST', 'POST', 'POST']);
  });

  it('reports exactly what it changed if the service honours keys', async () => {
    const server = await startServer(answers(502, {}, accepts), answers(200, { name: 'p', versions: [] }, accepts));
    const { client } = openClient(server.url);
    const file = { filename: 'p.yml', size: 1, open: () => one() };
    await expect(
      client.call(createPolicy, { parameters: { org: 'acme' }, document: { name: 'p' }, file }),
    ).resolves.toMatchObject({ status: 200, earlierArrived: false });
  });

  it('explains a key that was used for something else', async () => {
    const server = await startServer(answers(422, { message: 'Idempotency key reused' }, accepts));
    const failure = await failureOf(attest(openClient(server.url)));
    expect(failure.message).toContain('returned 422: Idempotency key reused');
    expect(failure.remedy).toMatch(/^An earlier request with the same idempotency key had other content/u);
    expect(methodsOf(server)).toEqual(['POST']);
  });

  it('does not blame the key for another 422', async () => {
    const server = await startServer(answers(422, { message: 'commit_sha is not valid' }));
    const failure = await failureOf(attest(openClient(server.url)));
    expect(failure.remedy).toBe('Correct the inputs that the message and the fields above name.');
  });
});

async function* one(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('a'));
}
