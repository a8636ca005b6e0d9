import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf } from '../../support/failures.ts';
import { finishedTask, taskId, unfinishedTask } from '../../support/sonar-analysis.ts';
import { openSonarJob, type SonarJob } from '../../support/sonar-job.ts';

let job: SonarJob;
afterEach(() => job.close());

const open = async (...states: readonly Record<string, unknown>[]): Promise<void> => {
  job = await openSonarJob({ state: { tasks: { [taskId]: states } } });
  await job.report();
};

const times = <Value>(count: number, value: Value): readonly Value[] => Array.from({ length: count }, () => value);

describe("Sonar's background task", () => {
  it('is logged again every 30 seconds if nothing changes', async () => {
    await open(...times(12, unfinishedTask('PENDING')), finishedTask());
    await job.gather();
    const lines = job.log.infos.filter((line) => line.includes('PENDING'));
    expect(lines.map((line) => line.split(' after ')[1])).toEqual(['0 s', '31 s', '61 s']);
  });

  it('is polled until the time limit, and once more at the end', async () => {
    await open(unfinishedTask('PENDING'));
    const failure = await failureOf(job.gather({ timeoutMilliseconds: 10_000 }));
    expect(failure.kind).toBe('external');
    expect(failure.message).toBe(
      `Sonar's background task ${taskId} of project acme:widgets did not finish within 10 s; it is still PENDING`,
    );
    expect(failure.remedy).toContain('Raise `sonar-timeout`');
    expect(failure.remedy).toContain('/project/background_tasks?id=acme%3Awidgets');
    expect(job.clock.waits.reduce((sum, wait) => sum + wait)).toBe(10_000);
    expect(job.sonar.requests).toHaveLength(job.clock.waits.length + 1);
  });

  it('is requested once if the time limit is 0', async () => {
    await open(finishedTask());
    expect((await job.gather({ timeoutMilliseconds: 0 })).results.qualityGate.status).toBe('OK');
  });

  it("that failed is an error with Sonar's own words and the page to look at", async () => {
    const errorMessage = 'Fail to extract report: No space left on device';
    await open(unfinishedTask('PENDING'), {
      ...unfinishedTask('PENDING'),
      status: 'FAILED',
      errorMessage,
      errorType: 'PLUGIN',
    });
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toBe(
      `Sonar's background task ${taskId} of project acme:widgets failed: ${errorMessage} (PLUGIN)`,
    );
    expect(failure.remedy).toContain(`${job.sonar.url}/project/background_tasks?id=acme%3Awidgets`);
  });

  it('that was cancelled is an error', async () => {
    await open({ id: taskId, status: 'CANCELED' });
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toBe(`Sonar's background task ${taskId} was cancelled`);
  });

  it('with an unknown status is polled until it ends, and is then an error that names the status', async () => {
    await open({ ...unfinishedTask('PENDING'), status: 'ARCHIVING' }, finishedTask({ status: 'DISCARDED' }));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain('ended with the status DISCARDED');
  });

  it.each([
    ['an analysis', finishedTask({ analysisId: undefined })],
    ['a project', finishedTask({ componentKey: undefined })],
  ])('that succeeded without %s is an error', async (what, state) => {
    await open(state);
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain(`a task that succeeded without ${what}`);
  });

  it('that the server does not know is an error with the two possible causes', async () => {
    job = await openSonarJob({ state: { tasks: {} } });
    const reportPath = await job.report();
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('user');
    expect(failure.message).toBe(
      `the Sonar server ${job.sonar.url} does not know the background task ${taskId} of ${reportPath}: No activity found for task '${taskId}'`,
    );
    expect(failure.remedy).toContain('`sonar-host-url`');
    expect(failure.remedy).toContain('left over from an earlier run');
  });
});
