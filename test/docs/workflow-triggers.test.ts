import { describe, expect, it } from '@jest/globals';
import { isMapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { eventRuns, type EventRun } from '../support/event-runs.ts';
import { actionSteps, stepsOf } from '../support/repository.ts';
import { filtersFor, isTriggeredBy } from '../support/workflow-trigger.ts';
import { documentedWorkflows, isComplete, workflowsIn, type Workflow } from '../support/workflows.ts';

const workflows = ['examples', '.github/workflows']
  .flatMap(workflowsIn)
  .concat(documentedWorkflows().filter(isComplete));

/** What a scanner in GitHub Actions takes for the scanned commit: the head on `pull_request`, else `GITHUB_SHA`. */
function scannedCommit({ eventName, judged, variables }: EventRun): unknown {
  return eventName === 'pull_request' ? judged['sha'] : variables['GITHUB_SHA'];
}

/** The events on which a scanner, left alone, reports another commit than the one that is attested. */
const misreported = eventRuns.filter((run) => scannedCommit(run) !== run.judged['sha']);

/** The steps that scan without a given revision. */
function scansWithoutRevision(workflow: unknown): readonly unknown[] {
  return stepsOf(workflow).filter((step) => {
    const action = textAt(step, 'uses') ?? '';
    const words = `${textAt(step, 'run') ?? ''} ${textAt(step, 'with', 'args') ?? ''}`;
    const scans = /sonar\w*-scan/u.test(action) || /\bsonar-scanner\b|\bsonar:sonar\b|\bsonarqube?\b/u.test(words);
    return scans && !/-Dsonar\.scm\.revision=\S/u.test(words);
  });
}

/** The events of `misreported` that start the workflow; filters on names are taken as met. */
function misreportedEvents({ content }: Workflow): readonly string[] {
  const on = valueAt(content, 'on');
  return misreported.flatMap((run) => {
    if (run.eventName === 'push') return isTriggeredBy(on, run) ? [run.title] : [];
    return filtersFor(on, run.eventName) === undefined ? [] : [run.title];
  });
}

describe('a scanner', () => {
  it('reports another commit than the attested one on these events, unless it gets the revision', () => {
    expect([...new Set(misreported.map(({ eventName }) => eventName))].sort()).toEqual([
      'check_run',
      'check_suite',
      'issue_comment',
      'pull_request_review',
      'pull_request_target',
      'push',
      'status',
      'workflow_run',
    ]);
  });

  it('is found without its revision', () => {
    const scan = { uses: 'SonarSource/sonarqube-scan-action@v6' };
    const args = '-Dsonar.scm.revision=${{ github.event.workflow_run.head_sha }}';
    const workflow = (...steps: readonly unknown[]): unknown => ({ jobs: { sonar: { steps } } });
    expect(scansWithoutRevision(workflow(scan, { run: 'npx sonar-scanner' }, { run: 'mvn sonar:sonar' }))).toHaveLength(
      3,
    );
    expect(scansWithoutRevision(workflow({ ...scan, with: { args } }, { run: 'make test' }))).toEqual([]);
  });

  it.each(workflows)('gets the revision on such events in $where', (workflow) => {
    const events = misreportedEvents(workflow);
    expect({ events, scans: events.length === 0 ? [] : scansWithoutRevision(workflow.content) }).toEqual({
      events,
      scans: [],
    });
  });
});

/**
 * Whether a check that the guide tells to require comes from this workflow: the job `compliance`, or a commit status.
 */
function hasRequiredCheck({ content }: Workflow): boolean {
  const jobs = valueAt(content, 'jobs');
  const named =
    isMapping(jobs) && Object.entries(jobs).some(([key, job]) => (textAt(job, 'name') ?? key) === 'compliance');
  return named || actionSteps(content).some((inputs) => inputs.has('commit-status'));
}

const required = workflows.filter(hasRequiredCheck);
const namedWorkflows = new Map(workflows.map((workflow) => [workflow.name, workflow]));

describe('a workflow with a required check', () => {
  it('is found', () => {
    expect(required.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Compliance', 'Merge gate', 'Compliance of pull requests']),
    );
  });

  it.each(required)('has no filter that prevents it from starting, in $where', ({ content }) => {
    const on = valueAt(content, 'on');
    const upstream = [valueAt(on, 'workflow_run', 'workflows')].flat().map((name) => namedWorkflows.get(String(name)));
    for (const workflow of [content, ...upstream.map((one) => one?.content)]) {
      for (const event of ['pull_request', 'pull_request_target', 'merge_group'])
        expect({ event, filters: filtersFor(valueAt(workflow, 'on'), event) ?? {} }).toEqual({ event, filters: {} });
    }
  });

  it('handles every conclusion of the workflow that it waits for', () => {
    for (const { content } of required) {
      const filters = filtersFor(valueAt(content, 'on'), 'workflow_run');
      if (filters === undefined) continue;
      expect(filters).toEqual({ workflows: [expect.any(String)], types: ['completed'] });
      for (const name of [filters['workflows']].flat()) expect(namedWorkflows.has(String(name))).toBe(true);
    }
  });
});
