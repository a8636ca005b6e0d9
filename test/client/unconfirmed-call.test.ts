import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { isDoneAlready, mayBeOnRecord } from '../../src/client/unconfirmed-call.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import type { OperationName } from '../../src/contract/endpoint.ts';
import { createEnvironment, reportK8s } from '../../src/contract/environment.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { attachPolicy, createPolicy, detachPolicy } from '../../src/contract/policy.ts';
import { deleteServiceAccount } from '../../src/contract/service-account.ts';
import { setDefaultOrg } from '../../src/contract/user.ts';
import { ExternalError, type Failure } from '../../src/runtime/failure.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import { openTestClient, type TestClient } from '../support/client.ts';
import { advanceUntil, manualClock } from '../support/clock.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { failureOf } from '../support/failures.ts';
import {
  answers,
  answersText,
  closesBeforeTheAnswer,
  neverAnswers,
  resetsBeforeTheAnswer,
  resetsWithinTheAnswer,
  truncatesTheAnswer,
} from '../support/faults.ts';
import { type Fault, type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import { httpFixture } from '../support/http-fixture.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';

const opened = closeAfterEach();
const { startServer, openClient } = httpFixture(opened);
const environment = { org: 'acme', env_name: 'prod' };
const policyNames = { policy_names: ['scans'] };
const file = { filename: 'policy.yml', size: 4, open: () => Readable.from([Buffer.from('a: 1')]) };

/** Every operation that writes. */
const writes: Partial<Readonly<Record<OperationName, (client: TestClient['client']) => Promise<unknown>>>> = {
  'create-flow': (client) =>
    client.call(createFlow, {
      parameters: { org: 'acme' },
      document: { name: 'web', description: '', template: [] },
    }),
  'create-environment': (client) =>
    client.call(createEnvironment, { parameters: { org: 'acme' }, document: { name: 'prod', type: 'K8S' } }),
  'report-k8s': (client) => client.call(reportK8s, { parameters: environment, document: { artifacts: [] } }),
  'attach-policy': (client) => client.call(attachPolicy, { parameters: environment, document: policyNames }),
  'detach-policy': (client) => client.call(detachPolicy, { parameters: environment, document: policyNames }),
  'create-policy': (client) =>
    client.call(createPolicy, { parameters: { org: 'acme' }, document: { name: 'scans' }, file }),
  'attest-sonar': (client) =>
    client.call(attestSonar, {
      parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
      document: {
        attestation_name: 'sonar',
        sonar_results: { project: { key: 'acme_web' }, qualityGate: { status: 'OK', conditions: [] } },
      },
    }),
  'delete-service-account': (client) =>
    client.call(deleteServiceAccount, { parameters: { org: 'acme', name: 'deployer' } }),
  'set-default-org': (client) => client.call(setDefaultOrg, { parameters: { org: 'acme' } }),
};
const operations = Object.keys(writes) as readonly OperationName[];
const appending: readonly OperationName[] = ['create-policy', 'attest-sonar'];
/** A second attestation does no harm, but a second version of a policy does. */
const sentOnce: readonly OperationName[] = ['create-policy'];

function successOf(operation: OperationName): Fault {
  const bodies: Partial<Record<OperationName, unknown>> = {
    'create-policy': { name: 'scans', versions: [] },
    'set-default-org': { default_org_name: 'acme' },
  };
  return answers(200, bodies[operation] ?? 'OK');
}

/** What the service answers to the look-up of a record that it does not have. */
function nothingOf(operation: OperationName): Fault {
  if (operation === 'create-policy') return answers(404, { message: "Policy 'scans' does not exist" });
  return answers(200, { data: [], pagination: { total: 0, page: 1, per_page: 100, page_count: 0 } });
}

function writesTo({ requests }: FaultyServer): number {
  return requests.filter(({ method }) => method !== 'GET').length;
}

async function send(operation: OperationName, { client }: TestClient): Promise<unknown> {
  const write = writes[operation];
  if (write === undefined) throw new Error(`${operation} writes nothing`);
  return write(client);
}

it('covers every operation that writes', () => {
  const writing = interfaceEndpoints.filter(({ method }) => method !== 'GET').map(({ operation }) => operation);
  expect(operations.toSorted()).toEqual(writing.toSorted());
});

describe.each(operations)('%s after an attempt that may have been carried out', (operation) => {
  const once = sentOnce.includes(operation);
  const looked = appending.includes(operation) ? [nothingOf(operation)] : [];

  it.each([
    ['an answer that was dropped', closesBeforeTheAnswer],
    ['a reset', resetsBeforeTheAnswer],
    ['a reset within the answer', resetsWithinTheAnswer],
    ['half an answer', truncatesTheAnswer],
    ['500', answers(500, { message: 'no' })],
    ['502', answersText(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' })],
    ['503 without Retry-After', answers(503, { message: 'no' })],
    ['504', answers(504, { message: 'no' })],
  ])(`${once ? 'is not repeated' : 'is repeated'}: %s`, async (_what, fault) => {
    const server = await startServer(fault, ...looked, successOf(operation));
    const sent = send(operation, openClient(server.url));
    if (once) {
      const failure = await failureOf(sent);
      expect(failure.message).toContain('The service may still have recorded it.');
      expect(failure.remedy).toMatch(/run the job again/iu);
    } else {
      await expect(sent).resolves.toMatchObject({ status: 200, earlierArrived: true });
    }
    expect(writesTo(server)).toBe(once ? 1 : 2);
  });

  it(`${once ? 'is not repeated' : 'is repeated'}: a delay beyond the deadline`, async () => {
    const server = await startServer(neverAnswers, ...looked, successOf(operation));
    const clock = manualClock();
    const retryPolicy = { requestTimeout: 10_000, retries: 1 };
    const client = opened(openTestClient(new URL('/api/v2', server.url), { clock, retryPolicy }));
    const sent = send(operation, client).catch((thrown: unknown) => thrown);
    await server.received(1);
    await clock.advance(10_000);
    if (once) {
      expect(await advanceUntil(clock, sent)).toMatchObject({
        message: expect.stringContaining('The service may still have recorded it.'),
      });
    } else {
      await server.received(1 + looked.length);
      expect(await advanceUntil(clock, sent)).toMatchObject({ status: 200, earlierArrived: true });
    }
    expect(writesTo(server)).toBe(once ? 1 : 2);
  });

  it.each([
    ['409', answers(409, { message: 'no' })],
    ['429', answers(429, { message: 'no' })],
    ['503 with Retry-After', answers(503, { message: 'no' }, { 'retry-after': '1' })],
  ])('is repeated if the service refused it and does not have it: %s', async (_what, fault) => {
    const server = await startServer(fault, ...looked, successOf(operation));
    // See `FinalResponse.earlierArrived`.
    await expect(send(operation, openClient(server.url))).resolves.toMatchObject({ status: 200, earlierArrived: true });
    expect(writesTo(server)).toBe(2);
  });
});

describe('a write that the service refused twice', () => {
  it('is repeated each time if the service does not have it', async () => {
    const refuses = answers(503, { message: 'no' }, { 'retry-after': '1' });
    const none = nothingOf('create-policy');
    const server = await startServer(refuses, none, refuses, none, successOf('create-policy'));
    await expect(send('create-policy', openClient(server.url))).resolves.toMatchObject({ status: 200 });
    expect(writesTo(server)).toBe(3);
  });
});

describe('a failure of an endpoint that records another copy', () => {
  it('does not mention a copy if the request was not sent, or was refused', async () => {
    const nowhere = openClient(new URL(`http://127.0.0.1:${await closedPort()}`));
    const limited = openClient((await startServer(answers(429, { message: 'no' }))).url);
    const refused = openClient((await startServer(answers(400, { message: 'no' }))).url);
    for (const client of [nowhere, limited, refused]) {
      const failure = await failureOf(send('create-policy', client));
      expect(failure.message).not.toContain('may have recorded it');
      expect(mayBeOnRecord(createPolicy, failure)).toBe(false);
    }
  });

  it('keeps the service’s words and the advice for its status', async () => {
    const client = openClient((await startServer(answers(500, { message: 'disk full' }))).url);
    const failure = await failureOf(send('create-policy', client));
    expect(failure.message).toMatch(/returned 500: disk full\nThe service may still have recorded/u);
    expect(failure.remedy).toMatch(/^Look at the versions of the policy .*operators/u);
    expect(mayBeOnRecord(createPolicy, failure)).toBe(true);
  });

  it('counts a success that cannot be read', async () => {
    const page = answersText(200, '<html>', { 'content-type': 'text/html' });
    const failure = await failureOf(send('create-policy', openClient((await startServer(page)).url)));
    expect(mayBeOnRecord(createPolicy, failure)).toBe(true);
    expect(failure.remedy).toContain('`base-url`');
  });

  it('is for those endpoints only', () => {
    expect(mayBeOnRecord(createFlow, new ExternalError({ what: 'no answer', remedy: 'Wait.' }))).toBe(false);
    expect(mayBeOnRecord(createPolicy, new Error('a defect'))).toBe(false);
  });
});

describe('whether a deletion was already done', () => {
  const gone = answers(404, { message: 'Service account not found' });

  async function failureAfter(...faults: readonly [Fault, ...Fault[]]): Promise<Failure> {
    return failureOf(send('delete-service-account', openClient((await startServer(...faults)).url)));
  }

  it.each([
    ['a reset', resetsBeforeTheAnswer],
    ['502', answersText(502, '')],
    ['429', answers(429, { message: 'no' })],
  ])('it is, if it is missing after %s', async (_what, fault) => {
    expect(isDoneAlready(await failureAfter(fault, gone))).toBe(true);
  });

  it.each([
    ['half an answer', answersText(404, '{"mess', { 'content-type': 'application/json' })],
    ['a page of something else', answersText(404, '<html>', { 'content-type': 'text/html' })],
    ['a redirect', answersText(302, '', { location: 'https://login.example.com/' })],
  ])('asks again after %s, because an attempt before it may have been carried out', async (_what, unreadable) => {
    const failure = await failureAfter(resetsBeforeTheAnswer, unreadable, gone);
    expect(isDoneAlready(failure)).toBe(true);
  });

  it('does not ask again after half an answer to the first attempt', async () => {
    const server = await startServer(answersText(404, '{"mess', { 'content-type': 'application/json' }), gone);
    const failure = await failureOf(send('delete-service-account', openClient(server.url)));
    expect(failure.message).toContain('returned 404 with a body that claims to be JSON but is not');
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['on the first attempt', gone, gone],
    ['in the words of something else', resetsBeforeTheAnswer, answers(404, { message: 'Not Found' })],
    ['with another error', resetsBeforeTheAnswer, answers(403, { message: 'no' })],
  ])('it is not, %s', async (_what, first, second) => {
    expect(isDoneAlready(await failureAfter(first, second))).toBe(false);
  });
});

it('does not say that nothing was sent if an earlier attempt was', async () => {
  const server = await startFaultyServer({
    early: false,
    play(_response, socket) {
      void server.close();
      socket.resetAndDestroy();
    },
  });
  const failure = await failureOf(send('create-flow', openClient(server.url)));
  expect(failure.message).toMatch(/ECONNREFUSED.*; the last attempt was not sent$/u);
});
