import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpRequest, HttpResponse, Transport } from '../../../src/http/transport.ts';
import { allOperationNames, type AnyOperationName } from '../../../src/operations/operation-names.ts';
import { runOperation, type StepContext } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer, silentTransport } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { instantClock, startOfTime } from '../../support/clock.ts';
import { shas } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import type { CollectingLog } from '../../support/log.ts';
import { pullRequestAnswers } from '../../support/pull-request-answers.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { connection, openTestStep } from '../../support/test-step.ts';
import { writeReports, writingSteps } from '../../support/writing-steps.ts';

/** More artifacts than are looked up at a time. */
const fingerprint = Array.from({ length: 20 }, (_, index) => index.toString(16).padStart(64, '0')).join('\n');

/** The inputs of the operations that only read. */
const readingSteps: Partial<Readonly<Record<AnyOperationName, Readonly<Record<string, string>>>>> = {
  'get-notification': { 'notification-number': '1' },
  'list-attestations': { flow: 'web', page: 'all' },
  'get-artifact': { flow: 'web', fingerprint },
  'assert-artifact': { flow: 'web', fingerprint },
  'assert-trail': { flow: 'web' },
  'audit-branch': { flow: 'web', 'github-token': 'ghs_0123456789abcdef' },
  'diff-environments': { 'snapshot-1': 'prod~1', 'snapshot-2': 'prod' },
  'list-snapshots': { environment: 'prod', page: 'all' },
  'list-service-accounts': {},
  // Its first request asks for the environment.
  'report-environment': { environment: 'prod', artifacts: `web@sha256:${fingerprintOf('a')}` },
  'get-service-account': { 'service-account': 'ci' },
};

let workspace: TemporaryWorkspace;

beforeAll(async () => {
  workspace = await temporaryWorkspace();
  await writeReports(workspace);
});

afterAll(() => workspace.remove());

interface Run {
  readonly context: StepContext;
  readonly log: CollectingLog;
  /** How long the step has been running, in milliseconds. */
  readonly elapsed: () => number;
}

/** A step whose waits pass at once and in order, deadlines included. */
function openStep(inputs: Readonly<Record<string, string>>, transport: Transport): Run {
  const { context, log } = openTestStep({
    inputs: { ...connection, ...inputs },
    transport,
    directory: workspace.path,
  });
  const clock = instantClock({ maximumWait: Number.POSITIVE_INFINITY });
  return { context: { ...context, clock }, log, elapsed: () => clock.now() - startOfTime };
}

/** Answers for GitHub; the service never answers. */
function silentService(): Transport {
  const answersOfGitHub = pullRequestAnswers(shas.head);
  const service = silentTransport();
  const github = answeringTransport(({ url }) => {
    const reply = answersOfGitHub[url.pathname + url.search];
    return reply === undefined || typeof reply === 'string'
      ? jsonAnswer(404, {})
      : jsonAnswer(reply.status, reply.body);
  });
  return {
    ...service,
    send: (request, signal) => (request.url.host === 'api.github.com' ? github : service).send(request, signal),
  };
}

describe('a step whose service accepts connections and never answers', () => {
  // Kept evidence that cannot be delivered has its own tests.
  const operations = allOperationNames.filter((name) => name !== 'replay');

  it.each(operations)('ends within 90 s: %s', async (operation) => {
    const inputs = readingSteps[operation] ?? writingSteps[operation]?.inputs(0);
    const { context, elapsed } = openStep({ ...inputs, operation }, silentService());
    const end = await runOperation(context).then(
      ({ result }) => result.failure,
      (thrown: unknown) => thrown,
    );
    expect(end).toMatchObject({ kind: 'external', message: expect.stringContaining('no complete answer within') });
    expect(elapsed()).toBeGreaterThanOrEqual(60_000);
    expect(elapsed()).toBeLessThanOrEqual(90_000);
  });
});

describe('a step that keeps several artifacts of a service that never answers', () => {
  it('waits for the service once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    await workspace.write('SHA256SUMS', names.map((name) => `${fingerprintOf(name)}  ${name}.tgz\n`).join(''));
    const inputs = { operation: 'attest-artifact', flow: 'web', 'checksums-path': 'SHA256SUMS', 'on-outage': 'keep' };
    const { context, elapsed } = openStep(inputs, silentService());
    // The names of the items are random.
    const { result } = await runOperation({ ...context, random: seededRandom(1) });
    expect(result).toMatchObject({ outcome: 'kept' });
    expect(await readdir(join(workspace.path, 'spool'))).toHaveLength(names.length);
    expect(elapsed()).toBeLessThanOrEqual(90_000);
  });
});

