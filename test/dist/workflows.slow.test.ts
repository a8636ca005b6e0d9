import { describe, expect, it } from '@jest/globals';
import { isMapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { parseOwnAction } from '../support/own-action.ts';
import { describeAsOnUbuntu } from '../support/platform.ts';
import { stepsOf } from '../support/repository.ts';
import { startTestService, type TestService } from '../support/service.ts';
import type { JobEnd } from '../support/workflow-engine.ts';
import { runDocumentedWorkflow, type DocumentedWorkflowEnd } from '../support/workflow-fixture.ts';
import { workflowCases, type WorkflowCase } from '../support/workflow-cases.ts';
import type { CaseContext } from '../support/workflow-preparations.ts';
import { isTriggeredBy } from '../support/workflow-trigger.ts';
import { documentedWorkflows, isComplete, workflowsIn, type Workflow } from '../support/workflows.ts';

/** Whether a step is run here: one of this action, or a script. A block may show only the steps of others. */
const isOwnStep = (step: unknown): boolean =>
  textAt(step, 'run') !== undefined || parseOwnAction(textAt(step, 'uses') ?? '') !== undefined;

/** Every workflow of the documentation, and every piece of one, that has such steps; the README repeats some examples. */
const all = [...workflowsIn('examples'), ...documentedWorkflows()].filter(({ content }) =>
  stepsOf(content).some(isOwnStep),
);
const texts = new Map(all.map((workflow) => [workflow.text, workflow]));
const workflows = [...texts.values()];

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
  return { name: workflow.name, on: 'push', jobs: { piece: { steps: [...earlier, ...stepsOf(workflow.content)] } } };
}

async function run(
  service: TestService,
  workflow: Workflow,
  one: Pick<WorkflowCase, 'run' | 'gate' | 'secrets' | 'pods' | 'before'>,
): Promise<DocumentedWorkflowEnd> {
  const personal = await service.createKey('member');
  const secrets = {
    COMPLIANCE_API_TOKEN: service.apiKey,
    COMPLIANCE_ADMIN_TOKEN: service.apiKey,
    COMPLIANCE_PERSONAL_TOKEN: personal,
    SONAR_TOKEN: 'user-token',
  };
  const content = wholeWorkflow(workflow, one.before);
  if (!isTriggeredBy(valueAt(content, 'on'), one.run))
    throw new Error(`${one.run.eventName} does not start ${workflow.name}`);
  return runDocumentedWorkflow(content, {
    run: one.run,
    vars: { COMPLIANCE_BASE_URL: service.baseUrl },
    secrets: one.secrets === 'none' ? {} : secrets,
    gate: one.gate ?? 'OK',
    artifacts: { coverage: [{ path: 'lcov.info', content: 'TN:\n' }] },
    ...(one.pods === undefined ? {} : { pods: one.pods }),
  });
}

const contextOf = (service: TestService, { gate = 'OK' }: WorkflowCase): CaseContext => ({
  service,
  gate,
  async runFirst(name, event) {
    await run(service, workflowNamed(name), { run: event, gate });
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
    const jobs = workflows
      .map(({ content }) => valueAt(content, 'jobs'))
      .flatMap((of) => (isMapping(of) ? Object.values(of) : []));
    const paths = jobs.flatMap((job) => textAt(job, 'uses') ?? []);
    expect(workflows.filter(isOnlyCalled)).toHaveLength(new Set(paths).size);
  });
});

describeAsOnUbuntu.each(Object.keys(workflowCases))('the workflow "%s"', (name) => {
  it.concurrent.each(workflowCases[name] ?? [])('$title', async (one) => {
    const service = await startTestService();
    try {
      await one.prepare?.(contextOf(service, one));
      const end = await run(service, workflowNamed(name), one);
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
    }
  });
});
