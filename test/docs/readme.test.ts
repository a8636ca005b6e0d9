import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { operationNames } from '../../src/contract/endpoint.ts';
import type { Use } from '../../src/operations/inputs/input.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/registry.ts';
import { connectionInputs } from '../../src/operations/inputs/connection-inputs.ts';
import { readPolicy } from '../../src/service/domain/policy/read-policy.ts';
import { commonNames } from '../../src/step/run/common-inputs.ts';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { codeWordsOf, fencesOf, type MarkdownTable, tablesOf } from '../support/markdown.ts';
import { actionEntries, readText, root } from '../support/repository.ts';

const readme = readText('README.md');
const exampleNames = readdirSync(join(root, 'examples'));
const runnable: readonly Operation[] = await Promise.all(operationNames.map((name) => operations[name]()));

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

function uses(operation: Operation): readonly Use<unknown>[] {
  return Object.values(operation.inputs);
}

describe('the README', () => {
  it('shows the two commands right after the introduction', () => {
    const [, first = '', second = ''] = readme.split(/^## /mu);
    expect(first.split('\n')[0]).toBe('Two commands');
    expect(fencesOf(`## ${first}`).map(({ text }) => text)).toEqual(['npm run trial\n', 'npm cit\n']);
    expect(second).toMatch(/^Quick start\n/u);
  });

  it('holds the examples word for word', () => {
    const workflows = fencesOf(readme).flatMap(({ text }) => (/^jobs:$/mu.test(text) ? [text] : []));
    expect(workflows).toHaveLength(5);
    const examples = exampleNames.map((name) => readText(`examples/${name}`));
    expect(examples).toEqual(expect.arrayContaining(workflows));
  });

  it('shows every example, or links to it', () => {
    const shown = fencesOf(readme).map(({ text }) => text);
    const hidden = exampleNames.filter((name) => !shown.includes(readText(`examples/${name}`)));
    const linked = rowsOf('In [examples/](examples)').map((row) => cell(row, 'In [examples/](examples)'));
    expect(linked.sort()).toEqual(hidden.map((name) => `[\`${name}\`](examples/${name})`).sort());
  });

  it('shows policies that the service accepts', () => {
    const policies = fencesOf(readme).filter(({ text }) => text.startsWith('_schema:'));
    expect(policies).toHaveLength(1);
    for (const { text } of policies) expect(readPolicy(Buffer.from(text))).toHaveProperty('rules');
  });

  it('has the titles of annotations that the gate uses', () => {
    const gate = readText('src/step/run/gate.ts');
    const titles = rowsOf('Title').flatMap((row) => codeWordsOf(cell(row, 'Title')));
    expect(titles).not.toEqual([]);
    for (const title of titles) expect(gate).toContain(title.replace(/^… |: …$/u, ''));
  });
});

describe("the README's table of operations", () => {
  it('has every operation with its number, endpoint and default of on-non-compliant', () => {
    const documented = rowsOf('Operation').map((row) =>
      ['Operation', 'Number', 'Endpoint', '`on-non-compliant`'].map((column) => cell(row, column)),
    );
    const declared = runnable.map(({ name, gate, endpoint: { number, method, path } }) => [
      `\`${name}\``,
      String(number),
      `\`${method} ${path}\``,
      `\`${gate}\``,
    ]);
    expect(documented).toEqual(declared);
  });

  it('has the inputs of each operation, the required ones in bold', () => {
    const documented = rowsOf('Operation').map((row) =>
      cell(row, 'Inputs of its own')
        .split(', ')
        .filter((name) => name !== '')
        .sort(),
    );
    const declared = runnable.map((operation) =>
      uses(operation)
        .map(({ input, absent }) => (absent === 'error' ? `**\`${input.name}\`**` : `\`${input.name}\``))
        .sort(),
    );
    expect(documented).toEqual(declared);
  });
});

describe("the README's tables of inputs", () => {
  const rows = rowsOf('Input');
  const nameOf = (row: ReadonlyMap<string, string>): string => codeWordsOf(cell(row, 'Input'))[0] ?? '';

  it('have every input of action.yml once, in its order', () => {
    expect(rows.map(nameOf)).toEqual([...actionEntries('inputs').keys()]);
  });

  it('have the defaults of action.yml', () => {
    const documented = rows.map((row) => [nameOf(row), /^`(.*)`$/u.exec(cell(row, 'Default'))?.[1]]);
    const declared = [...actionEntries('inputs')].map(([name, entry]) => [
      name,
      textAt(entry, 'default') ?? /Default: `([^`]+)`\.$/u.exec(textAt(entry, 'description') ?? '')?.[1],
    ]);
    expect(documented).toEqual(declared);
  });

  it('have the defaults of the code', () => {
    const byName = new Map(rows.map((row) => [nameOf(row), codeWordsOf(cell(row, 'Default'))[0]]));
    const declared = [...Object.values(connectionInputs), ...runnable.flatMap(uses)];
    for (const { input, absent } of declared as readonly Use<unknown>[]) {
      if (absent === 'error') continue;
      const { value } = absent;
      if (typeof value === 'string' || typeof value === 'number')
        expect([input.name, byName.get(input.name)]).toEqual([input.name, String(value)]);
    }
  });

  it('say which operations use an input', () => {
    for (const row of rows) {
      const name = nameOf(row);
      const users = runnable.filter((operation) => uses(operation).some(({ input }) => input.name === name));
      const expected = users.length === 0 ? 'all' : users.map((operation) => `\`${operation.name}\``).join(', ');
      expect([name, cell(row, 'Used by')]).toEqual([name, expected]);
      if (users.length === 0) expect(commonNames).toContain(name);
    }
  });
});

describe("the README's table of outputs", () => {
  it('has every output of action.yml once, in its order', () => {
    const documented = rowsOf('Output').map((row) => codeWordsOf(cell(row, 'Output'))[0]);
    expect(documented).toEqual([...actionEntries('outputs').keys()]);
  });
});

describe("the README's table of the trial", () => {
  it('has the steps of the trial, and no others', () => {
    const documented = rowsOf('Step').map((row) => cell(row, 'Step'));
    const steps = [...readText('trial/trial.ts').matchAll(/\bstep\(\s*'([^']+)'/gu)].flatMap(
      ([, title]) => title ?? [],
    );
    expect(documented.sort()).toEqual(steps.sort());
  });
});
