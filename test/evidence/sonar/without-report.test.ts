import { afterEach, describe, expect, it } from '@jest/globals';
import { parseTaskUrl } from '../../../src/evidence/sonar/report-task.ts';
import { failureOf } from '../../support/failures.ts';
import { analysedCommit, finishedTask, projectKey, taskId } from '../../support/sonar-analysis.ts';
import { openSonarJob, type SonarJob } from '../../support/sonar-job.ts';

let job: SonarJob | undefined;
afterEach(async () => {
  await job?.close();
  job = undefined;
});

const main = { key: projectKey, branch: undefined, pullRequest: undefined };
const other = 'e'.repeat(40);

/** The lists in which the analysis of a project is looked up, and the pull request. */
const lists = { 'api/project_analyses/search': undefined, 'api/project_pull_requests/list': '12' };

const missing = (msg: string) => ({
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ errors: [{ msg }] }),
});

describe('the analysis of a background task', () => {
  it('is read without a report, from the server in the URL', async () => {
    job = await openSonarJob({ contextPath: '/sonarqube' });
    const taskUrl = `${job.sonar.url}/api/ce/task?id=${taskId}`;
    await expect(job.gather({ taskUrl })).resolves.toMatchObject({
      results: { taskId, revision: analysedCommit, project: { key: projectKey }, qualityGate: { status: 'OK' } },
      // The job of the scan could have named any server.
      confirmedBy: "Sonar's list of analyses, on the server that the scan names",
    });
    const elsewhere = `https://evil.example.com/api/ce/task?id=${taskId}`;
    await expect(job.gather({ taskUrl: elsewhere, hostUrl: job.sonar.url })).resolves.toMatchObject({
      results: { taskId, serverUrl: job.sonar.url },
      confirmedBy: "Sonar's list of analyses",
    });
  });

  it('is refused for another commit, with the name of the input', async () => {
    job = await openSonarJob();
    const taskUrl = `${job.sonar.url}/api/ce/task?id=${taskId}`;
    const failure = await failureOf(job.gather({ taskUrl, expected: { sha: other, committedAt: undefined } }));
    expect(failure).toMatchObject({ problems: [{ input: 'sonar-task-url' }] });
    expect(failure.message).toContain(`is for commit ${analysedCommit}`);
  });

  it('needs the URL of a task', () => {
    for (const url of ['https://sonar.example.com/dashboard?id=a', 'https://sonar.example.com/api/ce/task?key=a'])
      expect(() => parseTaskUrl(url)).toThrow('is not the URL of a background task');
  });
});

