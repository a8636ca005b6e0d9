import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sonarResults } from '../../../src/contract/attestations/sonar.ts';
import { violations } from '../../../src/contract/check.ts';
import { failureOf } from '../../support/failures.ts';
import {
  analysedCommit,
  analysisId,
  finishedTask,
  projectKey,
  taskId,
  webhookPayload,
} from '../../support/sonar-analysis.ts';
import { openSonarJob, type SonarJob } from '../../support/sonar-job.ts';

let job: SonarJob;
afterEach(() => job.close());

describe('the results of a scan', () => {
  it('are read with the help of its report, in the form of an attestation', async () => {
    job = await openSonarJob({ contextPath: '/sonarqube' });
    const reportPath = await job.report();
    const evidence = await job.gather();
    expect(evidence).toEqual({
      results: {
        serverUrl: job.sonar.url,
        taskId,
        status: 'SUCCESS',
        analysedAt: '2023-05-25T10:34:19+0200',
        revision: analysedCommit,
        project: {
          key: 'acme:widgets',
          name: 'Widgets',
          url: `${job.sonar.url}/dashboard?id=acme%3Awidgets`,
        },
        qualityGate: {
          status: 'OK',
          conditions: [
            { metric: 'new_coverage', operator: 'LT', errorThreshold: '80', status: 'OK', value: '82.50562381034781' },
            { metric: 'reopened_issues', operator: 'GT', status: 'OK', value: '0' },
          ],
        },
      },
      confirmedBy: "Sonar's list of analyses, on the server that the scan names",
      dashboardUrl: `${job.sonar.url}/dashboard?id=acme%3Awidgets`,
    });
    expect(violations(sonarResults, evidence.results)).toEqual([]);
    expect(job.log.infos).toContain(`Sonar report: ${reportPath}`);
    expect(job.log.warnings).toEqual([]);
    expect(job.log.text()).not.toContain('squ_user_token_0123');
  });

  it('keep the page that the report names on the server', async () => {
    job = await openSonarJob();
    const dashboardUrl = `${job.sonar.url}/dashboard?id=acme%3Awidgets&codeScope=new`;
    await job.report({ dashboardUrl });
    expect((await job.gather({ hostUrl: job.sonar.url })).dashboardUrl).toBe(dashboardUrl);
  });

  it('say that Sonar ignored conditions, in the record and in the log', async () => {
    job = await openSonarJob();
    const condition = {
      status: 'OK',
      metricKey: 'new_coverage',
      comparator: 'LT',
      errorThreshold: '80',
      actualValue: 0,
    };
    job.sonar.state.gates[analysisId] = { status: 'OK', ignoredConditions: true, conditions: [condition] };
    await job.report();
    expect((await job.gather()).results.qualityGate).toMatchObject({
      status: 'OK',
      ignoredConditions: true,
      conditions: [{ metric: 'new_coverage', value: '0' }],
    });
    expect(job.log.infos).toContainEqual(expect.stringContaining('fewer than 20 lines are new'));
  });

  it.each([
    ['NONE', []],
    ['OK', [{ status: 'OK', metricKey: 'new_bugs' }]],
  ])('with the gate %s and the conditions %j say in the log if nothing was checked', async (status, conditions) => {
    job = await openSonarJob();
    job.sonar.state.gates[analysisId] = { status, conditions };
    await job.report();
    await job.gather();
    const note = 'The quality gate has no conditions, so nothing was checked.';
    expect(job.log.infos.filter((line) => line === note)).toHaveLength(conditions.length === 0 ? 1 : 0);
  });

  it("come with Sonar's warnings, each on one line", async () => {
    const warnings = ['Shallow clone detected.\n::error::Missing blame'];
    job = await openSonarJob({ state: { tasks: { [taskId]: [finishedTask({ warnings, warningCount: 1 })] } } });
    await job.report();
    await job.gather();
    expect(job.log.infos).toContain('Sonar says: Shallow clone detected. ::error::Missing blame');
    expect(job.sonar.requests[0]?.query).toEqual({ id: taskId, additionalFields: 'warnings' });
  });

  it("whose analysis was deleted meanwhile are an error with Sonar's message", async () => {
    job = await openSonarJob({ state: { gates: {} } });
    await job.report();
    const failure = await failureOf(job.gather());
    expect(failure.message).toContain(`404: Analysis with id '${analysisId}' is not found`);
  });

  it.each([{ projectStatus: { status: 'OK', conditions: [{ status: 'OK' }] } }, []])(
    'are not made up from an answer without a gate: %j',
    async (answer) => {
      job = await openSonarJob();
      const headers = { 'content-type': 'application/json' };
      job.sonar.instead('api/qualitygates/project_status', { headers, body: JSON.stringify(answer) });
      await job.report();
      const failure = await failureOf(job.gather());
      expect(failure.kind).toBe('external');
      expect(failure.message).toContain('JSON without a quality gate');
    },
  );
});

