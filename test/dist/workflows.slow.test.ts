import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { isMapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { createSigningKey, type IdentityProvider, startIdentityProvider } from '../../tools/identity-provider.ts';
import { declareDocumentedLoginRules } from '../support/documented-login-rule.ts';
import type { ArtifactEntry, Attestations } from '../support/fake-actions.ts';
import { parseOwnAction } from '../support/own-action.ts';
import { describeAsOnUbuntu } from '../support/platform.ts';
import { stepsOf } from '../support/repository.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { saveFlow } from '../support/service-samples.ts';
import type { WorkflowCase } from '../support/workflow-case.ts';
import { protectedWorkflows, workflowCases } from '../support/workflow-cases.ts';
import type { JobEnd } from '../support/workflow-engine.ts';
import { type DocumentedWorkflowEnd, runDocumentedWorkflow } from '../support/workflow-fixture.ts';
import type { CaseContext } from '../support/workflow-preparations.ts';
import { isTriggeredBy } from '../support/workflow-trigger.ts';
import { documentedWorkflows, isComplete, type Workflow, workflowsIn } from '../support/workflows.ts';

/** Whether a step is run here: one of this action, or a script. A block may show only the steps of others. */
const isOwnStep = (step: unknown): boolean =>
  textAt(step, 'run') !== undefined || parseOwnAction(textAt(step, 'uses') ?? '') !== undefined;

/** The workflows that the jobs of one call. */
function callsOf(content: unknown): readonly string[] {
  const jobs = valueAt(content, 'jobs');
  return isMapping(jobs) ? Object.values(jobs).flatMap((job) => textAt(job, 'uses') ?? []) : [];
}

/**
 * Every workflow of the documentation, and every piece of one, that has such steps or calls another; pages
 * repeat some examples.
 */
const all = [...workflowsIn('examples'), ...documentedWorkflows()].filter(
  ({ content }) => stepsOf(content).some(isOwnStep) || callsOf(content).length > 0,
);
const texts = new Map(all.map((workflow) => [workflow.text, workflow]));
const workflows = [...texts.values()];

const signingKey = createSigningKey('one');

/** A workflow that only others call runs with theirs. */
function isOnlyCalled({ content }: Workflow): boolean {
  const on = valueAt(content, 'on');
  return isMapping(on) && Object.keys(on).join() === 'workflow_call';
}

function workflowNamed(name: string): Workflow {
  const found = workflows.find((workflow) => workflow.name === name);
  if (found === undefined) throw new Error(`there is no workflow ${name}`);
  return found;
}

/** The workflow; a piece of one as the steps of a job, behind what the steps before it would do. */
function wholeWorkflow(workflow: Workflow, before?: string): unknown {
  if (isComplete(workflow)) return workflow.content;
  const earlier = before === undefined ? [] : [{ run: before }];
  const env = valueAt(workflow.content, 'env') ?? {};
  const steps = [...earlier, ...stepsOf(workflow.content)];
  const job = { permissions: { 'id-token': 'write' }, env, steps };
  return { name: workflow.name, on: 'push', jobs: { piece: job } };
}

/** A service, and GitHub as the provider of identity tokens. */
interface Servers {
  readonly service: TestService;
  readonly identityProvider: IdentityProvider;
  readonly earlier: Map<string, readonly ArtifactEntry[]>;
  readonly attestations: Attestations;
}

/** Starts a service with the login rules of the guide and, for a protected workflow, that of docs/login.md. */
async function startServers({ rule }: Pick<WorkflowCase, 'rule'>, isProtected: boolean): Promise<Servers> {
  const identityProvider = await startIdentityProvider(await signingKey);
  const service = await startTestService({ options: { allowPrivateIssuers: true } });
  const { baseUrl, apiKey } = service;
  const reader = { baseUrl, apiKey, issuer: identityProvider.issuer };
  await declareDocumentedLoginRules('docs/how-to/connect.md', { ...reader, ...rule });
  if (isProtected) await declareDocumentedLoginRules('docs/login.md', reader);
  return { service, identityProvider, earlier: new Map(), attestations: new Map() };
}

async function run(
  { service, identityProvider, earlier, attestations }: Servers,
  workflow: Workflow,
  one: Pick<WorkflowCase, 'run' | 'gate' | 'secrets' | 'pods' | 'before'>,
): Promise<DocumentedWorkflowEnd> {
  const personal = await service.createKey('member');
  const keys = {
    // Of a user of a hosted service, which has no login.
    ...(workflow.name === 'Trying the connection' ? { COMPLIANCE_API_TOKEN: service.apiKey } : {}),
    COMPLIANCE_ADMIN_TOKEN: service.apiKey,
    COMPLIANCE_PERSONAL_TOKEN: personal,
  };
  const content = wholeWorkflow(workflow, one.before);
  if (!isTriggeredBy(valueAt(content, 'on'), one.run))
    throw new Error(`${one.run.eventName} does not start ${workflow.name}`);
  return runDocumentedWorkflow(content, {
    run: one.run,
    vars: { COMPLIANCE_BASE_URL: service.baseUrl },
    secrets: one.secrets === 'none' ? {} : { ...keys, SONAR_TOKEN: 'squ_user_token_0123' },
    identityProvider,
    earlier,
    attestations,
    gate: one.gate ?? 'OK',
    artifacts: { coverage: [{ path: 'lcov.info', content: 'TN:\n' }] },
    ...(one.pods === undefined ? {} : { pods: one.pods }),
  });
}

const contextOf = (servers: Servers, { gate = 'OK' }: WorkflowCase): CaseContext => ({
  service: servers.service,
  gate,
  earlier: servers.earlier,
  async runFirst(name, event) {
    await run(servers, workflowNamed(name), { run: event, gate });
  },
});

/** How each job ended; of a matrix, and of a called workflow, the end as others see it. */
function resultsOf(jobs: readonly JobEnd[]): Record<string, string> {
  return Object.fromEntries(jobs.filter(({ key }) => !key.includes(' / ')).map(({ key, result }) => [key, result]));
}

/** All that was said, for the reader of a test that fails. */
function logOf({ jobs }: DocumentedWorkflowEnd): string {
  return jobs.flatMap(({ steps }) => steps.map(({ name, log }) => `== ${name}\n${log}`)).join('\n');
}

describe('the workflows of the documentation', () => {
  it('have names of their own', () => {
    const names = workflows.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('are the ones that run here', () => {
    const names = workflows.filter((workflow) => !isOnlyCalled(workflow)).map(({ name }) => name);
    expect(Object.keys(workflowCases).sort()).toEqual(names.sort());
  });

  it('call the ones that are only called', () => {
    const paths = workflows.flatMap(({ content }) => callsOf(content));
    expect(workflows.filter(isOnlyCalled)).toHaveLength(new Set(paths).size);
  });
});

describeAsOnUbuntu.each(Object.keys(workflowCases))('the workflow "%s"', (name) => {
  it.concurrent.each(workflowCases[name] ?? [])('$title', async (one) => {
    const servers = await startServers(one, protectedWorkflows.has(name));
    const { service, identityProvider } = servers;
    try {
      await one.prepare?.(contextOf(servers, one));
      const end = await run(servers, workflowNamed(name), one);
      const steps = end.jobs.flatMap((job) => job.steps);
      expect({
        jobs: resultsOf(end.jobs),
        outcomes: steps.flatMap(({ action }) => action?.outputs['outcome'] ?? []),
        skipped: steps.filter(({ outcome }) => outcome === 'skipped').map((step) => step.name),
        statuses: Object.fromEntries(end.statuses.map(({ context, state }) => [context, state])),
        breaches: end.breaches,
        log: logOf(end),
      }).toEqual({
        jobs: one.jobs,
        outcomes: one.outcomes,
        skipped: one.skipped ?? [],
        statuses: one.statuses ?? {},
        breaches: [],
        log: expect.any(String),
      });
      expect(service.errors).toEqual([]);
    } finally {
      await service.stop();
      await identityProvider.stop();
    }
  });
});

describeAsOnUbuntu('the login rule of the quick start', () => {
  it.concurrent.each([...protectedWorkflows])('is not enough for the workflow "%s"', async (name) => {
    const [one] = workflowCases[name] ?? [];
    if (one === undefined) throw new Error(`there is no workflow ${name}`);
    const servers = await startServers(one, false);
    try {
      await one.prepare?.(contextOf(servers, one));
      const { jobs } = await run(servers, workflowNamed(name), one);
      expect(Object.values(resultsOf(jobs))).toContain('failure');
      const log = jobs.flatMap(({ steps }) => steps.map((step) => step.log)).join('');
      expect(log).toMatch(/does not let this run log in|403/u);
    } finally {
      await servers.service.stop();
      await servers.identityProvider.stop();
    }
  });
});

/** The workflow as the guide tells those who have a stored key to change it: with the key beside the base URL. */
function withStoredKey(text: string): unknown {
  const key = '${{ secrets.COMPLIANCE_API_TOKEN }}';
  return load(
    text
      .replaceAll(/^( *)base-url: .*\n/gmu, `$&$1api-token: ${key}\n`)
      .replaceAll(/^( *)COMPLIANCE_BASE_URL: .*\n/gmu, `$&$1COMPLIANCE_API_TOKEN: ${key}\n`),
  );
}

describeAsOnUbuntu('with a stored key', () => {
  it.concurrent.each(['Compliance quick start', 'Merge gate'])('the workflow "%s" needs no login', async (name) => {
    const [one] = workflowCases[name] ?? [];
    const service = await startTestService();
    try {
      if (one === undefined) throw new Error(`there is no workflow ${name}`);
      await saveFlow(service, { name: 'web', template: ['sonar'] });
      const { jobs } = await runDocumentedWorkflow(withStoredKey(workflowNamed(name).text), {
        run: one.run,
        vars: { COMPLIANCE_BASE_URL: service.baseUrl },
        secrets: { COMPLIANCE_API_TOKEN: await service.createKey('member'), SONAR_TOKEN: 'squ_user_token_0123' },
        gate: 'OK',
      });
      expect(resultsOf(jobs)).toEqual(one.jobs);
    } finally {
      await service.stop();
    }
  });
});
