import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { codeWordsOf, fencesOf, tablesOf } from '../support/markdown.ts';
import { readText, root } from '../support/repository.ts';
import { protectedWorkflows } from '../support/workflow-cases.ts';
import { type Workflow, workflowsIn } from '../support/workflows.ts';

const readme = readText('README.md');
const exampleNames = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.yml'));
describe('the README', () => {
  it('shows the two commands right after the introduction', () => {
    const [, first = '', second = ''] = readme.split(/^## /mu);
    expect(first.split('\n')[0]).toBe('Try it');
    expect(fencesOf(`## ${first}`).map(({ text }) => text)).toEqual(['npm run trial\n', 'npm cit\n']);
    expect(second).toMatch(/^Five lines of YAML\n/u);
  });
});

describe('the guides', () => {
  it.each([
    ['connect', 'quick-start'],
    ['merge', 'merge-gate'],
  ])('show an example word for word: %s', (guide, example) => {
    const [first] = fencesOf(readText(`docs/how-to/${guide}.md`));
    expect(first?.text).toBe(readText(`examples/${example}.yml`));
  });

  it('name the check to require as the job of the merge gate', () => {
    const gate = workflowsIn('examples').find(({ name }) => name === 'Merge gate');
    const name = textAt(gate?.content, 'jobs', 'gate', 'name') ?? '';
    expect(readText('docs/how-to/merge.md').replaceAll(/\s+/gu, ' ')).toContain(`and choose \`${name}\``);
  });
});

describe('the page about the examples', () => {
  it('links to every example', () => {
    const linked = tablesOf(readText('examples/README.md')).flatMap(({ rows }) => rows.map(([first]) => first));
    expect([...linked].sort()).toEqual(exampleNames.map((name) => `[\`${name}\`](${name})`).sort());
  });
});

describe('the login rules that the examples need', () => {
  const [, ...exceptions] = readText('examples/README.md').split(/^- /mu);
  const [byOther = [], byKey = []] = exceptions.map((text) =>
    codeWordsOf(text.split('\n\n')[0] ?? '').filter((word) => word.endsWith('.yml')),
  );
  const examples = workflowsIn('examples');
  const filesOf = (chosen: readonly Workflow[]): readonly string[] =>
    chosen.map(({ where }) => where.replace('examples/', '')).sort();

  it('are those with which the workflows are tested', () => {
    expect([...byOther].sort()).toEqual(filesOf(examples.filter(({ name }) => protectedWorkflows.has(name))));
  });

  it('are none for those with a stored key', () => {
    const withKey = examples.filter(({ text }) => /api-token:|COMPLIANCE_API_TOKEN:/u.test(text));
    expect([...byKey].sort()).toEqual(filesOf(withKey));
  });
});
