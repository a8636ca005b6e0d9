import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf } from '../../support/failures.ts';
import type { ListedAnalysis, SonarState } from '../../support/fake-sonar.ts';
import {
  analysedCommit,
  analysisId,
  committedAt,
  finishedTask,
  projectKey,
  scannerContext,
  taskId,
} from '../../support/sonar-analysis.ts';
import { openSonarJob, type SonarJob } from '../../support/sonar-job.ts';

let job: SonarJob;
afterEach(() => job.close());

const open = async (state: Partial<SonarState>): Promise<void> => {
  job = await openSonarJob({ state });
  await job.report();
};
const asked = (path: string) => job.sonar.requests.filter((request) => request.path === `/${path}`);
const executedAt = '2023-05-25T10:34:25+0200';
const otherCommit = 'b'.repeat(40);
const expectedOther = { sha: otherCommit, committedAt };

/** Expects that the commit of the evidence is not confirmed, for this reason. */
const expectUnverified = async (reason: string, other: Parameters<SonarJob['gather']>[0] = {}): Promise<void> => {
  const evidence = await job.gather(other);
  expect(evidence.results).not.toHaveProperty('revision');
  expect(evidence.unverifiedReason).toContain(reason);
  expect(job.log.warnings).toEqual([
    expect.stringContaining(
      `revision not verified: nothing confirms that the Sonar analysis is for commit ${analysedCommit}. `,
    ),
  ]);
  expect(job.log.warnings[0]).toContain(reason);
};

describe('the analysis of a branch', () => {
  const onBranch = finishedTask({ branch: 'release/1.0', branchType: 'BRANCH' });

  it('is looked up on its branch', async () => {
    const analysis: ListedAnalysis = {
      project: projectKey,
      branch: 'release/1.0',
      key: analysisId,
      date: '2023-05-25T10:34:20+0200',
      revision: analysedCommit,
    };
    await open({ tasks: { [taskId]: [onBranch] }, analyses: [analysis] });
    const { results, unverifiedReason } = await job.gather();
    expect(unverifiedReason).toBeUndefined();
    expect(results.revision).toBe(analysedCommit);
    expect(results.analysedAt).toBe('2023-05-25T10:34:20+0200');
    expect(results.branch).toEqual({ name: 'release/1.0', type: 'BRANCH' });
    expect(asked('api/project_analyses/search')[0]?.query['branch']).toBe('release/1.0');
  });

  const analyses = (count: number): readonly ListedAnalysis[] => [
    ...Array.from({ length: count }, (_, index) => ({
      project: projectKey,
      key: `newer-${index}`,
      date: '2024-01-01T00:00:00+0000',
      revision: otherCommit,
    })),
    { project: projectKey, key: analysisId, date: '2023-05-25T10:34:20+0200', revision: analysedCommit },
  ];

  it('is unverified, not refused, if there are more pages than are read', async () => {
    await open({ analyses: analyses(500) });
    await expectUnverified('not among the newest 500 of the main branch');
    expect(asked('api/project_analyses/search')).toHaveLength(5);
  });

  it('is refused if the list was read to its end without it', async () => {
    await open({ analyses: analyses(100).slice(0, 100) });
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`Sonar does not list the analysis ${analysisId} (${job.workspace.path}`);
    expect(failure.message).toContain(`for the main branch of project ${projectKey}`);
    expect(failure.remedy).toContain('run the scan again');
    expect(asked('api/project_analyses/search')).toHaveLength(1);
    expect(asked('api/qualitygates/project_status')).toEqual([]);
  });

  it('is refused if the list is empty, even if the scan has a revision', async () => {
    await open({ analyses: [], scannerContexts: { [taskId]: scannerContext(analysedCommit) } });
    expect((await failureOf(job.gather())).message).toContain('Sonar does not list the analysis');
  });

  it('is refused if its branch was deleted', async () => {
    await open({ tasks: { [taskId]: [onBranch] }, deletedBranches: ['release/1.0'] });
    expect((await failureOf(job.gather())).message).toContain("on branch 'release/1.0' not found");
  });

  it('is an error if the response has no list', async () => {
    await open({});
    job.sonar.instead('api/project_analyses/search', { headers: { 'content-type': 'application/json' }, body: '{}' });
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain('JSON without a list of `analyses`');
  });

  it('of another commit is refused before its gate is requested', async () => {
    await open({});
    const failure = await failureOf(job.gather({ expected: expectedOther }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`project ${projectKey} (${job.workspace.path}`);
    expect(failure.message).toContain(
      `is for commit ${analysedCommit}, but the commit being attested is ${otherCommit}`,
    );
    expect(asked('api/qualitygates/project_status')).toEqual([]);
  });
});

