import { describe, expect, it } from '@jest/globals';
import { allOperationNames } from '../../src/operations/operation-names.ts';
import type { Use } from '../../src/operations/inputs/input.ts';
import { operations } from '../../src/operations/registry.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/operations.md');
const sections = new Map(
  page
    .split(/^### /mu)
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.split(/^## /mu)[0]?.split('\n') ?? [];
      return [name, lines.join(' ').replaceAll(/\s+/gu, ' ')] as const;
    }),
);
const runnable = await Promise.all(allOperationNames.map((name) => operations[name]()));

describe('the page about the operations', () => {
  it('has every operation', () => {
    expect([...sections.keys()].sort()).toEqual([...allOperationNames].sort());
  });

  it.each(runnable.map((operation) => [operation.name, operation] as const))(
    'has the endpoint, the inputs and the default of on-non-compliant of %s',
    (name, operation) => {
      const { endpoint } = operation;
      const uses: readonly Use<unknown>[] = Object.values(operation.inputs);
      const inputs = uses.map(({ input, absent }) =>
        absent === 'error' ? `**\`${input.name}\`**` : `\`${input.name}\``,
      );
      const section = sections.get(name) ?? '';
      if (endpoint !== undefined) {
        const { number, method, path } = endpoint;
        const source = number === undefined ? 'not an operation of the interface' : `operation ${number}`;
        expect(section).toContain(` \`${method} ${path}\` (${source}) `);
      }
      const [, documented = ''] = / - Inputs: (.*?) - Verdict: /u.exec(section) ?? [];
      expect(documented.split(', ').sort()).toEqual(inputs.length === 0 ? ['none'] : inputs.sort());
      expect(section).toContain(` - Default of \`on-non-compliant\`: \`${operation.gate}\` `);
    },
  );
});