describe('the patience of a step', () => {
  const lookUp = { operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };
  const artifact = jsonAnswer(200, anArtifact({ fingerprint: fingerprintOf('a') }));
  const page: HttpResponse = { status: 200, headers: { 'content-type': 'text/html' }, text: '<html>Sign in</html>' };

  function answeringWith(...answers: readonly [HttpResponse, ...HttpResponse[]]) {
    let asked = 0;
    return answeringTransport(() => answers[Math.min(asked++, answers.length - 1)] ?? answers[0]);
  }

  it.each([
    ['60 s by default', {}, 60_000],
    ['that of `retry-for`', { 'retry-for': '5m' }, 300_000],
    ['that of `retry-for`, even if `retries` is given', { 'retry-for': '90s', retries: '1' }, 90_000],
    ['a number of retries if only `retries` is given', { retries: '2' }, 1500],
  ])('is %s', async (_what, inputs, patience) => {
    const { context, elapsed } = openStep(
      { ...lookUp, ...inputs },
      answeringWith(jsonAnswer(503, { message: 'Busy' })),
    );
    expect(await failureOf(runOperation(context))).toMatchObject({ facts: { status: 503 } });
    expect(Math.abs(elapsed() - patience)).toBeLessThanOrEqual(1);
  });

  it('covers a service that is restarted, with a line in the log for each attempt', async () => {
    const down = jsonAnswer(502, {});
    const { context, log } = openStep(lookUp, answeringWith(down, down, down, artifact));
    await expect(runOperation(context)).resolves.toMatchObject({ result: { outcome: 'compliant' } });
    expect(log.infos.filter((line) => line.startsWith('get-artifact: '))).toEqual([
      'get-artifact: attempt 1, failing for 0.0 s: the answer was 502; trying again in 0.5 s, at 03:04:05 UTC, and then until 03:05:05 UTC',
      'get-artifact: attempt 2, failing for 0.5 s: the answer was 502; trying again in 1.0 s, at 03:04:06 UTC, and then until 03:05:05 UTC',
      'get-artifact: attempt 3, failing for 1.5 s: the answer was 502; trying again in 2.0 s, at 03:04:08 UTC, and then until 03:05:05 UTC',
    ]);
  });

  it('caps a `Retry-After` of days', async () => {
    const busy = jsonAnswer(503, { message: 'Busy' }, { 'retry-after': '259200' });
    const transport = answeringWith(busy, artifact);
    const { context, elapsed } = openStep(lookUp, transport);
    await expect(runOperation(context)).resolves.toMatchObject({ result: { outcome: 'compliant' } });
    expect(elapsed()).toBe(59_999);
  });

  it('covers a garbled answer to the login, of a step that reads and of one that writes', async () => {
    const variables = {
      ACTIONS_ID_TOKEN_REQUEST_URL: 'https://actions.example.com/token',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
    };
    for (const inputs of [
      lookUp,
      { operation: 'attest-generic', flow: 'web', 'attestation-name': 'scan', compliant: 'true' },
    ]) {
      const logins: HttpRequest[] = [];
      const transport = answeringTransport((request) => {
        if (request.url.host === 'actions.example.com') return jsonAnswer(200, { value: 'identity-token' });
        if (!request.url.pathname.endsWith('/login/acme'))
          return request.method === 'GET' ? artifact : jsonAnswer(201, 'OK');
        logins.push(request);
        return logins.length < 3 ? page : loggedIn;
      });
      const { context } = openTestStep({
        inputs: { 'base-url': connection['base-url'], org: 'acme', ...inputs },
        transport,
        variables,
        directory: workspace.path,
      });
      await expect(runOperation(context)).resolves.toMatchObject({ result: { outcome: 'compliant' } });
      expect(logins).toHaveLength(3);
    }
  });

  it('does not make `wait` give up at a garbled answer', async () => {
    const incomplete = jsonAnswer(200, anArtifact({ fingerprint: fingerprintOf('a'), state: 'INCOMPLETE' }));
    const { context, log } = openStep({ ...lookUp, wait: '600' }, answeringWith(incomplete, page, page, artifact));
    await expect(runOperation(context)).resolves.toMatchObject({ result: { outcome: 'compliant' } });
    expect(log.text()).toContain('the answer was 200 with an HTML page of 20 bytes instead of JSON');
  });

  it('is not spent on a wrong `base-url`, whose pages are no answers of the service', async () => {
    const transport = answeringWith(page);
    const { context, elapsed } = openStep({ ...lookUp, wait: '600' }, transport);
    expect((await failureOf(runOperation(context))).message).toContain('(after 6 attempts)');
    expect(transport.requests).toHaveLength(6);
    expect(elapsed()).toBe(15_500);
  });
});

const loggedIn = jsonAnswer(201, {
  ...{ id: 'one', key: 'key-1', created_at: 1000, expires_at: 1900, rules: ['deploy'] },
  proven: {
    ...{ issuer: 'https://issuer.example.com', subject: 's', repository: 'acme/web', repository_id: '1' },
    ...{ run_id: '1', run_attempt: '1', event_name: 'push', ref: 'refs/heads/main' },
  },
});
