import { afterEach, describe, expect, it } from '@jest/globals';
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
      unverifiedReason: undefined,
      dashboardUrl: `${job.sonar.url}/dashboard?id=acme%3Awidgets`,
    });
    expect(violations(sonarResults, evidence.results)).toEqual([]);
    expect(job.log.infos).toContain(`Sonar report: ${reportPath}`);
    expect(job.log.warnings).toEqual([]);
    expect(job.log.text()).not.toContain('user-token');
  });

  it('are those of the analysis, never the current ones of the project', async () => {
    job = await openSonarJob();
    await job.report();
    await job.gather();
    const question = job.sonar.requests.find(({ path }) => path === '/api/qualitygates/project_status');
    expect(question?.query).toEqual({ analysisId });
  });

  it('have a page of the server if the report has none that can be shown', async () => {
    job = await openSonarJob();
    await job.report({ dashboardUrl: 'javascript:alert(1)' });
    expect((await job.gather()).dashboardUrl).toBe(`${job.sonar.url}/dashboard?id=acme%3Awidgets`);
  });

  it('have only links to the server', async () => {
    job = await openSonarJob({ contextPath: '/sonarqube' });
    const elsewhere = 'https://evil.example.com';
    await job.report({ serverUrl: elsewhere, dashboardUrl: `${elsewhere}/dashboard?id=acme%3Awidgets` });
    const evidence = await job.gather({ hostUrl: job.sonar.url });
    const page = `${job.sonar.url}/dashboard?id=acme%3Awidgets`;
    expect(evidence.dashboardUrl).toBe(page);
    expect(evidence.results).toMatchObject({ serverUrl: job.sonar.url, project: { url: page } });
    expect(JSON.stringify(evidence)).not.toContain('evil');

    await job.report({ dashboardUrl: `${elsewhere}/dashboard?id=acme%3Awidgets` });
    expect(JSON.stringify(await job.gather())).not.toContain('evil');
  });

  it('keep the page that the report names on the server', async () => {
    job = await openSonarJob();
    const dashboardUrl = `${job.sonar.url}/dashboard?id=acme%3Awidgets&codeScope=new`;
    await job.report({ dashboardUrl });
    expect((await job.gather({ hostUrl: job.sonar.url })).dashboardUrl).toBe(dashboardUrl);
  });

  it.each(['ERROR', 'WARN', 'NONE', 'NOVEL'])('with the gate %s are evidence like any other', async (status) => {
    job = await openSonarJob();
    job.sonar.state.gates[analysisId] = { status };
    await job.report();
    const evidence = await job.gather();
    expect(evidence.results.qualityGate.status).toBe(status);
    expect(evidence.results.qualityGate).toEqual({ status, conditions: [] });
  });

  it('never have the name of the gate that the project uses now: another one may have judged', async () => {
    job = await openSonarJob();
    await job.report();
    expect((await job.gather()).results.qualityGate).not.toHaveProperty('name');
    expect(job.sonar.requests.map(({ path }) => path)).not.toContain('/api/qualitygates/get_by_project');
  });

  it('say that Sonar ignored conditions, in the record and in the log', async () => {
    job = await openSonarJob();
    const condition = {
      status: 'OK',
      metricKey: 'new_coverage',
      comparator: 'LT',
      errorThreshold: '80',
      actualValue: '0',
    };
    job.sonar.state.gates[analysisId] = { status: 'OK', ignoredConditions: true, conditions: [condition] };
    await job.report();
    expect((await job.gather()).results.qualityGate).toMatchObject({ status: 'OK', ignoredConditions: true });
    expect(job.log.infos).toContainEqual(expect.stringContaining('fewer than 20 lines are new'));
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

  it.each([{}, { projectStatus: {} }, { projectStatus: { status: 'OK', conditions: [{}] } }, []])(
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
  const gatherJson = async (document: unknown, other: Parameters<SonarJob['gather']>[0] = {}) => {
    job = await openSonarJob();
    await job.workspace.write('sonar.json', JSON.stringify(document));
    return job.gather({ reportPath: 'sonar.json', token: undefined, ...other });
  };

  it("may be the body of Sonar's webhook, and is passed on unchanged", async () => {
    const evidence = await gatherJson(webhookPayload());
    expect(evidence.results).toEqual(webhookPayload());
    expect(evidence.unverifiedReason).toBeUndefined();
    expect(evidence.results.qualityGate.status).toBe('OK');
    expect(evidence.dashboardUrl).toBe('https://mycompany.com/sonarqube/dashboard?id=myproject');
    expect(job.log.warnings).toEqual([]);
    expect(job.sonar.requests).toEqual([]);
  });

  const withoutRevision = { project: { key: projectKey }, qualityGate: { status: 'OK', conditions: [] } };

  it.each([
    ['names no task', withoutRevision, 'http://127.0.0.1:9'],
    ['names a task of no server', { ...withoutRevision, taskId }, undefined],
    ['has an empty revision', { ...webhookPayload(), revision: ' ', taskId: undefined }, 'http://127.0.0.1:9'],
    ['has a task whose name is none', { ...webhookPayload(), revision: '', taskId: 'a b' }, undefined],
  ])('without a revision that %s is refused', async (_what, document, hostUrl) => {
    const failure = await failureOf(gatherJson(document, { hostUrl }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain('names neither the analysed commit (`revision`)');
    expect(failure.remedy).toContain('report-task.txt');
  });

  it('without a revision is checked against the server, which provides all results', async () => {
    const document = { ...withoutRevision, taskId, qualityGate: { status: 'ERROR', conditions: [] } };
    job = await openSonarJob();
    await job.workspace.write('sonar.json', JSON.stringify(document));
    const evidence = await job.gather({ reportPath: 'sonar.json', hostUrl: job.sonar.url });
    expect(evidence.unverifiedReason).toBeUndefined();
    expect(evidence.results).toMatchObject({ revision: analysedCommit, taskId, qualityGate: { status: 'OK' } });

    await job.workspace.write('sonar.json', JSON.stringify({ ...document, serverUrl: job.sonar.url }));
    expect((await job.gather({ reportPath: 'sonar.json' })).results.revision).toBe(analysedCommit);
    const unseen = await job.gather({ reportPath: 'sonar.json', token: 'analysis-token' });
    expect(unseen.results).not.toHaveProperty('revision');
    expect(unseen.unverifiedReason).toContain('403');
  });

  it('of another project than its task is refused', async () => {
    job = await openSonarJob();
    const document = { ...withoutRevision, taskId, project: { key: 'other' } };
    await job.workspace.write('sonar.json', JSON.stringify(document));
    const failure = await failureOf(job.gather({ reportPath: 'sonar.json', hostUrl: job.sonar.url }));
    expect(failure.message).toContain('is for project other, but its background task');
  });

  it.each([analysedCommit.toUpperCase(), analysedCommit.slice(0, 8)])(
    'may name the commit as %s, and is recorded like that',
    async (revision) => {
      const evidence = await gatherJson({ ...webhookPayload(), revision });
      expect(evidence.results.revision).toBe(revision);
      expect(evidence.unverifiedReason).toBeUndefined();
    },
  );

  it('has only links of the server that the user names', async () => {
    const evil = 'https://evil.example.com/x';
    const document = {
      ...webhookPayload(),
      serverUrl: evil,
      dashboardUrl: evil,
      project: { key: projectKey, url: evil },
      branch: { name: 'main', type: 'BRANCH', url: evil },
    };
    const evidence = await gatherJson(document, { hostUrl: 'https://sonar.example.com/sonarqube/' });
    expect(JSON.stringify(evidence)).not.toContain('evil');
    const page = 'https://sonar.example.com/sonarqube/dashboard?id=acme%3Awidgets';
    expect(evidence.dashboardUrl).toBe(page);
    expect(evidence.results).toMatchObject({
      serverUrl: 'https://sonar.example.com/sonarqube',
      project: { key: projectKey, url: page },
      branch: { name: 'main', type: 'BRANCH' },
    });
  });

  it('keeps the links of the server that the user names', async () => {
    const document = { ...webhookPayload(), serverUrl: 'https://mycompany.com/sonarqube' };
    const evidence = await gatherJson(document, { hostUrl: 'https://mycompany.com/sonarqube' });
    expect(evidence.results).toEqual(document);
    expect(job.sonar.requests).toEqual([]);
  });

  it('of another commit is refused', async () => {
    const failure = await failureOf(gatherJson({ ...webhookPayload(), revision: 'b'.repeat(40) }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`is for commit ${'b'.repeat(40)}, but the commit being attested is`);
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
