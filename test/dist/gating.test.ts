import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { textAt, valueAt, type Mapping } from '../../src/runtime/values.ts';
import type { StepResult } from '../../tools/run-action.ts';
import { jobCommit, openActionJob, type ActionJob } from '../support/action-job.ts';
import { pod, reportPods, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { eventRuns } from '../support/event-runs.ts';
import { apiCommit, startGitHub, type GitHubStandIn } from '../support/github-stand-in.ts';
import { actionSteps } from '../support/repository.ts';
import { fingerprintOf } from '../support/service-samples.ts';
import { analysisId, finishedAnalysis, reportText } from '../support/sonar-analysis.ts';
import { startSonarServer, type SonarWorld } from '../support/sonar-server.ts';
import { webhookReport } from '../support/sonar-webhook.ts';
import { runActionSteps, type ActionStep } from '../support/workflow-run.ts';
import { workflowsOn } from '../support/workflows.ts';

const workflows = workflowsOn('docs/gating.md').map(({ content }) => content);

/** The artifact that the workflows ask about. */
const fingerprint = fingerprintOf('abcdef');

interface Gating {
  /** The name of the workflow. */
  readonly name: string;
  readonly eventName: string;
  /** Its jobs that use the action, in their order. */
  readonly jobs: readonly string[];
  /** What the expressions name beside `github`, `vars` and `secrets`. */
  readonly contexts?: Mapping;
  /** The folder that the scan of the workflow leaves its report in; where it scans nothing, it finds the evidence there. */
  readonly scanned?: string;
}

const built = { needs: { build: { outputs: { fingerprint } } } };

const gatings: readonly Gating[] = [
  { name: 'Compliance', eventName: 'pull_request', jobs: ['build', 'gate'], contexts: built, scanned: '.' },
  { name: 'Compliance, in the queue too', eventName: 'pull_request', jobs: ['gate'], scanned: '.' },
  { name: 'Compliance, in the queue too', eventName: 'merge_group', jobs: ['gate'], scanned: '.' },
  {
    name: 'Deploy',
    eventName: 'workflow_dispatch',
    jobs: ['deploy'],
    contexts: { inputs: { fingerprint, environment: 'production' } },
  },
  ...['web', 'api'].map((service) => ({
    name: 'Compliance of each service',
    eventName: 'pull_request',
    jobs: ['sonar'],
    contexts: { matrix: { service } },
    scanned: `services/${service}`,
  })),
  { name: 'Compliance of pull requests', eventName: 'workflow_run', jobs: ['sonar'], scanned: 'source' },
  {
    name: 'Compliance gate',
    eventName: 'push',
    jobs: ['gate'],
    contexts: { inputs: { flow: 'web', fingerprint, wait: 600 } },
  },
];

let job: ActionJob;
let github: GitHubStandIn;

beforeEach(async () => {
  const commit = `/repos/acme/widgets/commits/${jobCommit}?per_page=1`;
  [job, github] = await Promise.all([
    openActionJob(),
    startGitHub({ [commit]: { status: 200, body: apiCommit(jobCommit) } }),
  ]);
  await prepare();
});

afterEach(() => Promise.all([job.close(), github.close()]));

/** The flows `web` and `api`, and the artifact in the first, running in a compliant environment `production`. */
async function prepare(): Promise<void> {
  const { service } = job;
  for (const name of ['web', 'api']) {
    const body = JSON.stringify({ name, description: 'Of a test', template: ['artifact', 'sonar'] });
    expect((await job.ask(`/flows/${service.org}`, { method: 'PUT', body })).status).toBe(201);
  }
  expect(await job.report('web', { fingerprint })).toBe(201);
  await savePolicy(service, 'known');
  await saveEnvironment(service, 'production', { policies: ['known'] });
  await reportPods(service, 'production', pod('web-1', { web: 'abcdef' }));
}

function workflowOf({ name }: Gating): unknown {
  return workflows.find((content) => textAt(content, 'name') === name);
}

/** Holds what was asked of GitHub since then to the permissions of the job. */
function expectPermitted(permissions: unknown, since: number): void {
  for (const { method, url } of github.requests.slice(since)) {
    expect({ method, url, permissions }).toMatchObject({ permissions: permissionFor(method, url) });
  }
}

/** What a call of GitHub's API needs (GitHub's documentation, "Permissions required for GitHub Apps"). */
function permissionFor(method = '', url = ''): Mapping {
  const [, area = ''] = /^\/repos\/acme\/widgets\/(\w+)/u.exec(url) ?? [];
  const access = method === 'GET' ? 'read' : 'write';
  if (area === 'statuses') return { statuses: access };
  // Who may write may read.
  if (area === 'issues' || area === 'pulls') return { 'pull-requests': 'write' };
  return { contents: access };
}

/** Lays out what the other steps of a workflow leave behind, and runs those of the action, until one fails. */
async function runWorkflow(gating: Gating, gate: 'OK' | 'ERROR'): Promise<readonly StepResult[]> {
  const workflow = workflowOf(gating);
  const sonar = await startSonarServer({ world: { ...finishedAnalysis(jobCommit), ...gateOf(gate) } });
  try {
    if (gating.scanned === undefined) await attestElsewhere(gate);
    else await job.workspace.write(`${gating.scanned}/.scannerwork/report-task.txt`, reportText(sonar.url));
    await job.workspace.write('coverage/lcov.info', 'TN:');
    const results: StepResult[] = [];
    for (const name of gating.jobs) {
      const contexts = contextsOf(gating, sonar.url);
      const asked = github.requests.length;
      results.push(...(await runActionSteps({ workflow, job: name, contexts }, stepOn(gating))));
      expectPermitted(valueAt(workflow, 'jobs', name, 'permissions') ?? valueAt(workflow, 'permissions'), asked);
    }
    return results;
  } finally {
    await sonar.close();
  }
}

function gateOf(status: string): Partial<SonarWorld> {
  return { gates: { [analysisId]: { status, conditions: [] } } };
}

/** The evidence about the artifact where the workflow only asks for it. */
async function attestElsewhere(gate: string): Promise<void> {
  await job.workspace.write('sonar.json', JSON.stringify(webhookReport(gate, jobCommit)));
  const inputs = { operation: 'attest-sonar', flow: 'web', 'sonar-report-path': 'sonar.json' };
  expect((await job.step({ ...inputs, 'on-non-compliant': 'ignore' })).outputs['state']).toBe(gate);
}

/** A step in a job that the event started, in which nothing is set but what the workflow and the defaults of action.yml set. */
function stepOn({ eventName, contexts }: Gating): ActionStep {
  const run = eventRuns.find((known) => known.eventName === eventName);
  const nothingSet = { COMPLIANCE_BASE_URL: undefined, COMPLIANCE_API_TOKEN: undefined, COMPLIANCE_ORG: undefined };
  return (inputs, variables) =>
    job.step(
      {
        'github-token': 'the-token-of-the-job',
        matrix: JSON.stringify(contexts?.['matrix'] ?? null, undefined, 2),
        ...inputs,
      },
      {
        event: run?.event,
        variables: {
          ...run?.variables,
          ...nothingSet,
          GITHUB_EVENT_NAME: eventName,
          GITHUB_API_URL: github.url,
          ...variables,
        },
      },
    );
}

function contextsOf({ eventName, contexts = {} }: Gating, sonarUrl: string): Mapping {
  const event = eventRuns.find((known) => known.eventName === eventName)?.event;
  const token = job.service.apiKey;
  return {
    github: { event, event_name: eventName, token: 'the-token-of-the-job' },
    vars: { COMPLIANCE_BASE_URL: job.service.baseUrl, SONAR_HOST_URL: sonarUrl },
    secrets: { COMPLIANCE_API_TOKEN: token, 'api-token': token, SONAR_TOKEN: 'user-token' },
    ...contexts,
  };
}

describe('the workflows of the guide', () => {
  it('are all run here that use the action', () => {
    const names = workflows.filter((content) => actionSteps(content).length > 0).map((content) => textAt(content, 'name'));
    const whole = names.filter((name) => name !== undefined);
    expect([...new Set(gatings.map(({ name }) => name))].sort()).toEqual([...whole].sort());
  });

  it.each(gatings)('$name, on $eventName, opens for good evidence and closes for bad, with the permissions that it names', async (gating) => {
    const good = await runWorkflow(gating, 'OK');
    expect(good.map(({ exitCode, outputs }) => [exitCode, outputs['outcome']])).toEqual(
      good.map(() => [0, 'compliant']),
    );
    const bad = await runWorkflow(gating, 'ERROR');
    expect(bad).toHaveLength(good.length);
    expect(bad.at(-1)).toMatchObject({ exitCode: 1, errorLog: '', outputs: { outcome: 'non-compliant' } });
  });

  it('closes where the build that the gate needs left nothing', async () => {
    const [gate] = gatings.filter(({ name }) => name === 'Compliance');
    if (gate === undefined) throw new Error('there is no such workflow');
    const [result] = await runWorkflow({ ...gate, jobs: ['gate'], contexts: { needs: { build: { outputs: {} } } } }, 'OK');
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'error', compliant: '' } });
    expect(result?.log).toContain('`fingerprint`');
  });
});
