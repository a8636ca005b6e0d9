import { describe, expect, it } from '@jest/globals';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobForAllTests } from '../support/action-job.ts';
import { anArtifact, fingerprintOf } from '../support/artifacts.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { answers, answersText, resetsBeforeTheAnswer, speaksNoHttp } from '../support/faults.ts';
import { type Fault, type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import { shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();
const opened = closeAfterEach();

const artifact = answers(200, anArtifact());
const page = answersText(200, '<html>Maintenance</html>', { 'content-type': 'text/html' });

async function run(
  inputs: Readonly<Record<string, string>>,
  ...faults: readonly [Fault, ...Fault[]]
): Promise<{ readonly result: ActionRun; readonly server: FaultyServer }> {
  const server = opened(await startFaultyServer(...faults));
  const own = { operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };
  return { result: await job.step({ ...own, 'base-url': server.url.href, ...inputs }), server };
}

describe('a step that reads, while something else answers', () => {
  it('asks again, and the log has a line for each attempt: operation, attempt, reason and pause', async () => {
    const { result } = await run({}, page, speaksNoHttp, artifact);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(shownLines(result.log).filter((line) => line.startsWith('get-artifact: '))).toEqual([
      expect.stringMatching(
        /^get-artifact: attempt 1, failing for 0\.\d s: the answer was 200 with an HTML page of 24 bytes instead of JSON; trying again in 0\.\d s, at .* UTC, and then until .* UTC$/u,
      ),
      expect.stringMatching(
        /^get-artifact: attempt 2, .*HTTP.*; trying again in \d\.\d s, at .* UTC, and then until /u,
      ),
    ]);
  });
});

describe('a step that writes, while its first answer is lost', () => {
  it('sends it again, and does not say that it did what the first attempt may have done', async () => {
    const inputs = { operation: 'delete-service-account', 'service-account': 'ci', fingerprint: '', flow: '' };
    const missing = answers(404, { message: 'Service account not found' });
    const { result, server } = await run(inputs, resetsBeforeTheAnswer, missing);
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', state: '' } });
    expect(server.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'GET']);
  });
});

describe('the patience of a step', () => {
  it('caps a `Retry-After` of days', async () => {
    const busy = answers(503, { message: 'Busy' }, { 'retry-after': '259200' });
    const { result } = await run({ 'retry-for': '2s' }, busy, artifact);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(result.log).toMatch(/the answer was 503; trying again in [12]\.\d s/u);
  });
});
