import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { textAt, valueAt, type Mapping } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobCommit, jobForAllTests } from '../support/action-job.ts';
import {
  analysisId,
  finishedAnalysis,
  finishedTask,
  projectKey,
  reportText,
  taskId,
  webhookPayloadWith,
} from '../support/sonar-analysis.ts';
import { startSonarServer, type SonarState } from '../support/fake-sonar.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { commandsNamed } from '../support/workflow-command.ts';

type Inputs = Readonly<Record<string, string>>;

const job = jobForAllTests();

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
  inputs: Inputs,
  report: Readonly<Record<string, string>> = {},
): Promise<ActionRun & { readonly sonarUrl: string }> {
  const sonar = await startSonarServer({ state: { ...finishedAnalysis(jobCommit), ...state } });
  try {
    await job.workspace.write('.scannerwork/report-task.txt', reportText(sonar.url, report));
    const common = { operation: 'attest-sonar', 'sonar-token': 'squ_user_token_0123', 'sonar-host-url': sonar.url };
    return { ...(await job.step({ ...common, ...inputs })), sonarUrl: sonar.url };
  } finally {
    await sonar.close();
  }
}

describe('the step attest-sonar and the commit that Sonar analysed', () => {
  // The push of the job was made in 2026; the report of a scan is submitted after that.
  const recent = { tasks: { [taskId]: [finishedTask({ submittedAt: '2026-01-02T05:20:00+0200' })] } };
  const analysisToken = { 'sonar-token': 'sqp_analysis_token_0123' };

  async function pageOf(target: { flow: string; fingerprint: string }): Promise<string> {
    const page = textAt(await recorded(target), 'evidence', 'sonar', 'html_url') ?? '';
    const answer = await fetch(page, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
    return answer.text();
  }

  it('records no revision that Sonar does not confirm, and says so in every place', async () => {
    const target = await flowWithArtifact();
    const warn = { 'unverified-revision': 'warn' };
    const result = await attestScan(recent, { flow: target.flow, ...analysisToken, ...warn });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant', state: 'OK' } });
    expect(result.summary).toContain('Revision not verified');
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
    const confirmed = { revision_verified: true, revision_confirmed_by: "Sonar's list of analyses" };
    expect(valueAt(listed, 'data')).toMatchObject([{ user_data: confirmed }]);
    const page = await pageOf(target);
    expect(page).toMatch(new RegExp(`Revision</dt>\\s*<dd>${jobCommit}</dd>`, 'u'));
    expect(page).toContain('confirmed by Sonar&#39;s list of analyses');
  });

  it.each([
    ['nothing confirms its commit', recent, {}, 'revision not verified'],
    ['it is older than the commit', {}, {}, 'more than 10 minutes before the commit being attested'],
    [
      'Sonar does not list it',
      { analyses: [] },
      { 'sonar-token': 'squ_user_token_0123' },
      'Sonar does not list the analysis',
    ],
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

describe('a green JSON report that a test of the change wrote', () => {
  const red = {
    status: 'ERROR',
    conditions: [
      { status: 'ERROR', metricKey: 'new_coverage', comparator: 'LT', errorThreshold: '80', actualValue: '0' },
    ],
  };

  /** Attests the file, with these of the inputs of the server, while Sonar has a red analysis of the commit. */
  async function attack(given: readonly ('server' | 'token')[], changes: Mapping, inputs: Inputs = {}) {
    const sonar = await startSonarServer({
      state: {
        ...finishedAnalysis(jobCommit),
        gates: { [analysisId]: red },
        anonymous: { browse: true, execute: true },
      },
    });
    try {
      const named = { serverUrl: sonar.url, taskId, project: { key: projectKey } };
      const document = { ...webhookPayloadWith('OK', jobCommit), ...named, ...changes };
      await job.workspace.write('.scannerwork/report-task.txt', JSON.stringify(document));
      const target = await flowWithArtifact();
      const result = await job.step({
        operation: 'attest-sonar',
        flow: target.flow,
        'sonar-report-path': '.scannerwork/report-task.txt',
        ...(given.includes('server') ? { 'sonar-host-url': sonar.url } : {}),
        ...(given.includes('token') ? { 'sonar-token': 'squ_user_token_0123' } : {}),
        ...inputs,
      });
      const status = valueAt(await recorded(target), 'evidence', 'sonar', 'status');
      return { result, status, requests: sonar.requests };
    } finally {
      await sonar.close();
    }
  }

  const unknown = { taskId: 'AXnoSuchTask' };

  it.each([
    ['names the real task', {}],
    ['names no task', { taskId: undefined }],
  ])('that %s is judged by the server, with its name, its gate and its conditions', async (_what, changes) => {
    for (const given of [['server'], ['server', 'token']] as const) {
      const { result, status } = await attack(given, {
        ...changes,
        qualityGate: { name: 'Forged', status: 'OK', conditions: [] },
      });
      expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', state: 'ERROR' } });
      expect(commandsNamed(result.log, 'error')[0]?.message).toContain('new_coverage is 0; at least 80 is required');
      expect(result.summary).not.toContain('Forged');
      expect(status).toBe('non-compliant');
    }
  });

  it.each([
    [
      'the server does not know its task',
      ['server', 'token'],
      unknown,
      {},
      "No activity found for task 'AXnoSuchTask'",
    ],
    ['the server does not know its task', ['server'], unknown, {}, "No activity found for task 'AXnoSuchTask'"],
    ['only a token is given', ['token'], {}, {}, '`sonar-token` is given without `sonar-host-url`'],
    ['neither server nor token is given', [], {}, {}, 'any step of the job could have written'],
    ['only its folder is named', ['server', 'token'], {}, { 'sonar-report-path': '.scannerwork' }, 'contains JSON'],
    ['nothing is named', [], {}, { 'sonar-report-path': '', 'unverified-revision': 'warn' }, 'contains JSON'],
  ] as const)(
    'is refused, and nothing is recorded, if %s (given: %j)',
    async (_what, given, changes, inputs, words) => {
      const { result, status } = await attack(given, changes, inputs);
      expect(failedStep(result)).toMatchObject({
        ...errorEnding,
        kind: 'user',
        message: expect.stringContaining(words),
      });
      expect(status).toBeUndefined();
    },
  );

  it('asks no server that the file names', async () => {
    for (const given of [[], ['token']] as const)
      expect((await attack(given, {}, { 'unverified-revision': 'warn' })).requests).toEqual([]);
  });

  it('passes as not verified if the workflow says that it wrote the file', async () => {
    const { result, status } = await attack([], {}, { 'unverified-revision': 'warn' });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(commandsNamed(result.log, 'warning')[0]?.message).toContain('revision not verified');
    expect(result.summary).toContain('Revision not verified');
    expect(status).toBe('compliant');
  });
});

describe('a token of another project', () => {
  it('is called that', async () => {
    const target = await flowWithArtifact();
    const tokens = { sqp_other_0123456789: { browse: false, execute: false } };
    const result = await attestScan({ tokens }, { flow: target.flow, 'sonar-token': 'sqp_other_0123456789' });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringContaining('`sonar-token` is the analysis token of another project'),
    });
  });
});

describe('a gate without conditions', () => {
  it('is recorded with the words that nothing was checked', async () => {
    const target = await flowWithArtifact();
    const result = await attestScan(
      { gates: { [analysisId]: { status: 'OK', conditions: [] } } },
      { flow: target.flow },
    );
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    for (const text of [result.log, result.summary]) expect(text).toContain('so nothing was checked');
  });
});
