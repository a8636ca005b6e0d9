import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { anArtifact, fingerprintOf } from '../support/artifacts.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { answers, answersText, resetsBeforeTheAnswer, speaksNoHttp } from '../support/faults.ts';
import { startFaultyServer, type Fault, type FaultyServer } from '../support/faulty-server.ts';
import { shownLines } from '../support/workflow-command.ts';
import type { ActionRun } from '../../tools/run-action.ts';

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

  it('does so while it waits for a verdict, too', async () => {
    const incomplete = answers(200, anArtifact({ state: 'INCOMPLETE' }));
    const { result } = await run({ wait: '600' }, incomplete, page, artifact);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });

  it('gives up as `retries` says, and describes what it got', async () => {
    const { result, server } = await run({ retries: '1' }, page);
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      message: expect.stringMatching(/an HTML page of 24 bytes instead of JSON \(after 2 attempts\)\n.*`base-url`/u),
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a step that writes, while its first answer is lost', () => {
  it.each([resetsBeforeTheAnswer, answersText(502, '<html>Gateway</html>')])(
    'sends it again, and does not say that it did what the first attempt may have done',
    async (lost) => {
      const inputs = { operation: 'delete-service-account', 'service-account': 'ci', fingerprint: '', flow: '' };
      const { result, server } = await run(inputs, lost, answers(404, { message: 'Service account not found' }));
      expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', state: '' } });
      expect(server.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'GET']);
    },
  );
});

describe('the patience of a step', () => {
  it('is more than a service needs to restart, without any input', async () => {
    const { result, server } = await run({}, resetsBeforeTheAnswer, answersText(502, ''), artifact);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    // The last one reads the checkpoint of the log.
    expect(server.requests).toHaveLength(4);
  });

  it('caps a `Retry-After` of days', async () => {
    const busy = answers(503, { message: 'Busy' }, { 'retry-after': '259200' });
    const { result } = await run({ 'retry-for': '2s' }, busy, artifact);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(result.log).toMatch(/the answer was 503; trying again in [12]\.\d s/u);
  });
});
