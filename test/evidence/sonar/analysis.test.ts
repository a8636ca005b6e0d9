import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf } from '../../support/failures.ts';
import { analysedCommit, analysisId, finishedTask, projectKey, taskId } from '../../support/sonar-analysis.ts';
import { openSonarJob, type SonarJob } from '../../support/sonar-job.ts';
import type { ListedAnalysis, SonarWorld } from '../../support/sonar-server.ts';

let job: SonarJob;
afterEach(() => job.close());

const open = async (world: Partial<SonarWorld>): Promise<void> => {
  job = await openSonarJob({ world });
  await job.report();
};
const asked = (path: string) => job.sonar.requests.filter((request) => request.path === `/${path}`);
const executedAt = '2023-05-25T10:34:25+0200';
const otherCommit = 'b'.repeat(40);

describe('the analysis of a branch', () => {
  const onBranch = finishedTask({ branch: 'release/1.0', branchType: 'BRANCH' });

  it('is looked for on its branch', async () => {
    const analysis: ListedAnalysis = {
      project: projectKey,
      branch: 'release/1.0',
      key: analysisId,
      date: '2023-05-25T10:34:20+0200',
      revision: analysedCommit,
    };
    await open({ tasks: { [taskId]: [onBranch] }, analyses: [analysis] });
    const { results, isRevisionVerified } = await job.gather();
    expect(isRevisionVerified).toBe(true);
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

  it('is found on a later page, and no page after that is asked for', async () => {
    await open({ analyses: [...analyses(150), ...analyses(300)] });
    expect((await job.gather()).isRevisionVerified).toBe(true);
    expect(asked('api/project_analyses/search').map(({ query }) => query['p'])).toEqual(['1', '2']);
  });

  it('is given up after five pages, and at the end of the list', async () => {
    await open({ analyses: analyses(1000) });
    expect((await job.gather()).isRevisionVerified).toBe(false);
    expect(asked('api/project_analyses/search')).toHaveLength(5);

    job.sonar.world.analyses = analyses(100).slice(0, 100);
    const evidence = await job.gather();
    expect(evidence.warnings).toEqual([
      expect.stringContaining(`does not list the analysis ${analysisId} among those of the main branch`),
    ]);
    expect(evidence.results.analysedAt).toBe(executedAt);
    expect(asked('api/project_analyses/search')).toHaveLength(6);
  });

  it('without a revision is attested with a warning', async () => {
    await open({ analyses: [{ project: projectKey, key: analysisId, date: '2023-05-25T10:34:20+0200' }] });
    const evidence = await job.gather();
    expect(evidence.isRevisionVerified).toBe(false);
    expect(evidence.results).toMatchObject({ revision: analysedCommit, analysedAt: '2023-05-25T10:34:20+0200' });
    expect(evidence.warnings).toEqual([expect.stringContaining('Sonar has no revision for this analysis')]);
  });

  it('of another commit is refused before its gate is even asked for', async () => {
    await open({});
    const failure = await failureOf(job.gather({ expectedRevision: otherCommit }));
    expect(failure.kind).toBe('mistake');
    expect(failure.message).toContain(`project ${projectKey} (${job.workspace.path}`);
    expect(failure.message).toContain(
      `is of commit ${analysedCommit}, but the commit being attested is ${otherCommit}`,
    );
    expect(asked('api/qualitygates/project_status')).toEqual([]);
  });

  it('that an analysis token may not see is attested as unverified, and the token is not called bad', async () => {
    await open({});
    const evidence = await job.gather({ token: 'analysis-token' });
    expect(evidence.gateStatus).toBe('OK');
    expect(evidence.isRevisionVerified).toBe(false);
    expect(evidence.results).toMatchObject({ revision: analysedCommit, analysedAt: executedAt });
    expect(evidence.results.qualityGate).not.toHaveProperty('name');
    expect(evidence.warnings).toHaveLength(1);
    expect(evidence.warnings[0]).toContain(
      `it could not be verified that the Sonar analysis is of commit ${analysedCommit}`,
    );
    expect(evidence.warnings[0]).toContain('403: Insufficient privileges');
    expect(evidence.warnings[0]).toContain('a user token whose owner has the permission "Browse"');
    expect(job.log.warnings).toEqual(evidence.warnings);
  });

  it('is not taken for unverifiable when the server is only in trouble', async () => {
    await open({});
    job.sonar.instead('api/project_analyses/search', ...Array.from({ length: 100 }, () => ({ status: 502 })));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('trouble');
    expect(failure.message).toContain('with 502: an empty body');
  });
});

describe('the analysis of a pull request', () => {
  const ofPullRequest = (other: Record<string, unknown> = {}): Partial<SonarWorld> => ({
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
    const { results, isRevisionVerified, warnings } = await job.gather({ token: 'analysis-token' });
    expect(isRevisionVerified).toBe(true);
    expect(warnings).toEqual([]);
    expect(results).toMatchObject({
      analysedAt: '2023-05-25T10:34:20+0200',
      revision: analysedCommit,
      pullRequest: '12',
    });
    expect(results).not.toHaveProperty('branch');
    expect(asked('api/project_analyses/search')).toEqual([]);
    expect(asked('api/qualitygates/project_status')[0]?.query).toEqual({ analysisId });
  });

  it('has its own page where the report names none', async () => {
    await open(ofPullRequest());
    await job.report({ dashboardUrl: undefined });
    expect((await job.gather()).dashboardUrl).toBe(`${job.sonar.url}/dashboard?id=acme%3Awidgets&pullRequest=12`);
  });

  it('of another commit is refused', async () => {
    await open(ofPullRequest({ commit: { sha: otherCommit } }));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('mistake');
    expect(failure.message).toContain(`is of commit ${otherCommit}`);
  });

  it.each([
    ['the list holds a later analysis', { analysisDate: '2023-05-25T11:00:00+0200', commit: { sha: otherCommit } }],
    ['the list has no date', { analysisDate: undefined }],
    ['the list does not have the pull request', { key: '13' }],
    ['the list has no commit', { commit: undefined }],
  ])('is unverified where %s', async (_what, other) => {
    await open(ofPullRequest(other));
    const evidence = await job.gather();
    expect(evidence.isRevisionVerified).toBe(false);
    expect(evidence.results.revision).toBe(analysedCommit);
    expect(evidence.warnings).toHaveLength(1);
  });

  it('is unverified on an edition without pull requests', async () => {
    await open({ ...ofPullRequest(), pullRequests: {} });
    const evidence = await job.gather();
    expect(evidence.results.analysedAt).toBe(executedAt);
    expect(evidence.warnings).toEqual([expect.stringContaining('Sonar does not show the pull requests')]);
  });
});
