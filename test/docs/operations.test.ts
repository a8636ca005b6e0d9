import { describe, expect, it } from '@jest/globals';
import type { Operation } from '../../src/operations/operation.ts';
import { allOperationNames } from '../../src/operations/operation-names.ts';
import { operations } from '../../src/operations/registry.ts';
import { codeWordsOf, tablesOf } from '../support/markdown.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/operations.md');
const runnable: readonly Operation[] = await Promise.all(allOperationNames.map((name) => operations[name]()));
const rows = (tablesOf(page).find(({ columns }) => columns[0] === 'Operation')?.rows ?? []).map(
  ([operation = '', purpose = '', verdict = '']) => ({ name: codeWordsOf(operation)[0], purpose, verdict }),
);

describe('the page about the operations', () => {
  it('has a section about every operation, and a table of them in the same order, each with its purpose', () => {
    const sections = [...page.matchAll(/^### (.*)$/gmu)].map(([, name]) => name);
    expect([...sections].sort()).toEqual([...allOperationNames].sort());
    expect(rows.map(({ name }) => name)).toEqual(sections);
    for (const { purpose } of rows) expect(purpose).not.toBe('');
  });

  it('has a verdict for those that judge', () => {
    const judging = [
      'list-attestations',
      'get-artifact',
      'list-snapshots',
      'assert-artifact',
      'assert-trail',
      'audit-branch',
    ];
    const expected = allOperationNames.filter(
      (name) => judging.includes(name) || (name.startsWith('attest-') && name !== 'attest-artifact'),
    );
    expect(rows.flatMap(({ name, verdict }) => (verdict === '' ? [] : [name])).sort()).toEqual([...expected].sort());
  });

  it('says which operations fail the step by default', () => {
    const failing = runnable.filter(({ gate }) => gate === 'fail').map(({ name }) => name);
    const others = failing.filter((name) => !name.startsWith('attest-')).map((name) => `\`${name}\``);
    expect(page.replaceAll(/\s+/gu, ' ')).toContain(
      `${others.join(', ')} and the operations that attest evidence fail the step unless the verdict is compliant.`,
    );
  });
});