describe('a JSON report', () => {
  /** Gathers from a file with this content, which the workflow names. */
  const gatherJson = async (document: unknown, other: Parameters<SonarJob['gather']>[0] = {}) => {
    await job.workspace.write('sonar.json', JSON.stringify(document));
    return job.gather({ reportPath: 'sonar.json', token: undefined, ...other });
  };

  beforeEach(async () => {
    job = await openSonarJob();
  });

  /** What a test step writes to open the gate: green, for the right commit, with the names of the real analysis. */
  const forged = {
    ...webhookPayload(),
    taskId,
    project: { key: projectKey, name: 'Forged' },
    qualityGate: { name: 'Forged', status: 'OK', conditions: [] },
  };
  const failedGate = { status: 'ERROR', conditions: [{ status: 'ERROR', metricKey: 'new_coverage' }] };

  describe('without a server and a token', () => {
    it("may be the body of Sonar's webhook, and is passed on unchanged, but never confirmed", async () => {
      const evidence = await gatherJson(webhookPayload(), { unverifiedRevision: 'warn' });
      expect(evidence.results).toEqual(webhookPayload());
      expect(evidence).not.toHaveProperty('confirmedBy');
      expect(evidence.unverifiedReason).toContain('any step of the job could have written');
      expect(job.log.warnings).toEqual([expect.stringContaining('revision not verified')]);
    });

    it.each([
      ['names its server, which confirms the analysis', { ...forged, serverUrl: 'SONAR' }],
      ['names no commit', { ...forged, revision: undefined }],
    ])('that %s is refused by default, with both remedies', async (_what, document) => {
      const named = 'serverUrl' in document && document.serverUrl === 'SONAR' ? { serverUrl: job.sonar.url } : {};
      const failure = await failureOf(gatherJson({ ...document, ...named }, { unverifiedRevision: 'fail' }));
      expect(failure).toMatchObject({ kind: 'user', problems: [{ input: 'unverified-revision' }] });
      expect(failure.message).toContain(`nothing confirms that the Sonar analysis of project ${projectKey}`);
      expect(failure.message).toContain('any step of the job could have written');
      expect(failure.message).toContain('`unverified-revision` is `fail`');
      expect(failure.remedy).toContain('Set `sonar-host-url` and `sonar-token`');
      expect(failure.remedy).toContain('Only if the workflow itself wrote the report');
      expect(failure.remedy).toContain('`unverified-revision: warn`');
      expect(job.sonar.requests).toEqual([]);
    });

    it.each([analysedCommit.toUpperCase(), analysedCommit.slice(0, 8)])(
      'may name the commit as %s, and is recorded like that',
      async (revision) => {
        const { results } = await gatherJson({ ...webhookPayload(), revision });
        expect(results.revision).toBe(revision);
      },
    );

    it('of another commit is refused', async () => {
      const failure = await failureOf(gatherJson({ ...webhookPayload(), revision: 'b'.repeat(40) }));
      expect(failure.kind).toBe('user');
      expect(failure.message).toContain(`is for commit ${'b'.repeat(40)}, but the commit being attested is`);
    });
  });

  describe('with a token', () => {
    it('is not read without the server that the user names, and the token is sent nowhere', async () => {
      const document = { ...forged, serverUrl: job.sonar.url };
      const failure = await failureOf(
        gatherJson(document, { token: 'squ_user_token_0123', unverifiedRevision: 'warn' }),
      );
      expect(failure).toMatchObject({ kind: 'user', problems: [{ input: 'sonar-host-url' }] });
      expect(failure.message).toContain('the server that it names is not asked');
      expect(job.sonar.requests).toEqual([]);
    });
  });

  describe.each([
    ['with a server', undefined],
    ['with a server and a token', 'squ_user_token_0123'],
  ])('%s', (_what, token) => {
    const fromServer = (document: unknown, other: Parameters<SonarJob['gather']>[0] = {}) =>
      gatherJson(document, { hostUrl: job.sonar.url, token, unverifiedRevision: 'fail', ...other });

    beforeEach(() => {
      job.sonar.state.anonymous = { browse: true, execute: true };
    });

    it('is only the name of an analysis: the server provides the gate, the conditions and the revision', async () => {
      job.sonar.state.gates[analysisId] = failedGate;
      const evidence = await fromServer({ ...forged, revision: 'b'.repeat(40), analysedAt: 'forged' });
      expect(evidence).toMatchObject({
        results: {
          taskId,
          revision: analysedCommit,
          project: { key: projectKey, name: 'Widgets' },
          qualityGate: { status: 'ERROR', conditions: [{ metric: 'new_coverage', status: 'ERROR' }] },
        },
        confirmedBy: "Sonar's list of analyses",
      });
      expect(JSON.stringify(evidence)).not.toMatch(/forged/iu);
    });

    it.each([
      ['a branch', { branch: { name: 'release/1.0', type: 'BRANCH', isMain: false } }],
      ['a pull request', { branch: { name: '12', type: 'PULL_REQUEST', isMain: false } }],
      ['a pull request in our form, and no valid task', { pullRequest: '12', taskId: 'a b' }],
    ])('may name %s', async (_branch, named) => {
      const listed = { key: '12', analysisDate: '2023-05-25T10:34:19+0200', commit: { sha: analysedCommit } };
      Object.assign(job.sonar.state, {
        analyses: job.sonar.state.analyses.map((analysis) => ({ ...analysis, branch: 'release/1.0' })),
        pullRequests: { [projectKey]: [listed] },
      });
      const gate = JSON.stringify({ projectStatus: { status: 'ERROR', conditions: [] } });
      const headers = { 'content-type': 'application/json' };
      job.sonar.instead('api/qualitygates/project_status', { headers, body: gate });
      const evidence = await fromServer({ ...forged, taskId: undefined, ...named });
      expect(evidence.results).toMatchObject({ revision: analysedCommit, qualityGate: { status: 'ERROR' } });
    });

    it.each([
      ['the task', { taskId: 'AXnoSuchTask' }, "No activity found for task 'AXnoSuchTask'"],
      ['the analysis of the commit', { taskId: undefined, project: { key: 'other' } }, 'Sonar lists no analysis'],
    ])('is refused if the server does not know %s', async (_analysis, names, words) => {
      const failure = await failureOf(fromServer({ ...forged, ...names }, { unverifiedRevision: 'warn' }));
      expect(failure).toMatchObject({ kind: 'user', problems: [{ input: 'sonar-report-path' }] });
      expect(failure.message).toContain(words);
    });

    it('of another project than its task is refused', async () => {
      const failure = await failureOf(fromServer({ ...forged, project: { key: 'other' } }));
      expect(failure.message).toContain('is for project other, but its background task');
    });

    it('has only links of the server', async () => {
      const evil = 'https://evil.example.com/x';
      const links = { serverUrl: evil, dashboardUrl: evil, branch: { name: 'main', isMain: true, url: evil } };
      for (const other of [taskId, undefined]) {
        const project = { key: projectKey, url: evil };
        const evidence = await fromServer({ ...forged, ...links, taskId: other, project });
        expect(evidence.dashboardUrl).toBe(`${job.sonar.url}/dashboard?id=acme%3Awidgets`);
        expect(JSON.stringify(evidence)).not.toContain('evil');
      }
    });
  });

  it.each(['.scannerwork', '.'])('is not read if it is only found: from %j', async (reportPath) => {
    await job.workspace.write('.scannerwork/report-task.txt', JSON.stringify(forged));
    for (const hostUrl of [undefined, job.sonar.url]) {
      const failure = await failureOf(job.gather({ reportPath, hostUrl, unverifiedRevision: 'warn' }));
      expect(failure).toMatchObject({ kind: 'user', problems: [{ input: 'sonar-report-path' }] });
      expect(failure.message).toContain('a JSON report is read only if `sonar-report-path` names the file');
    }
    expect(job.sonar.requests).toEqual([]);
  });

  it('of a failed task is an error', async () => {
    const failed = { taskId: 'AVh21', status: 'FAILED', project: { key: 'myproject' } };
    const failure = await failureOf(gatherJson(failed));
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain(
      "Sonar's background task AVh21 of project myproject ended with the status FAILED",
    );
  });

  it.each(['FAILED', 'CANCELED'])('with the status %s is refused, whatever its gate is', async (status) => {
    const failure = await failureOf(gatherJson({ ...webhookPayload(), status }));
    expect(failure.message).toContain(`the status ${status}`);
  });

  it('in another form is refused with every wrong field', async () => {
    const failure = await failureOf(gatherJson({ project: {}, qualityGate: { status: 1, conditions: [{}] } }));
    expect(failure.kind).toBe('user');
    for (const words of [
      'project.key is missing',
      'qualityGate.status must be string',
      'qualityGate.conditions.0.metric is missing',
    ]) {
      expect(failure.message).toContain(words);
    }
  });

  it('that is a list is refused', async () => {
    expect((await failureOf(gatherJson([]))).message).toContain('it must be object');
  });
});