describe('the analysis that the token may not see', () => {
  const token = 'sqp_analysis_token_0123';

  it('is attested as unverified, without calling the token invalid', async () => {
    await open({});
    await expectUnverified('Sonar does not show the analyses of the project to `sonar-token` (403:', { token });
    const { results } = await job.gather({ token });
    expect(results.qualityGate.status).toBe('OK');
    expect(results.analysedAt).toBe(executedAt);
    expect(job.log.warnings[1]).toContain('"Browse" and "Execute Analysis"');
    expect(job.log.warnings[1]).toContain('-Dsonar.scm.revision=');
  });

  it('is refused if the public list does not have it', async () => {
    await open({ anonymous: { browse: true, execute: false }, analyses: [] });
    expect((await failureOf(job.gather({ token }))).message).toContain('Sonar does not list the analysis');
  });

  it('is requested anonymously on every page', async () => {
    const newer = Array.from({ length: 120 }, (_, index) => ({ project: projectKey, key: `${index}`, date: '' }));
    const own = { project: projectKey, key: analysisId, date: executedAt, revision: analysedCommit };
    await open({ anonymous: { browse: true, execute: false }, analyses: [...newer, own] });
    expect((await job.gather({ token })).results.revision).toBe(analysedCommit);
    const tokens = asked('api/project_analyses/search').map(({ authorization }) => authorization);
    const withToken = 'Bearer sqp_analysis_token_0123';
    expect(tokens).toEqual([withToken, undefined, withToken, undefined]);
  });

  it('is confirmed by a revision that was set manually for the scan', async () => {
    await open({ scannerContexts: { [taskId]: scannerContext(analysedCommit) } });
    const { results, confirmedBy } = await job.gather({ token, hostUrl: job.sonar.url });
    expect(confirmedBy).toBe('sonar.scm.revision, which the scan was given');
    expect(job.log.warnings).toEqual([]);
    expect(results).toMatchObject({ revision: analysedCommit, analysedAt: executedAt });
    expect(asked('api/ce/task').at(-1)?.query).toEqual({ id: taskId, additionalFields: 'scannerContext' });
  });
});

describe('an analysis of which Sonar says nothing, for another reason than access', () => {
  const json = { 'content-type': 'application/json' };
  const errors = JSON.stringify({ errors: [{ msg: 'No such thing' }] });

  it.each([
    ['api/project_analyses/search', 400, 'user', {}],
    ['api/project_analyses/search', 501, 'external', {}],
    ['api/project_pull_requests/list', 400, 'user', { pullRequest: '12' }],
    ['api/project_pull_requests/list', 501, 'external', { pullRequest: '12' }],
  ])('is an error, not unverified, if %s is answered with %i', async (path, status, kind, other) => {
    await open({ tasks: { [taskId]: [finishedTask(other)] } });
    job.sonar.instead(path, { status, headers: json, body: errors });
    const failure = await failureOf(job.gather());
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(`with ${status}: No such thing`) });
    expect(job.log.warnings).toEqual([]);
  });

  it('is an error, not unverified, if the scanner context is answered with 501', async () => {
    await open({});
    const task = { headers: json, body: JSON.stringify({ task: finishedTask() }) };
    job.sonar.instead('api/ce/task', task, { status: 501, headers: json, body: errors });
    const failure = await failureOf(job.gather({ token: 'sqp_analysis_token_0123' }));
    expect(failure).toMatchObject({ kind: 'external', message: expect.stringContaining('with 501: No such thing') });
    expect(asked('api/ce/task').at(-1)?.query).toHaveProperty('additionalFields', 'scannerContext');
    expect(job.log.warnings).toEqual([]);
  });

  it('is unverified if the scanner context may not be seen', async () => {
    await open({});
    const task = { headers: json, body: JSON.stringify({ task: finishedTask() }) };
    job.sonar.instead('api/ce/task', task, { status: 403, headers: json, body: errors });
    await expectUnverified('Sonar does not show the analyses', { token: 'sqp_analysis_token_0123' });
  });
});

