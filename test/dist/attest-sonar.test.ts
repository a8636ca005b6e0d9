import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobCommit, jobForAllTests, type StepOptions } from '../support/action-job.ts';
import { onDefault } from '../support/event-runs.ts';
import { shas, workflowRunEvent } from '../support/events.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { type SonarState, startSonarServer } from '../support/fake-sonar.ts';
import { itWithSignals } from '../support/platform.ts';
import {
  analysisId,
  finishedAnalysis,
  finishedTask,
  projectKey,
  reportText,
  taskId,
  unfinishedTask,
  webhookPayloadWith,
} from '../support/sonar-analysis.ts';
import { readTar } from '../support/tar-reader.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();

beforeAll(async () => {
  await job.workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
});

/** A flow that asks its artifacts for `sonar`, and an artifact in it, in the trail of the job's commit. */
async function flowWithArtifact(): Promise<{ flow: string; fingerprint: string }> {
  const flow = await job.flow('artifact', 'sonar');
  const fingerprint = randomBytes(32).toString('hex');
  expect(await job.report(flow, { fingerprint })).toBe(201);
  return { flow, fingerprint };
}

function attest(more: Readonly<Record<string, string>>, options?: StepOptions): Promise<ActionRun> {
  return job.step(
    { operation: 'attest-sonar', 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn', ...more },
    options,
  );
}

/** What the service has on record for an artifact. */
async function recorded({ flow, fingerprint }: { flow: string; fingerprint: string }): Promise<unknown> {
  const answer = await job.ask(`/artifacts/acme/${flow}/fingerprint/${fingerprint}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

/** The file that came with the attestation `sonar` of an artifact. */
async function attachmentOf(artifact: unknown): Promise<{ name: string; content: Buffer }> {
  const page = textAt(artifact, 'evidence', 'sonar', 'html_url') ?? '';
  const answer = await fetch(`${page}/attachment`, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
  expect(answer.status).toBe(200);
  const name = /filename\*=UTF-8''(.*)$/u.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '';
  return { name: decodeURIComponent(name), content: Buffer.from(await answer.arrayBuffer()) };
}

describe('the step attest-sonar, from a JSON report', () => {
  it.each([
    ['OK', 0, 'compliant', 'true', 'COMPLIANT'],
    ['ERROR', 1, 'non-compliant', 'false', 'NON-COMPLIANT'],
  ])('puts the gate %s on record first, and then ends with %d', async (status, exitCode, outcome, compliant, state) => {
    const [target] = await Promise.all([
      flowWithArtifact(),
      job.workspace.write(`gate-${status}.json`, JSON.stringify(webhookPayloadWith(status, jobCommit))),
    ]);
    const result = await attest({ flow: target.flow, 'sonar-report-path': `gate-${status}.json` });
    expect(result).toMatchObject({
      exitCode,
      errorLog: '',
      outputs: { outcome, compliant, state: status, response: '"OK"' },
      response: 'OK',
    });
    expect(result.outputs['html-url']).toBe('https://mycompany.com/sonarqube/dashboard?id=myproject');
    expect(await recorded(target)).toMatchObject({ state, evidence: { sonar: { has_attachment: false } } });
    expect(commandsNamed(result.log, 'error')).toHaveLength(exitCode);
    expect(result.summary).toContain('<code>new_security_rating</code>');
  });

  it('gives every digit of the user data back', async () => {
    const flow = await job.flow('sonar');
    const numbers = '{"id":12345678901234567890,"values":[1e400,-0,1.0]}';
    expect(await attest({ flow, 'user-data': `{"mine":${numbers}}` })).toMatchObject({ exitCode: 0 });
    const listed = await job.step({ operation: 'list-attestations', flow, page: 'all' });
    expect(listed).toMatchObject({ exitCode: 0, errorLog: '' });
    expect(listed.outputs['response']).toContain(`"mine":${numbers}`);
  });

  it('on an event on which scanners report GITHUB_SHA, says how to scan the commit that the event is about', async () => {
    const { flow } = await flowWithArtifact();
    const run = {
      event: workflowRunEvent(),
      variables: { ...onDefault, GITHUB_EVENT_NAME: 'workflow_run' },
    };
    await job.workspace.write('base.json', JSON.stringify(webhookPayloadWith('OK', shas.base)));
    const refused = failedStep(await attest({ flow, 'sonar-report-path': 'base.json' }, run));
    expect(refused).toMatchObject({ ...errorEnding, kind: 'user' });
    expect(refused.message).toContain(`is for commit ${shas.base}`);
    expect(refused.message).toContain(`is ${shas.head} (event workflow_run)`);
    expect(refused.message).toContain('-Dsonar.scm.revision=${{ github.event.workflow_run.head_sha }}');
    expect(refused.message).not.toContain('commit-sha');
    expect(await attest({ flow }, run)).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });
});

describe('the step attest-sonar, with attachments', () => {
  it('sends one file as it is, under its own name', async () => {
    const content = randomBytes(5000);
    await job.workspace.write('reports/Ünit tests.xml', content);
    const target = await flowWithArtifact();
    expect(await attest({ flow: target.flow, files: 'reports/*.xml', 'file-parts': 'plain' })).toMatchObject({
      exitCode: 0,
    });
    expect(await attachmentOf(await recorded(target))).toEqual({ name: 'Ünit tests.xml', content });
  });

  it('sends several files as one archive', async () => {
    await job.workspace.write('coverage/lcov.info', 'TN:\n');
    await job.workspace.write('coverage/deep/notes.txt', 'notes\n');
    await job.workspace.write('coverage/deep/x.tmp', 'not this\n');
    const target = await flowWithArtifact();
    expect((await attest({ flow: target.flow, files: 'coverage/**\n!**/*.tmp' })).exitCode).toBe(0);
    const archive = await attachmentOf(await recorded(target));
    expect(archive.name).toBe('evidence.tgz');
    expect(readTar(gunzipSync(archive.content)).map(({ name, content }) => [name, content.toString()])).toEqual([
      ['coverage/deep/notes.txt', 'notes\n'],
      ['coverage/lcov.info', 'TN:\n'],
    ]);
  });
});

describe('the step attest-sonar, from a report of a scanner', () => {
  /** Attests what a Sonar server holds, by the report that the scanner left in the usual place. */
  async function attestScan(
    state: Partial<SonarState>,
    more: Readonly<Record<string, string>>,
    options?: StepOptions,
  ): Promise<ActionRun> {
    const sonar = await startSonarServer({ state: { ...finishedAnalysis(jobCommit), ...state } });
    try {
      await job.workspace.write('scanned/.scannerwork/report-task.txt', reportText(sonar.url));
      const inputs = {
        'sonar-report-path': 'scanned',
        'sonar-token': 'squ_user_token_0123',
        'sonar-host-url': sonar.url,
      };
      return await attest({ ...inputs, ...more }, options);
    } finally {
      await sonar.close();
    }
  }

  async function pageOf(target: { flow: string; fingerprint: string }): Promise<string> {
    const page = textAt(await recorded(target), 'evidence', 'sonar', 'html_url') ?? '';
    const answer = await fetch(page, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
    return answer.text();
  }

  const coverage = { metricKey: 'new_coverage', comparator: 'LT', errorThreshold: '80', actualValue: '61.2' };
  const failed = { status: 'ERROR', conditions: [{ ...coverage, status: 'ERROR' }] };

  it('reads the gate from the server, records it, and fails if it is red', async () => {
    const target = await flowWithArtifact();
    const result = await attestScan({ gates: { [analysisId]: failed } }, { flow: target.flow });
    expect(result).toMatchObject({ exitCode: 1, errorLog: '', outputs: { outcome: 'non-compliant', state: 'ERROR' } });
    expect(result.summary).toContain(
      '<tr><td><code>new_coverage</code></td><td>61.2</td><td>at least 80 is required</td><td>❌ ERROR</td></tr>',
    );
    expect(valueAt(await recorded(target), 'evidence', 'sonar', 'status')).toBe('non-compliant');
    expect(commandsNamed(result.log, 'error')[0]?.message).toContain(
      'sonar is NON-COMPLIANT: new_coverage is 61.2; at least 80 is required (quality gate)',
    );
  });

  it('records no revision that Sonar does not confirm, and says so in every place', async () => {
    const target = await flowWithArtifact();
    // The push of the job was made in 2026; the report of a scan is submitted after that.
    const recent = { tasks: { [taskId]: [finishedTask({ submittedAt: '2026-01-02T05:20:00+0200' })] } };
    const result = await attestScan(recent, { flow: target.flow, 'sonar-token': 'sqp_analysis_token_0123' });
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
    const result = await attestScan({}, { flow: target.flow, 'unverified-revision': '' });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(result.summary).not.toContain('not verified');
    const listed: unknown = await (await job.ask(`/attestations/acme/${target.flow}`)).json();
    const confirmed = { revision_verified: true, revision_confirmed_by: "Sonar's list of analyses" };
    expect(valueAt(listed, 'data')).toMatchObject([{ user_data: confirmed }]);
    const page = await pageOf(target);
    expect(page).toMatch(new RegExp(`Revision</dt>\\s*<dd>${jobCommit}</dd>`, 'u'));
    expect(page).toContain('confirmed by Sonar&#39;s list of analyses');
  });

  it('is judged by the server if a test of the change wrote a green JSON report in its place', async () => {
    const target = await flowWithArtifact();
    const forged = {
      taskId,
      project: { key: projectKey },
      qualityGate: { name: 'Forged', status: 'OK', conditions: [] },
    };
    await job.workspace.write('forged.json', JSON.stringify({ ...webhookPayloadWith('OK', jobCommit), ...forged }));
    const result = await attestScan(
      { gates: { [analysisId]: failed } },
      { flow: target.flow, 'sonar-report-path': 'forged.json' },
    );
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', state: 'ERROR' } });
    expect(result.summary).not.toContain('Forged');
    expect(valueAt(await recorded(target), 'evidence', 'sonar', 'status')).toBe('non-compliant');
  });

  itWithSignals('ends promptly when the job is cancelled while it waits, and still tells everything', async () => {
    const { flow } = await flowWithArtifact();
    const result = await attestScan(
      { tasks: { [taskId]: [unfinishedTask('PENDING')] } },
      { flow, 'sonar-timeout': '21600' },
      { kill: { when: 'is PENDING after', signal: 'SIGTERM' } },
    );
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      message: expect.stringContaining('the step was cancelled (SIGTERM)'),
    });
    expect(shownLines(result.log).join('\n')).toContain('is PENDING after');
  });
});
