import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSigningKey, type IdentityProvider, startIdentityProvider } from '../../tools/identity-provider.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, jobCommit, openActionJob } from '../support/action-job.ts';
import { declareDocumentedLoginRules } from '../support/documented-login-rule.ts';
import { pushEvent } from '../support/events.ts';
import { type FakeGitHub, startGitHub } from '../support/fake-github.ts';
import { itAsOnUbuntu } from '../support/platform.ts';
import { saveFlow } from '../support/service-samples.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { pushToMain, startedByHand } from '../support/workflow-events.ts';
import {
  type DocumentedWorkflowEnd,
  runDocumentedWorkflow,
  type WorkflowSettings,
} from '../support/workflow-fixture.ts';
import { documentedWorkflows, workflowsIn } from '../support/workflows.ts';

let job: ActionJob;
let github: FakeGitHub;
let identityProvider: IdentityProvider;

beforeAll(async () => {
  job = await openActionJob({ options: { allowPrivateIssuers: true } });
  identityProvider = await startIdentityProvider(await createSigningKey('one'));
  const repository = { full_name: 'acme/widgets' };
  const run = { id: 4242, run_attempt: 2, event: 'push', head_sha: jobCommit, repository, head_repository: repository };
  const body = { ...run, actor: { login: 'ann' }, created_at: new Date(Date.now() - 60_000).toISOString() };
  github = await startGitHub({ '/repos/acme/widgets/actions/runs/4242': { status: 200, body } });
  await job.workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
  await job.workspace.write('lcov.info', 'TN:\n');
  await job.workspace.write('junit.xml', '<testsuite name="unit"><testcase name="works"/></testsuite>');
});

afterAll(async () => {
  await identityProvider.stop();
  await github.close();
  await job.close();
});

/** Runs a documented workflow by its name. */
function runWorkflow(
  name: string,
  settings: Pick<WorkflowSettings, 'run' | 'vars' | 'earlier'>,
): Promise<DocumentedWorkflowEnd> {
  const workflow = [...documentedWorkflows(), ...workflowsIn('examples')].find((found) => found.name === name);
  const secrets = { SONAR_TOKEN: 'squ_user_token_0123' };
  return runDocumentedWorkflow(workflow?.content, { secrets, identityProvider, gate: 'OK', ...settings });
}

/** Nothing listens on port 9 of the loopback interface. */
const down = { 'base-url': 'http://127.0.0.1:9', retries: '0' };

function replay(folder: string): Promise<ActionRun> {
  const variables = { GITHUB_API_URL: github.url };
  return job.step({ operation: 'replay', 'spool-path': folder, 'github-token': 'ghs_0123456789abcdef' }, { variables });
}

async function attestationsOf(flow: string): Promise<readonly { user_data?: unknown; created_at?: number }[]> {
  const answer = await job.ask(`/attestations/${job.service.org}/${flow}`);
  return ((await answer.json()) as { data: { user_data?: unknown; created_at?: number }[] }).data;
}

/** The outcome of each step, and of the action in it. */
function outcomesOf({ jobs }: DocumentedWorkflowEnd): readonly string[] {
  return jobs.flatMap(({ steps }) =>
    steps.map(({ outcome, action }) =>
      action === undefined ? outcome : `${outcome} ${action.outputs['outcome'] ?? ''}`,
    ),
  );
}

/** The responses of the action's steps. */
function responseOf({ jobs }: DocumentedWorkflowEnd): string {
  return jobs.flatMap(({ steps }) => steps.map(({ action }) => action?.outputs['response'] ?? '')).join('');
}