describe('an unconfirmed analysis', () => {
  const token = 'sqp_analysis_token_0123';
  const submitted = Date.parse('2023-05-25T10:34:21+02:00') / 1000;
  const gatherFor = (committed: number | undefined) =>
    job.gather({ token, expected: { sha: analysedCommit, committedAt: committed } });

  it.each([599, 600])('may be of a commit made %i seconds after the submission', async (later) => {
    await open({});
    const { unverifiedReason } = await gatherFor(submitted + later);
    expect(unverifiedReason).not.toContain('older');
  });

  it.each([601, 1e15])('is refused for a commit made %i seconds after the submission', async (later) => {
    await open({});
    const failure = await failureOf(gatherFor(submitted + later));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(
      `was submitted at 2023-05-25T08:34:21.000Z, more than 10 minutes before the commit being attested, ${analysedCommit}, was made`,
    );
    expect(failure.remedy).toContain('clean the workspace');
  });

  it.each([
    ["the commit's committer date", undefined, {}],
    ['the time when the report was submitted', submitted, { submittedAt: 'yesterday' }],
  ])('says that %s is not known, so its age could not be checked', async (what, committed, other) => {
    await open({ tasks: { [taskId]: [finishedTask(other)] } });
    const { unverifiedReason } = await gatherFor(committed);
    expect(unverifiedReason).toContain(
      `Whether the analysis is older than the commit could not be checked, because ${what} is not known.`,
    );
  });
});

describe('the analysis of a pull request', () => {
  const ofPullRequest = (other: Record<string, unknown> = {}): Partial<SonarState> => ({
    tasks: { [taskId]: [finishedTask({ pullRequest: '12' })] },
    analyses: [],
    pullRequests: {
      [projectKey]: [
        { key: '11', analysisDate: '2023-05-25T10:34:20+0200', commit: { sha: otherCommit } },
        {
          key: '12',
          title: 'Widen the widgets',
          branch: 'feature',
          base: 'main',
          status: { qualityGateStatus: 'OK' },
          analysisDate: '2023-05-25T10:34:20+0200',
          commit: { sha: analysedCommit },
          ...other,
        },
      ],
    },
  });

  it('is found by the number of the pull request, which an analysis token may see', async () => {
    await open(ofPullRequest());
    const { results, unverifiedReason } = await job.gather({ token: 'sqp_analysis_token_0123' });
    expect(unverifiedReason).toBeUndefined();
    expect(job.log.warnings).toEqual([]);
    expect(results).toMatchObject({
      analysedAt: '2023-05-25T10:34:20+0200',
      revision: analysedCommit,
      pullRequest: '12',
    });
    expect(results).not.toHaveProperty('branch');
    expect(asked('api/project_analyses/search')).toEqual([]);
    expect(asked('api/qualitygates/project_status')[0]?.query).toEqual({ analysisId });
  });

  it('has a page of its own if the report names none', async () => {
    await open(ofPullRequest());
    await job.report({ dashboardUrl: undefined });
    expect((await job.gather()).dashboardUrl).toBe(`${job.sonar.url}/dashboard?id=acme%3Awidgets&pullRequest=12`);
  });

  it('is refused if the list does not have the pull request', async () => {
    await open(ofPullRequest({ key: '13' }));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`Sonar does not list the analysis ${analysisId}`);
    expect(failure.message).toContain('for pull request 12');
  });

  const later = { analysisDate: '2023-05-25T11:00:00+0200', commit: { sha: otherCommit } };

  it.each([
    ['the list holds a later analysis', later, 'only the latest analysis of pull request 12'],
    ['the list has no commit', { commit: undefined }, 'Sonar has no revision for this analysis'],
  ])('is unverified if %s', async (_what, other, reason) => {
    await open(ofPullRequest(other));
    await expectUnverified(reason);
  });

  it('is unverified if Sonar returns only a part of the list', async () => {
    await open(ofPullRequest());
    const body = JSON.stringify({ paging: { total: 2 }, pullRequests: [{ key: '11' }] });
    job.sonar.instead('api/project_pull_requests/list', { headers: { 'content-type': 'application/json' }, body });
    await expectUnverified('only the latest analysis of pull request 12');
  });

  it('is unverified on an edition without pull requests', async () => {
    await open({ ...ofPullRequest(), pullRequests: {} });
    await expectUnverified('Sonar does not show the pull requests of the project to `sonar-token` (404:');
    expect((await job.gather()).results.analysedAt).toBe(executedAt);
  });
});
