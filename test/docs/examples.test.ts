import { describe, expect, it } from '@jest/globals';
import { connectionInputs } from '../../src/operations/inputs/connection-inputs.ts';
import type { Use } from '../../src/operations/inputs/input.ts';
import { allOperationNames, type AnyOperationName } from '../../src/operations/operation-names.ts';
import { operations } from '../../src/operations/registry.ts';
import { isMapping, listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { commonNames } from '../../src/step/run/common-inputs.ts';
import { fallbackVariable } from '../../src/step/run/read-inputs.ts';
import { actionEntries, actionSteps, stepsOf } from '../support/repository.ts';
import { permissionsOf } from '../support/workflow-engine.ts';
import { documentedWorkflows, isComplete, workflowsIn } from '../support/workflows.ts';

const examples = workflowsIn('examples');
const ownWorkflows = workflowsIn('.github/workflows');
const documented = documentedWorkflows();

const steps = [...examples, ...ownWorkflows, ...documented].flatMap(({ where, text, content }) =>
  actionSteps(content).map((inputs) => [`${where}: ${String(inputs.get('operation'))}`, inputs, text] as const),
);

/** The inputs of an operation, and those of the connection. */
async function usesOf(name: AnyOperationName): Promise<readonly Use<unknown>[]> {
  return [...Object.values(connectionInputs), ...Object.values((await operations[name]()).inputs)];
}

describe.each(steps)('the step in %s', (_where, inputs, text) => {
  const given = [...inputs.keys()];
  const name = allOperationNames.find((known) => known === inputs.get('operation'));

  it('runs an operation that exists', () => {
    expect(name).toBeDefined();
  });

  it('uses only inputs of action.yml', () => {
    expect([...actionEntries('inputs').keys()]).toEqual(expect.arrayContaining(given));
  });

  it('uses only inputs of its operation', async () => {
    const own = name === undefined ? [] : await usesOf(name);
    expect([...commonNames, ...own.map(({ input }) => input.name)]).toEqual(expect.arrayContaining(given));
  });

  it('has all required inputs, or the workflow sets their variables', async () => {
    const required = name === undefined ? [] : (await usesOf(name)).filter(({ absent }) => absent === 'error');
    const missing = required.map(({ input }) => input).filter((wanted) => !inputs.has(wanted.name));
    const isSet = (variable: string): boolean => text.includes(`${variable}:`) || text.includes(`${variable}=`);
    expect(missing.filter((wanted) => wanted.fallback !== true || !isSet(fallbackVariable(wanted.name)))).toEqual([]);
  });

  it('has valid values', async () => {
    for (const { input } of name === undefined ? [] : await usesOf(name)) {
      const value = inputs.get(input.name) ?? '';
      // Expressions have values only on GitHub.
      if (value === '' || value.includes('${{')) continue;
      expect(input.parse(value.trim())).toHaveProperty('value');
    }
  });
});

describe('the steps of the documentation', () => {
  it('cover every operation', () => {
    const covered = [...examples, ...documented]
      .flatMap(({ content }) => actionSteps(content))
      .map((inputs) => inputs.get('operation'));
    expect([...new Set(covered)].sort()).toEqual([...allOperationNames].sort());
  });
});

it.each(examples)('a filter of $where that names a workflow names this one', ({ where, content }) => {
  const named = listAt(content, 'on', 'push', 'paths').filter((path) => String(path).startsWith('.github/workflows/'));
  expect(named).toEqual(named.map(() => where.replace('examples', '.github/workflows')));
});

const complete = [...examples, ...ownWorkflows, ...documented.filter(isComplete)];

describe.each(complete.map(({ where, content }) => [where, content] as const))('the workflow %s', (_where, content) => {
  const jobs = valueAt(content, 'jobs');
  const all = isMapping(jobs) ? Object.values(jobs) : [];

  it('has a name, an event, permissions, and jobs with a timeout', () => {
    expect(textAt(content, 'name')).toBeDefined();
    expect(valueAt(content, 'on')).toBeDefined();
    expect(isMapping(valueAt(content, 'permissions'))).toBe(true);
    expect(all.length).toBeGreaterThan(0);
    // A job that calls a workflow has no timeout.
    const own = all.filter((job) => textAt(job, 'uses') === undefined);
    for (const job of own) expect(valueAt(job, 'timeout-minutes')).toEqual(expect.any(Number));
  });

  it.each([
    ['pull-request-comment', 'pull-requests'],
    ['commit-status', 'statuses'],
  ])('has the write permission for %s only if it needs it', (input, permission) => {
    for (const job of all) {
      const permissions = valueAt(job, 'permissions') ?? valueAt(content, 'permissions');
      const wanted = actionSteps({ steps: listAt(job, 'steps') }).some((inputs) => inputs.has(input));
      expect(valueAt(permissions, permission) === 'write').toBe(wanted);
    }
  });

  it('has no expressions in scripts, where their values would be executed', () => {
    for (const step of stepsOf(content)) expect(textAt(step, 'run') ?? '').not.toContain('${{');
  });

  it('does not persist credentials in the checkout', () => {
    const checkouts = stepsOf(content).filter((step) => textAt(step, 'uses')?.startsWith('actions/checkout@') === true);
    for (const step of checkouts) expect(valueAt(step, 'with', 'persist-credentials')).toBe(false);
  });
});

const shown = [...examples, ...documented].filter(({ content }) => isMapping(valueAt(content, 'jobs')));

describe.each(shown.map(({ where, content }) => [where, content] as const))('the jobs of %s', (_where, content) => {
  const jobs = valueAt(content, 'jobs');

  it.each(isMapping(jobs) ? Object.entries(jobs) : [])('get identity tokens only to log in: %s', (_key, job) => {
    const hasKey = [valueAt(content, 'env'), valueAt(job, 'env')].some(
      (variables) => valueAt(variables, 'COMPLIANCE_API_TOKEN') !== undefined,
    );
    const logsIn = actionSteps({ steps: listAt(job, 'steps') }).some((inputs) => !hasKey && !inputs.has('api-token'));
    const callsOther = textAt(job, 'uses') !== undefined;
    expect(valueAt(permissionsOf(job, content), 'id-token') === 'write').toBe(logsIn || callsOther);
  });
});

describe('every workflow, in the documentation, too', () => {
  it('pins every action of others to a commit, with its version in a comment', () => {
    const lines = [...examples, ...ownWorkflows, ...documented].flatMap(({ text }) => text.split('\n'));
    const foreign = lines.filter((line) => /\buses: (?!\.\/|OWNER\/|acme\/)/u.test(line)).map((line) => line.trim());
    expect(foreign.length).toBeGreaterThan(20);
    for (const line of foreign) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u);
    const pins = new Set(foreign.map((line) => line.replace(/^(?:- )?uses: /u, '')));
    const actions = new Set([...pins].map((pin) => pin.split('@', 1).join('')));
    expect(pins.size).toBe(actions.size);
  });
});