describe('the analysis of a project', () => {
  it('has the name of the project, and the background task if that is its last', async () => {
    job = await openSonarJob();
    const gather = async () => (await job?.gather({ project: main, hostUrl: job.sonar.url }))?.results;
    const named = { key: projectKey, name: 'Widgets' };
    await expect(gather()).resolves.toMatchObject({ taskId, status: 'SUCCESS', project: named });

    const [failed, of] = [{ status: 'FAILED' }, { analysisId: 'AXnewer' }];
    for (const later of [failed, of]) {
      job.sonar.state.tasks = { [taskId]: [finishedTask()], later: [finishedTask({ id: 'later', ...later })] };
      const results = await gather();
      expect(results?.project).toMatchObject(named);
      expect(results).not.toHaveProperty('taskId');
      expect(results).not.toHaveProperty('status');
    }
  });

  it.each([
    ['does not answer', { cut: true }],
    ['refuses it', { status: 403 }],
  ])('is complete without them if Sonar %s', async (_what, reply) => {
    job = await openSonarJob();
    job.sonar.instead('api/ce/component', ...Array.from({ length: 30 }, () => reply));
    const { results } = await job.gather({ project: main, hostUrl: job.sonar.url });
    expect(results).toMatchObject({ revision: analysedCommit, qualityGate: { status: 'OK' } });
    expect(results.project).not.toHaveProperty('name');
  });

  it('is an error if Sonar has none of the commit', async () => {
    job = await openSonarJob();
    const failure = await failureOf(
      job.gather({ project: main, hostUrl: job.sonar.url, expected: { sha: other, committedAt: undefined } }),
    );
    expect(failure.message).toBe(
      `Sonar lists no analysis of commit ${other} for the main branch of project ${projectKey}`,
    );
  });

  it('is an error if the token may not see it', async () => {
    job = await openSonarJob();
    const failure = await failureOf(
      job.gather({ project: main, hostUrl: job.sonar.url, token: 'sqp_analysis_token_0123' }),
    );
    expect(failure.message).toContain('Sonar does not show the analyses of the project to `sonar-token` (403');
    expect(failure.remedy).toContain('analysis tokens may never browse');
    expect(failure.remedy).not.toContain('sonar.scm.revision');
  });

  it.each([
    ['the token is not valid', { status: 401 }, 'Check that `sonar-token` is a token of this Sonar server'],
    [
      'there is no Sonar server',
      { status: 404, headers: { 'content-type': 'text/html' } },
      "Add the server's context path",
    ],
    ['the project does not exist', missing("Component key 'x' not found"), 'that it has the project and the branch'],
    ['the request is not valid', { ...missing("Can't find it"), status: 400 }, 'Check that `sonar-host-url`'],
    ['the server cannot answer', { ...missing('Not implemented'), status: 501 }, 'Try again later'],
  ])('is an error that says what to correct if %s', async (_what, reply, remedy) => {
    job = await openSonarJob();
    for (const [path, pullRequest] of Object.entries(lists)) {
      job.sonar.instead(path, ...Array.from({ length: 3 }, () => reply));
      const failure = await failureOf(job.gather({ project: { ...main, pullRequest }, hostUrl: job.sonar.url }));
      expect(failure.message).toContain(job.sonar.url);
      expect(failure.message).toContain(` ${reply.status}`);
      expect(failure.remedy).toContain(remedy);
    }
  });

  it('is that of a pull request only if its latest analysis is of the commit', async () => {
    const listed = { key: '12', analysisDate: '2023-05-25T10:34:19+0200', commit: { sha: analysedCommit } };
    const state = {
      pullRequests: { [projectKey]: [listed] },
      tasks: { [taskId]: [finishedTask({ pullRequest: '12' })] },
    };
    job = await openSonarJob({ state });
    const project = { ...main, pullRequest: '12' };
    const gate = JSON.stringify({ projectStatus: { status: 'ERROR', conditions: [] } });
    const json = { 'content-type': 'application/json' };
    job.sonar.instead('api/qualitygates/project_status', { status: 200, headers: json, body: gate });
    await expect(job.gather({ project, hostUrl: job.sonar.url })).resolves.toMatchObject({
      results: { pullRequest: '12', taskId, revision: analysedCommit, qualityGate: { status: 'ERROR' } },
      confirmedBy: "Sonar's list of pull requests",
    });
    const expected = { sha: other, committedAt: undefined };
    const failure = await failureOf(job.gather({ project, hostUrl: job.sonar.url, expected }));
    expect(failure.message).toContain(`its latest analysis is for commit ${analysedCommit}`);
  });

  it.each([
    ['date', { analysisDate: '2023-05-25T11:00:00+0200' }],
    ['commit', { commit: { sha: other } }],
  ])('is an error if the pull request was analysed again meanwhile, which its %s shows', async (_what, change) => {
    const listed = { key: '12', analysisDate: '2023-05-25T10:34:19+0200', commit: { sha: analysedCommit } };
    const lists = [[listed], [{ ...listed, ...change }]];
    const pullRequests = {
      get [projectKey]() {
        return lists.shift() ?? [];
      },
    };
    job = await openSonarJob({ state: { pullRequests } });
    const gate = JSON.stringify({ projectStatus: { status: 'OK', conditions: [] } });
    const json = { 'content-type': 'application/json' };
    job.sonar.instead('api/qualitygates/project_status', { status: 200, headers: json, body: gate });
    const project = { ...main, pullRequest: '12' };
    const failure = await failureOf(job.gather({ project, hostUrl: job.sonar.url }));
    expect(failure.message).toContain('because it was analysed again meanwhile');
    expect(lists).toEqual([]);
  });
});
