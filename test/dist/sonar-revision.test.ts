import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobCommit, openActionJob, type ActionJob } from '../support/action-job.ts';
import { finishedAnalysis, finishedTask, reportText, taskId } from '../support/sonar-analysis.ts';
import { startSonarServer, type SonarState } from '../support/fake-sonar.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { commandsNamed } from '../support/workflow-command.ts';

let job: ActionJob;

beforeAll(async () => {
  job = await openActionJob();
});

afterAll(() => job.close());

/** A flow that asks its artifacts for `sonar`, and an artifact in it, in the trail of the job's commit. */
async function flowWithArtifact(): Promise<{ flow: string; fingerprint: string }> {
  const flow = await job.flow('artifact', 'sonar');
  const fingerprint = randomBytes(32).toString('hex');
  expect(await job.report(flow, { fingerprint })).toBe(201);
  return { flow, fingerprint };
}

/** What the service has on record for an artifact. */
async function recorded({ flow, fingerprint }: { flow: string; fingerprint: string }): Promise<unknown> {
  return (await job.ask(`/artifacts/acme/${flow}/fingerprint/${fingerprint}`)).json();
}

/** Attests what a Sonar server holds, by the report of a scanner with these values. */
async function attestScan(
  state: Partial<SonarState>,
  inputs: Readonly<Record<string, string>>,
  report: Readonly<Record<string, string>> = {},
): Promise<ActionRun & { readonly sonarUrl: string }> {
  const sonar = await startSonarServer({ state: { ...finishedAnalysis(jobCommit), ...state } });
  try {
    await job.workspace.write('.scannerwork/report-task.txt', reportText(sonar.url, report));
    const common = { operation: 'attest-sonar', 'sonar-token': 'user-token', 'sonar-host-url': sonar.url };
    return { ...(await job.step({ ...common, ...inputs })), sonarUrl: sonar.url };
  } finally {
    await sonar.close();
  }
}

describe('the step attest-sonar and the commit that Sonar analysed', () => {
  // The push of the job was made in 2026; the report of a scan is submitted after that.
  const recent = { tasks: { [taskId]: [finishedTask({ submittedAt: '2026-01-02T05:20:00+0200' })] } };
  const analysisToken = { 'sonar-token': 'analysis-token' };

  async function pageOf(target: { flow: string; fingerprint: string }): Promise<string> {
    const page = textAt(await recorded(target), 'evidence', 'sonar', 'html_url') ?? '';
    const answer = await fetch(page, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
    return answer.text();
  }

  it('records no revision that Sonar does not confirm, and says so in every place', async () => {
    const target = await flowWithArtifact();
    const result = await attestScan(recent, { flow: target.flow, ...analysisToken });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant', state: 'OK' } });
    expect(result.summary).toContain('revision not verified');
    const warnings = commandsNamed(result.log, 'warning').map(({ message }) => message);
    expect(warnings.filter((message) => message.includes('revision not verified'))).toHaveLength(1);
    const listed: unknown = await (await job.ask(`/attestations/acme/${target.flow}`)).json();
    expect(valueAt(listed, 'data')).toEqual([
      expect.objectContaining({
        user_data: expect.objectContaining({
          revision_verified: false,
          revision_unverified_reason: expect.stringContaining('(403: Insufficient privileges)'),
        }),
      }),
    ]);
    const page = await pageOf(target);
    expect(page).toContain('revision not verified');
    expect(page).not.toMatch(/<dt>Revision<\/dt>/u);
  });

  it('records the revision that Sonar confirms as verified', async () => {
    const target = await flowWithArtifact();
    const result = await attestScan({}, { flow: target.flow });
    expect(result.summary).not.toContain('not verified');
    const listed: unknown = await (await job.ask(`/attestations/acme/${target.flow}`)).json();
    expect(valueAt(listed, 'data')).toMatchObject([{ user_data: { revision_verified: true } }]);
    expect(await pageOf(target)).toMatch(new RegExp(`Revision</dt>\\s*<dd>${jobCommit}</dd>`, 'u'));
  });

  it.each([
    ['unverified analyses are not wanted', recent, { 'unverified-revision': 'fail' }, 'revision not verified'],
    ['it is older than the commit', {}, {}, 'more than 10 minutes before the commit being attested'],
    ['Sonar does not list it', { analyses: [] }, { 'sonar-token': 'user-token' }, 'Sonar does not list the analysis'],
  ])('rejects an analysis, and records nothing, if %s', async (_what, state, more, words) => {
    const target = await flowWithArtifact();
    const result = await attestScan(state, { flow: target.flow, ...analysisToken, ...more });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringContaining(words),
    });
    expect(await recorded(target)).toHaveProperty('evidence', {});
  });

  it('shows and records no link of the report that leads elsewhere', async () => {
    const target = await flowWithArtifact();
    const evil = 'https://evil.example.com';
    const forged = { serverUrl: evil, dashboardUrl: `${evil}/dashboard?id=acme%3Awidgets` };
    const result = await attestScan({}, { flow: target.flow }, forged);
    expect(result.outputs).toMatchObject({
      outcome: 'compliant',
      'html-url': `${result.sonarUrl}/dashboard?id=acme%3Awidgets`,
    });
    expect(result.summary + result.log + (await pageOf(target))).not.toContain('evil.example.com');
  });
});
