import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActionJob, jobCommit, openActionJob } from '../support/action-job.ts';
import { anArtifact, fingerprintOf } from '../support/artifacts.ts';
import { answers } from '../support/faults.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { itWithFullDevice } from '../support/platform.ts';
import { itWithSmallDisk, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { commandsNamed } from '../support/workflow-command.ts';

let job: ActionJob;
let disk: SmallDisk | undefined;

beforeAll(async () => {
  job = await openActionJob();
  disk = mountSmallDisk(64 * 1024);
  await job.workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
});

afterAll(async () => {
  disk?.remove();
  await job.close();
});

const lookUp = { operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a'), retries: '0' };
const title = "The runner's disk is full";

/** The errors that the step shows, by title and text. */
function errorsIn(log: string): readonly (readonly [string | undefined, string])[] {
  return commandsNamed(log, 'error').map(({ properties, message }) => [properties['title'], message]);
}

describe('a step on a full disk', () => {
  it.each(['GITHUB_OUTPUT', 'RUNNER_TEMP'])('sends nothing if %s cannot be used', async (variable) => {
    const server = await startFaultyServer(answers(200, anArtifact()));
    try {
      const variables = { [variable]: '/dev/null/nowhere' };
      const result = await job.step({ ...lookUp, 'base-url': server.url.href }, { variables });
      expect(result).toMatchObject({ exitCode: 1, errorLog: '' });
      expect(errorsIn(result.log)).toEqual([['Runner error', expect.stringContaining(variable)]]);
      expect(server.requests).toEqual([]);
    } finally {
      await server.close();
    }
  });

  itWithFullDevice('sends nothing if the file of its outputs takes no byte', async () => {
    const server = await startFaultyServer(answers(200, anArtifact()));
    try {
      const variables = { GITHUB_OUTPUT: '/dev/full' };
      const result = await job.step({ ...lookUp, 'base-url': server.url.href }, { variables });
      expect(result).toMatchObject({ exitCode: 1, errorLog: '' });
      expect(errorsIn(result.log)).toEqual([[title, expect.stringMatching(/outputs.*GITHUB_OUTPUT[^]*Free space/u)]]);
      expect(commandsNamed(result.log, 'warning')).toEqual([]);
      expect(server.requests).toEqual([]);
    } finally {
      await server.close();
    }
  });

  itWithSmallDisk('hands on its verdict without the file of the answer (needs the right to mount a disk)', async () => {
    const flow = await job.flow('artifact');
    await job.report(flow, { fingerprint: fingerprintOf('a') });
    disk?.fill();
    const result = await job.step({ ...lookUp, flow }, { variables: { RUNNER_TEMP: disk?.path } });
    expect(result).toMatchObject({
      exitCode: 1,
      errorLog: '',
      outputs: { outcome: 'compliant', compliant: 'true', state: 'COMPLIANT', 'response-path': '' },
    });
    expect(result.summary).toContain('✅ Compliant');
    expect(errorsIn(result.log)).toEqual([
      [title, expect.stringMatching(/response file.*RUNNER_TEMP.*The verdict stands/u)],
    ]);
  });

  itWithSmallDisk('walks a list to its end, and hands on its verdict (needs the right to mount a disk)', async () => {
    const flow = await job.flow('artifact');
    await job.attest(flow, jobCommit, 'ERROR');
    disk?.fill();
    const inputs = { operation: 'list-attestations', flow, page: 'all' };
    const result = await job.step(inputs, { variables: { RUNNER_TEMP: disk?.path } });
    expect(result).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'non-compliant', count: '1', 'response-path': '' },
    });
    expect(errorsIn(result.log)).toEqual([[title, expect.stringContaining('RUNNER_TEMP')]]);
  });

  itWithSmallDisk(
    'blames the disk where it cannot put its archive aside, and leaves nothing of it (needs the right to mount a disk)',
    async () => {
      const flow = await job.flow('sonar');
      for (const name of ['a.bin', 'b.bin']) await job.workspace.write(name, randomBytes(512 * 1024).toString('hex'));
      const inputs = {
        operation: 'attest-sonar',
        flow,
        'sonar-report-path': 'sonar.json',
        'unverified-revision': 'warn',
        files: '*.bin',
      };
      const result = await job.step(inputs, { variables: { RUNNER_TEMP: disk?.path } });
      expect(result).toMatchObject({ exitCode: 1, errorLog: '', outputs: { outcome: 'error' } });
      expect(errorsIn(result.log)).toEqual([[title, expect.stringMatching(/archive of the files.*RUNNER_TEMP/u)]]);
      expect(result.log).not.toContain('Defect');
    },
  );
});
