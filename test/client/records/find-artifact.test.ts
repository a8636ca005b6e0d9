import { describe, expect, it } from '@jest/globals';
import { reportArtifact } from '../../../src/contract/artifact-report.ts';
import { answers, resetsBeforeTheAnswer } from '../../support/faults.ts';
import type { Fault, FaultyServer } from '../../support/faulty-server.ts';
import { closeAfterEach } from '../../support/close-after-each.ts';
import { failureOf } from '../../support/failures.ts';
import { httpFixture } from '../../support/http-fixture.ts';

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

  it('is sent again if the look-up shows that the service honours keys', async () => {
    const accepts = { 'accept-idempotency-key': '?1' };
    const missing = answers(404, { message: 'does not exist' }, accepts);
    const server = await startServer(resetsBeforeTheAnswer, missing, answers(201, { message: 'OK' }, accepts));
    await expect(report(server)).resolves.toMatchObject({ status: 201, source: 'answer' });
    expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST']);
  });

  it.each<readonly [string, Fault]>([
    ['the service does not know the artifact', unknown],
    ['the latest report is another one', reportOf('7-other')],
  ])('is sent again after a refusal if %s', async (_title, look) => {
    const server = await startServer(answers(503, {}, { 'retry-after': '1' }), look, recorded);
    await expect(report(server)).resolves.toMatchObject({ status: 201 });
    expect(methodsOf(server)).toEqual(['POST', 'GET', 'POST']);
  });

  it('is sent again if the artifact has a report without a key, because a second one does no harm', async () => {
    const server = await startServer(answers(503, {}, { 'retry-after': '1' }), answers(200, { fingerprint }), recorded);
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
