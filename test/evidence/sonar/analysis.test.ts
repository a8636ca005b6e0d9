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

  it('is found on a later page, and no further page is requested', async () => {
    await open({ analyses: [...analyses(150), ...analyses(300)] });
    expect((await job.gather()).unverifiedReason).toBeUndefined();
    expect(asked('api/project_analyses/search').map(({ query }) => query['p'])).toEqual(['1', '2']);
  });

  it('is found at the end of the last page that is read', async () => {
    await open({ analyses: analyses(499) });
    expect((await job.gather()).unverifiedReason).toBeUndefined();
  });

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

  it('without a revision is attested without one', async () => {
    await open({ analyses: [{ project: projectKey, key: analysisId, date: '2023-05-25T10:34:20+0200' }] });
    await expectUnverified('Sonar has no revision for this analysis');
    expect((await job.gather()).results.analysedAt).toBe('2023-05-25T10:34:20+0200');
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

  it('is recorded with the revision as Sonar has it, even if that is abbreviated', async () => {
    const revision = analysedCommit.slice(0, 10).toUpperCase();
    await open({ analyses: [{ project: projectKey, key: analysisId, date: executedAt, revision }] });
    expect((await job.gather()).results.revision).toBe(revision);
  });

  it('is not treated as unverified if the server has an error', async () => {
    await open({});
    job.sonar.instead('api/project_analyses/search', ...Array.from({ length: 100 }, () => ({ status: 502 })));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain('with 502: an empty body');
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

  it('is read without the token if the project is public', async () => {
    await open({ anonymous: { browse: true, execute: false } });
    const { results, unverifiedReason } = await job.gather({ token });
    expect(unverifiedReason).toBeUndefined();
    expect(results).toMatchObject({ revision: analysedCommit, analysedAt: '2023-05-25T10:34:19+0200' });
    expect(asked('api/project_analyses/search').map(({ authorization }) => authorization)).toEqual([
      'Bearer sqp_analysis_token_0123',
      undefined,
    ]);
    expect(asked('api/qualitygates/project_status')[0]?.authorization).toBe('Bearer sqp_analysis_token_0123');
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
    expect(tokens).toEqual(['Bearer sqp_analysis_token_0123', undefined, undefined]);
  });

  it.each([
    ['sent to a login page', { status: 302, headers: { location: 'https://login.example.com/' } }],
    ['shown a login page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['refused', { status: 401 }],
  ])('stays unverified if an anonymous request is %s', async (_what, reply) => {
    await open({});
    const headers = { 'content-type': 'application/json' };
    const body = '{"errors":[{"msg":"Insufficient privileges"}]}';
    job.sonar.instead('api/project_analyses/search', { status: 403, headers, body }, reply);
    await expectUnverified('(403: Insufficient privileges)', { token });
  });

  it('is confirmed by a revision that was set manually for the scan', async () => {
    await open({ scannerContexts: { [taskId]: scannerContext(analysedCommit) } });
    const { results, confirmedBy } = await job.gather({ token, hostUrl: job.sonar.url });
    expect(confirmedBy).toBe('sonar.scm.revision, which the scan was given');
    expect(job.log.warnings).toEqual([]);
    expect(results).toMatchObject({ revision: analysedCommit, analysedAt: executedAt });
    expect(asked('api/ce/task').at(-1)?.query).toEqual({ id: taskId, additionalFields: 'scannerContext' });
  });

  it('is refused if another revision was set manually for the scan', async () => {
    await open({ scannerContexts: { [taskId]: scannerContext(otherCommit) } });
    expect((await failureOf(job.gather({ token }))).message).toContain(`is for commit ${otherCommit}`);
  });

  it('is refused with `unverified-revision: fail`, before its gate is requested', async () => {
    await open({});
    const failure = await failureOf(job.gather({ token, unverifiedRevision: 'fail' }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`revision not verified: nothing confirms that the Sonar analysis of project`);
    expect(failure.message).toContain('`unverified-revision` is `fail`');
    expect(failure.message).toContain('(403: Insufficient privileges)');
    expect(failure.remedy).toContain('Use a user token');
    expect(asked('api/qualitygates/project_status')).toEqual([]);
  });
});

describe('an unconfirmed analysis', () => {
  const token = 'sqp_analysis_token_0123';
  const submitted = Date.parse('2023-05-25T10:34:21+02:00') / 1000;
  const gatherFor = (committed: number | undefined) =>
    job.gather({ token, expected: { sha: analysedCommit, committedAt: committed } });

  it.each([-86_400, 0, 599, 600])('may be of a commit made %i seconds after the submission', async (later) => {
    await open({});
    const { unverifiedReason } = await gatherFor(submitted + later);
    expect(unverifiedReason).not.toContain('older');
  });

  it.each([601, 86_400, 1e15])('is refused for a commit made %i seconds after the submission', async (later) => {
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
    ['the time when the report was submitted', submitted, { submittedAt: undefined }],
    ['the time when the report was submitted', submitted, { submittedAt: 'yesterday' }],
  ])('says that %s is not known, so its age could not be checked', async (what, committed, other) => {
    await open({ tasks: { [taskId]: [finishedTask(other)] } });
    const { unverifiedReason } = await gatherFor(committed);
    expect(unverifiedReason).toContain(
      `Whether the analysis is older than the commit could not be checked, because ${what} is not known.`,
    );
  });

  it('is the only kind whose age is checked: a confirmed analysis may be older than a rebased commit', async () => {
    await open({});
    const expected = { sha: analysedCommit, committedAt: submitted + 86_400 };
    expect((await job.gather({ expected })).unverifiedReason).toBeUndefined();
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

  it('of another commit is refused', async () => {
    await open(ofPullRequest({ commit: { sha: otherCommit } }));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`is for commit ${otherCommit}`);
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
    ['the list has no date', { analysisDate: undefined }, 'only the latest analysis of pull request 12'],
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

  it.each([
    [analysedCommit, undefined],
    [otherCommit, `is for commit ${otherCommit}`],
  ])('that a later one replaced in the list is judged by the given revision %s', async (revision, refusal) => {
    await open({ ...ofPullRequest(later), scannerContexts: { [taskId]: scannerContext(revision) } });
    if (refusal === undefined) expect((await job.gather()).results.revision).toBe(revision);
    else expect((await failureOf(job.gather())).message).toContain(refusal);
  });

  it('is unverified on an edition without pull requests', async () => {
    await open({ ...ofPullRequest(), pullRequests: {} });
    await expectUnverified('Sonar does not show the pull requests of the project to `sonar-token` (404:');
    expect((await job.gather()).results.analysedAt).toBe(executedAt);
  });
});

describe('a report', () => {
  it('of another project than its task is refused', async () => {
    await open({});
    await job.report({ projectKey: 'acme:gadgets' });
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`is for project acme:gadgets, but its background task ${taskId} is for project`);
    expect(asked('api/project_analyses/search')).toEqual([]);
  });

  it('without a project is judged by its task', async () => {
    await open({});
    await job.report({ projectKey: undefined });
    expect((await job.gather()).results.project.key).toBe(projectKey);
  });
});
