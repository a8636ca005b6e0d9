import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { withFileTree } from '../support/file-tree.ts';
import { readText, root } from '../support/repository.ts';

const script = join(root, 'tools', 'check-import-cycles.ts');

it.each([
  ['an import', `import { a } from '../a.ts';\nexport const c = a;\n`],
  ['a type', `import type { A } from '../a.ts';\nexport type C = A;\n`],
  ['a re-export', `export * from '../a.ts';\n`],
  ['import()', `export const load = () => import(/* webpackChunkName: "a" */ '../a.ts');\n`],
])('the check for import cycles finds one that is closed by %s', (_what, closing) =>
  withFileTree(
    {
      'src/a.ts': `import './b.ts';\nimport 'node:fs';\n`,
      'src/b.ts': `import './sub/c.ts';\n`,
      'src/sub/c.ts': closing,
    },
    ({ root: cwd }) => {
      const { status, stderr } = spawnSync(process.execPath, [script], { cwd, encoding: 'utf8' });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^a\.ts → b\.ts → sub.c\.ts → a\.ts\n/u);
      expect(stderr.trim().split('\n')).toHaveLength(2);
    },
  ),
);

it('the check for import cycles accepts files that only share an import', () =>
  withFileTree(
    { 'src/a.ts': `import './b.ts';\nimport './c.ts';\n`, 'src/b.ts': `import './c.ts';\n`, 'src/c.ts': '' },
    ({ root: cwd }) => {
      const { status, stderr } = spawnSync(process.execPath, [script], { cwd, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  ));

it('the check for import cycles is part of `npm run lint`', () => {
  expect(readText('package.json')).toMatch(/"lint": "[^"]*node tools\/check-import-cycles\.ts/u);
});
