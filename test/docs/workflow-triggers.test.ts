import { describe, expect, it } from '@jest/globals';
import { isMapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { actionSteps, stepsOf } from '../support/repository.ts';
import { filtersFor } from '../support/workflow-trigger.ts';
import { documentedWorkflows, isComplete, type Workflow, workflowsIn } from '../support/workflows.ts';

const workflows = ['examples', '.github/workflows']
  .flatMap(workflowsIn)
  .concat(documentedWorkflows().filter(isComplete));

function scansWithout(property: string, workflow: unknown): readonly unknown[] {
  return stepsOf(workflow).filter((step) => {
    const action = textAt(step, 'uses') ?? '';
    const words = `${textAt(step, 'run') ?? ''} ${textAt(step, 'with', 'args') ?? ''}`;
    const scans = /sonar\w*-scan/u.test(action) || /\bsonar-scanner\b|\bsonar:sonar\b|\bsonarqube?\b/u.test(words);
    return scans && !new RegExp(String.raw`-D${property}=\S`, 'u').test(words);
  });
}

describe('a scan', () => {
  it('is found without its revision', () => {
    const scan = { uses: 'SonarSource/sonarqube-scan-action@v6' };
    const args = '-Dsonar.scm.revision=${{ github.event.workflow_run.head_sha }}';
    const without = (...steps: readonly unknown[]): readonly unknown[] =>
      scansWithout('sonar.scm.revision', { jobs: { sonar: { steps } } });
    expect(without(scan, { run: 'npx sonar-scanner' }, { run: 'mvn sonar:sonar' })).toHaveLength(3);
    expect(without({ ...scan, with: { args } }, { run: 'make test' })).toEqual([]);
  });

  it.each(['examples', '.github/workflows'].flatMap(workflowsIn).concat(documentedWorkflows()))(
    'names its commit in $where, because versions before 25.1 report the merge commit of a pull request',
    ({ content }) => {
      expect(scansWithout('sonar.scm.revision', content)).toEqual([]);
    },
  );

  it.each(workflows.filter(({ content }) => filtersFor(valueAt(content, 'on'), 'merge_group') !== undefined))(
    'of a merge group names what it is compared with in $where',
    ({ content }) => {
      expect(scansWithout('sonar.newCode.referenceBranch', content)).toEqual([]);
    },
  );
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