describe('a step while the service is down', () => {
  it('keeps its evidence, which a replay records exactly once, however often it is replayed', async () => {
    const flow = await job.flow('sonar');
    const attest = {
      operation: 'attest-sonar',
      flow,
      'sonar-report-path': 'sonar.json',
      'unverified-revision': 'warn',
      files: 'lcov.info',
    };
    const kept = await job.step(
      { ...attest, ...down, 'on-outage': 'keep', 'spool-path': 'spool' },
      { event: pushEvent() },
    );
    expect(kept).toMatchObject({ exitCode: 0, outputs: { outcome: 'kept', compliant: '' } });
    expect(kept.log).toContain('::warning title=Evidence kept%2C not confirmed');
    const spool = kept.outputs['spool-path'] ?? '';
    const [item = ''] = await readdir(spool);

    // Each folder is what a workflow downloads: a replay of it knows nothing of the others.
    for (const folder of ['first', 'second']) {
      await mkdir(join(job.workspace.path, folder, '4242'), { recursive: true });
      await cp(spool, join(job.workspace.path, folder, '4242', 'compliance-spool-build-2'), { recursive: true });
    }
    const first = await replay('first');
    expect(first).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', count: '1' } });
    expect(JSON.parse(first.outputs['response'] ?? '')).toMatchObject([
      { item: `4242/compliance-spool-build-2/${item}`, state: 'delivered' },
    ]);
    const again = await replay('first');
    expect(again.outputs['response']).toContain('delivered before');
    const second = await replay('second');
    expect(second.exitCode).toBe(0);
    expect(second.outputs['response']).toContain('on record');
    const recorded = await attestationsOf(flow);
    expect(recorded).toHaveLength(1);
    expect(recorded[0]?.user_data).toMatchObject({ gathered_at: expect.stringMatching(/^\d{4}-.*Z$/u) });
  });

  it.each([
    { operation: 'attest-artifact', fingerprint: 'a'.repeat(64), filename: 'web.tgz' },
    { operation: 'attest-junit', 'junit-path': 'junit.xml' },
  ])('shows no sign of a record, and first of all that there is none: $operation', async (inputs) => {
    const kept = await job.step({ flow: 'web', ...inputs, ...down, 'on-outage': 'keep' }, { event: pushEvent() });
    expect(kept).toMatchObject({ exitCode: 0, outputs: { outcome: 'kept', compliant: '' } });
    expect(kept.log + kept.summary).not.toContain('✅');
    expect(kept.summary).toMatch(/^<h2>📦 Kept: .*<\/h2>\n<p>[^<]*The service did not confirm the evidence/u);
  });

  it('shows the verdict of a red gate although its evidence was kept, and that it is not on record', async () => {
    const flow = await job.flow('scan');
    const red = { operation: 'attest-generic', flow, 'attestation-name': 'scan', compliant: 'false' };
    const kept = await job.step({ ...red, ...down, 'on-outage': 'keep' }, { event: pushEvent() });
    expect(kept).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', compliant: 'false' } });
    expect(kept.summary).toMatch(
      /^<h2>❌ Non-compliant: [^<]*<\/h2>\n<p>[^<]*The service did not confirm the evidence/u,
    );
  });

  itAsOnUbuntu('keeps and delivers with the documented workflows, and records exactly once', async () => {
    await saveFlow(job.service, { name: 'web' });
    const { baseUrl, apiKey } = job.service;
    await declareDocumentedLoginRules('docs/how-to/connect.md', { baseUrl, apiKey, issuer: identityProvider.issuer });
    const before = (await attestationsOf('web')).length;
    const kept = await runWorkflow('Attest and keep', {
      run: pushToMain('src/a.js'),
      vars: { COMPLIANCE_BASE_URL: down['base-url'] },
    });
    expect(outcomesOf(kept)).toEqual(['success', 'success', 'success kept', 'success']);
    expect([...kept.artifacts.keys()]).toEqual(['compliance-spool-sonar-2']);
    expect(await attestationsOf('web')).toHaveLength(before);

    const replayed = {
      run: startedByHand(),
      vars: { COMPLIANCE_BASE_URL: baseUrl },
      earlier: kept.artifacts,
    };
    const first = await runWorkflow('Deliver kept evidence', replayed);
    expect(outcomesOf(first)).toEqual(['success', 'success done']);
    expect(responseOf(first)).toContain('"delivered"');
    const again = await runWorkflow('Deliver kept evidence', replayed);
    expect(outcomesOf(again)).toEqual(['success', 'success done']);
    expect(responseOf(again)).toContain('"on record"');
    expect(await attestationsOf('web')).toHaveLength(before + 1);
    expect([kept, first, again].flatMap(({ breaches }) => breaches)).toEqual([]);
  });
});
