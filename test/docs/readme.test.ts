import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { allOperationNames } from '../../src/operations/operation-names.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/registry.ts';
import { connectionInputs } from '../../src/operations/inputs/connection-inputs.ts';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { codeWordsOf, fencesOf, type MarkdownTable, tablesOf } from '../support/markdown.ts';
import { actionEntries, readText, root } from '../support/repository.ts';
import { protectedWorkflows } from '../support/workflow-cases.ts';
import { workflowsIn, type Workflow } from '../support/workflows.ts';

const readme = readText('README.md');
const exampleNames = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.yml'));
const runnable: readonly Operation[] = await Promise.all(allOperationNames.map((name) => operations[name]()));

/** The rows of all tables with this first column, each as a mapping from column to cell. */
function rowsOf(firstColumn: string): readonly ReadonlyMap<string, string>[] {
  const tables: readonly MarkdownTable[] = tablesOf(readme).filter(({ columns }) => columns[0] === firstColumn);
  return tables.flatMap(({ columns, rows }) =>
    rows.map((row) => new Map(columns.map((column, at) => [column, row[at] ?? '']))),
  );
}

function cell(row: ReadonlyMap<string, string>, column: string): string {
  return row.get(column) ?? '';
}

describe('the README', () => {
  it('shows the two commands right after the introduction', () => {
    const [, first = '', second = ''] = readme.split(/^## /mu);
    expect(first.split('\n')[0]).toBe('Two commands');
    expect(fencesOf(`## ${first}`).map(({ text }) => text)).toEqual(['npm run trial\n', 'npm cit\n']);
    expect(second).toMatch(/^Quick start\n/u);
  });

  it('has the quick start and the merge gate, word for word as in the examples', () => {
    const workflows = fencesOf(readme).flatMap(({ text }) => (/^jobs:$/mu.test(text) ? [text] : []));
    expect(workflows).toEqual(['quick-start', 'merge-gate'].map((name) => readText(`examples/${name}.yml`)));
  });

  it('names the check to require as the job of the merge gate', () => {
    const gate = workflowsIn('examples').find(({ name }) => name === 'Merge gate');
    const name = textAt(gate?.content, 'jobs', 'gate', 'name') ?? '';
    expect(readme).toContain(`and choose \`${name}\``);
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

describe("the README's table of operations", () => {
  it('has every operation, those of the interface first and in its order', () => {
    const documented = rowsOf('Operation').map((row) => codeWordsOf(cell(row, 'Operation'))[0]);
    expect(documented).toEqual([...allOperationNames]);
  });

  it('has a purpose for each, and a verdict for those that judge', () => {
    for (const row of rowsOf('Operation')) expect(cell(row, 'Purpose')).not.toBe('');
    const judging = rowsOf('Operation').filter((row) => cell(row, 'Verdict') !== '');
    expect(judging.map((row) => codeWordsOf(cell(row, 'Operation'))[0])).toEqual([
      ...[
        'attest-sonar',
        'list-attestations',
        'get-artifact',
        'list-snapshots',
        'attest-generic',
        'attest-junit',
        'attest-pull-request',
        'attest-scan',
        'attest-sbom',
        'attest-issue',
        'attest-custom',
        'assert-artifact',
        'assert-trail',
        'audit-branch',
      ],
    ]);
  });

  it('is followed by the operations that fail the step by default', () => {
    const failing = runnable.filter(({ gate }) => gate === 'fail').map(({ name }) => name);
    const others = failing.filter((name) => !name.startsWith('attest-')).map((name) => `\`${name}\``);
    expect(readme.replaceAll(/\s+/gu, ' ')).toContain(
      `${others.join(', ')} and the operations that attest evidence fail the step unless the verdict is compliant.`,
    );
  });
});

describe("the README's table of inputs", () => {
  const rows = rowsOf('Input');
  const names = rows.map((row) => codeWordsOf(cell(row, 'Input'))[0] ?? '');

  it('has ten inputs of action.yml, in its order', () => {
    expect(names).toHaveLength(10);
    expect(names).toEqual([...actionEntries('inputs').keys()].filter((name) => names.includes(name)));
  });

  it('says which ones every step needs', () => {
    const needed = rows.filter((row) => cell(row, 'What it is').endsWith(' Required.'));
    const declared = Object.values(connectionInputs).filter(({ absent }) => absent === 'error');
    expect(needed.map((row) => codeWordsOf(cell(row, 'Input'))[0])).toEqual([
      'operation',
      ...declared.map(({ input }) => input.name),
    ]);
  });
});

describe("the README's table of outputs", () => {
  it('has every output of action.yml once, in its order', () => {
    const documented = rowsOf('Output').map((row) => codeWordsOf(cell(row, 'Output'))[0]);
    expect(documented).toEqual([...actionEntries('outputs').keys()]);
  });
});
