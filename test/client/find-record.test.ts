import { describe, expect, it } from '@jest/globals';
import { ComplianceClient } from '../../src/client/client.ts';
import { findRecord } from '../../src/client/find-record.ts';
import { reportArtifact } from '../../src/contract/artifact-report.ts';
import { type AnsweringTransport, answeringTransport, jsonAnswer } from '../support/answering-transport.ts';
import { instantClock, startOfTime } from '../support/clock.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { failureOf } from '../support/failures.ts';
import { answers, resetsBeforeTheAnswer } from '../support/faults.ts';
import type { Fault, FaultyServer } from '../support/faulty-server.ts';
import { httpFixture } from '../support/http-fixture.ts';
import { collectingLog } from '../support/log.ts';

const sent = {
  key: 'attest-sonar-1',
  parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
  document: {},
  file: undefined,
  since: startOfTime,
};

function find(transport: AnsweringTransport): Promise<unknown> {
  const connection = { baseUrl: new URL('https://compliance.example.com/api/v2'), apiToken: 'a-key' };
  const client = new ComplianceClient(
    { ...connection, authenticationMethod: 'bearer', filePartStyle: 'indexed' },
    {
      ...{ clock: instantClock(), random: () => 0, log: collectingLog(), transport },
      retryPolicy: { requestTimeout: 60_000, retries: 0 },
    },
  );
  return findRecord('attestation list', sent, client);
}

/** A list of pages, each with the keys of its attestations. */
function listOf(...pages: readonly (readonly string[])[]): AnsweringTransport {
  return answeringTransport(({ url }) => {
    const page = Number(url.searchParams.get('page'));
    const data = (pages[page - 1] ?? []).map((key) => ({ attestation_id: key, user_data: { idempotency_key: key } }));
    return jsonAnswer(200, { data, pagination: { total: 9, page, per_page: 100, page_count: pages.length } });
  });
}

describe('the look-up of an attestation', () => {
  it('finds the attestation by its key on any page, since shortly before it was sent', async () => {
    const transport = listOf(['a', 'b'], ['c', sent.key], ['d']);
    await expect(find(transport)).resolves.toMatchObject({ attestation_id: sent.key });
    expect(transport.requests.map(({ url }) => url.search)).toEqual([
      `?page=1&per_page=100&from_timestamp=${startOfTime / 1000 - 3600}`,
      `?page=2&per_page=100&from_timestamp=${startOfTime / 1000 - 3600}`,
    ]);
  });

  it('does not find another one', async () => {
    await expect(find(listOf(['a'], ['b']))).resolves.toBeUndefined();
    await expect(find(listOf())).resolves.toBeUndefined();
  });

  it('does not say that it is missing if the list has no end', async () => {
    const endless = listOf(...Array.from({ length: 101 }, () => ['a']));
    await expect(find(endless)).rejects.toThrow('could not be read to its end');
    await expect(find(listOf([], ['a']))).rejects.toThrow('could not be read to its end');
  });
});

const { startServer, openClient } = httpFixture(closeAfterEach());
const fingerprint = 'ab'.repeat(32);
const recorded = answers(201, { message: 'OK' });
const unknown = answers(404, { message: `Artifact with fingerprint '${fingerprint}' does not exist` });
const reportOf = (key: string): Fault => answers(200, { fingerprint, user_data: { idempotency_key: key } });

function report(server: FaultyServer, key?: string): Promise<unknown> {
  return openClient(server.url).client.call(reportArtifact, {
    parameters: { org: 'acme', flow_name: 'web' },
    document: {
      fingerprint,
      filename: 'web.tgz',
      git_commit: 'a'.repeat(40),
      trail_name: 'v1',
      build_url: '',
      commit_url: '',
    },
    ...(key === undefined ? {} : { key }),
  });
}

const methodsOf = ({ requests }: FaultyServer): readonly string[] => requests.map(({ method }) => method);

describe('a report of an artifact', () => {
  it('carries its key in its data, and is found by it in its trail', async () => {
    const server = await startServer(resetsBeforeTheAnswer, reportOf('7-own'));
    await expect(report(server, '7-own')).resolves.toMatchObject({ source: 'look-up', body: { fingerprint } });
    expect(server.requests[0]?.body().toString()).toContain('"user_data":{"idempotency_key":"7-own"}');
    expect(server.requests[1]?.target).toContain(`/artifacts/acme/web/fingerprint/${fingerprint}?trail=v1`);
    expect(methodsOf(server)).toEqual(['POST', 'GET']);
  });

  it.each<readonly [string, Fault]>([
    ['the service does not know the artifact', unknown],
    ['the latest report is another one', reportOf('7-other')],
    ['the latest report has no key, because a second one does no harm', answers(200, { fingerprint })],
  ])('is sent again after a refusal if %s', async (_title, look) => {
    const server = await startServer(answers(503, {}, { 'retry-after': '1' }), look, recorded);
    await expect(report(server)).resolves.toMatchObject({ status: 201 });
    expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST']);
  });

  it('is red, with what to do, if it may have arrived and is not found', async () => {
    const server = await startServer(resetsBeforeTheAnswer, unknown);
    const failure = await failureOf(report(server));
    expect(failure.message).toContain('The service may still have recorded it. It was not found there yet.');
    expect(failure.remedy).toMatch(/^Run the job again unless the trail shows the artifact/u);
  });
});
