import { afterEach, describe, expect, it } from '@jest/globals';
import { sonarResults } from '../../../src/contract/attestation.ts';
import { violations } from '../../../src/contract/check.ts';
import { failureOf } from '../../support/failures.ts';
import { analysedCommit, analysisId, finishedTask, taskId, webhookPayload } from '../../support/sonar-analysis.ts';
import { openSonarJob, type SonarJob } from '../../support/sonar-job.ts';

let job: SonarJob;
afterEach(() => job.close());

describe('the results of a scan', () => {
  it('are read by way of its report, in the form of an attestation', async () => {
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
          name: 'My team QG',
          status: 'OK',
          conditions: [
            { metric: 'new_coverage', operator: 'LT', errorThreshold: '80', status: 'OK', value: '82.50562381034781' },
            { metric: 'reopened_issues', operator: 'GT', status: 'OK', value: '0' },
          ],
        },
      },
      gateStatus: 'OK',
      isRevisionVerified: true,
      dashboardUrl: `${job.sonar.url}/dashboard?id=acme%3Awidgets`,
      reportPath,
      notes: [],
      warnings: [],
    });
    expect(violations(sonarResults, evidence.results)).toEqual([]);
    expect(job.log.warnings).toEqual([]);
    expect(job.log.text()).not.toContain('user-token');
  });

  it('are those of the analysis, never those of the project now', async () => {
    job = await openSonarJob();
    await job.report();
    await job.gather();
    const question = job.sonar.requests.find(({ path }) => path === '/api/qualitygates/project_status');
    expect(question?.query).toEqual({ analysisId });
  });

  it('have a page of the server where the report has none that can be shown', async () => {
    job = await openSonarJob();
    await job.report({ dashboardUrl: 'javascript:alert(1)' });
    expect((await job.gather()).dashboardUrl).toBe(`${job.sonar.url}/dashboard?id=acme%3Awidgets`);
  });

  it.each(['ERROR', 'WARN', 'NONE', 'NOVEL'])('with the gate %s are evidence like others', async (status) => {
    job = await openSonarJob();
    job.sonar.world.gates[analysisId] = { status };
    await job.report();
    const evidence = await job.gather();
    expect(evidence.gateStatus).toBe(status);
    expect(evidence.results.qualityGate).toEqual({ name: 'My team QG', status, conditions: [] });
  });

  it('have no name of the gate where the server does not tell it', async () => {
    job = await openSonarJob({ world: { gateNames: {} } });
    await job.report();
    const evidence = await job.gather();
    expect(evidence.results.qualityGate).not.toHaveProperty('name');
    expect(evidence.warnings).toEqual([]);
  });

  it('come with what Sonar says about them, each in one line', async () => {
    const warnings = ['Shallow clone detected.\n::error::Missing blame'];
    job = await openSonarJob({ world: { tasks: { [taskId]: [finishedTask({ warnings, warningCount: 1 })] } } });
    await job.report();
    expect((await job.gather()).notes).toEqual(['Shallow clone detected. ::error::Missing blame']);
    expect(job.log.infos).toContain('Sonar says: Shallow clone detected. ::error::Missing blame');
  });

  it('whose analysis the server has deleted meanwhile are missed in its words', async () => {
    job = await openSonarJob({ world: { gates: {} } });
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
      expect(failure.kind).toBe('trouble');
      expect(failure.message).toContain('JSON that does not hold a quality gate');
    },
  );
});

describe('a JSON report', () => {
  const gatherJson = async (document: unknown) => {
    job = await openSonarJob();
    await job.workspace.write('sonar.json', JSON.stringify(document));
    return job.gather({ reportPath: 'sonar.json', token: undefined });
  };

  it("may be the body of Sonar's webhook, and is passed on with all it holds", async () => {
    const evidence = await gatherJson(webhookPayload());
    expect(evidence.results).toEqual(webhookPayload());
    expect(evidence.isRevisionVerified).toBe(true);
    expect(evidence.gateStatus).toBe('OK');
    expect(evidence.dashboardUrl).toBe('https://mycompany.com/sonarqube/dashboard?id=myproject');
    expect(evidence.warnings).toEqual([]);
    expect(job.sonar.requests).toEqual([]);
  });

  it('may be no more than a project and a gate; its revision is then not verified', async () => {
    const document = { project: { key: 'p' }, qualityGate: { status: 'ERROR', conditions: [] } };
    const evidence = await gatherJson(document);
    expect(evidence.results).toEqual({ ...document, revision: analysedCommit });
    expect(evidence.isRevisionVerified).toBe(false);
    expect(evidence.dashboardUrl).toBeUndefined();
    expect(evidence.warnings).toEqual([expect.stringContaining('holds no `revision`')]);
    expect(job.log.warnings).toEqual(evidence.warnings);
  });

  it.each([analysedCommit.toUpperCase(), analysedCommit.slice(0, 8)])(
    'may name the commit as %s; the whole SHA is recorded',
    async (revision) => {
      const evidence = await gatherJson({ ...webhookPayload(), revision });
      expect(evidence.results.revision).toBe(analysedCommit);
      expect(evidence.isRevisionVerified).toBe(true);
    },
  );

  it('of another commit is refused', async () => {
    const failure = await failureOf(gatherJson({ ...webhookPayload(), revision: 'b'.repeat(40) }));
    expect(failure.kind).toBe('mistake');
    expect(failure.message).toContain(`is of commit ${'b'.repeat(40)}, but the commit being attested is`);
  });

  it('of a task that failed is an error of its own', async () => {
    const failed = { taskId: 'AVh21', status: 'FAILED', project: { key: 'myproject' } };
    const failure = await failureOf(gatherJson(failed));
    expect(failure.kind).toBe('trouble');
    expect(failure.message).toContain(
      "Sonar's background task AVh21 of project myproject ended with the status FAILED",
    );
  });

  it.each(['FAILED', 'CANCELED'])('that says %s is not believed, whatever gate stands beside it', async (status) => {
    const failure = await failureOf(gatherJson({ ...webhookPayload(), status }));
    expect(failure.message).toContain(`the status ${status}`);
  });

  it('in another form is refused with every field that is wrong', async () => {
    const failure = await failureOf(gatherJson({ project: {}, qualityGate: { status: 1, conditions: [{}] } }));
    expect(failure.kind).toBe('mistake');
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
