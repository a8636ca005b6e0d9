import { describe, expect, it } from '@jest/globals';
import { documentedWorkflows, isComplete, pathOf, workflowsIn } from '../support/workflows.ts';
import { workflowLinter } from './workflow-linter.ts';

const documented = documentedWorkflows().filter(isComplete);
const all = [...workflowsIn('examples'), ...workflowsIn('.github/workflows'), ...documented];
const called = new Map(documented.flatMap((found) => [[pathOf(found) ?? found.where, found.text] as const]));

describe('the linter of workflows', () => {
  const sound = [
    'on: pull_request',
    'permissions: { contents: read }',
    'jobs:',
    '  gate:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    '      - uses: OWNER/compliance-action@v1',
    '        with: { operation: get-artifact, flow: "${{ vars.FLOW }}" }',
    '',
  ].join('\n');

  it('finds nothing in a valid workflow', async () => {
    expect(await workflowLinter()('sound', sound)).toEqual([]);
  });

  it.each([
    ['an event that does not exist', 'on: pull_request', 'on: pull_requests', /^1: .*pull_requests/u],
    ['a permission that does not exist', 'contents: read', 'content: read', /^2: .*content/u],
    ['a key that does not exist', 'runs-on', 'run-on', /run-on/u],
    ['an input that does not exist', 'flow:', 'flwo:', /^8: .*flwo/u],
    ['a step without its required input', 'operation: get-artifact, ', '', /operation/u],
    ['a context that does not exist', 'vars.FLOW', 'variables.FLOW', /^8: .*variables/u],
    ['a field that the event does not have', 'vars.FLOW', 'github.event.pull_request.head.shaa', /^8: .*shaa/u],
    ['an expression that does not end', 'vars.FLOW', 'format(vars.FLOW', /^8: /u],
    ['a step that does not exist', 'vars.FLOW', 'steps.build.outputs.flow', /^8: .*build/u],
    ['a called workflow that is not there', 'jobs:', 'jobs:\n  x: { uses: ./.github/workflows/x.yml }', /^4: /u],
  ])('finds %s', async (_what, right, wrong, words) => {
    const findings = await workflowLinter()(wrong, sound.replace(right, wrong));
    expect(findings).toContainEqual(expect.stringMatching(words));
  });

  it('finds an input that a called workflow does not have', async () => {
    const gate = 'on: { workflow_call: { inputs: { flow: { type: string, required: true } } } }\njobs: {}\n';
    const calling = sound.replace('jobs:', 'jobs:\n  x: { uses: ./.github/workflows/gate.yml, with: { flwo: web } }');
    const findings = await workflowLinter(new Map([['.github/workflows/gate.yml', gate]]))('calling', calling);
    expect(findings).toContainEqual(expect.stringMatching(/^4: .*flow/u));
    expect(findings).toContainEqual(expect.stringMatching(/^4: .*flwo/u));
  });
});

describe('the workflows', () => {
  it.each(all)('of $where are valid', async ({ where, text }) => {
    expect(await workflowLinter(called)(where, text)).toEqual([]);
  });
});
