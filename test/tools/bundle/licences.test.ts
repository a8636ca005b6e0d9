import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { licencesOf, packagesOf } from '../../../tools/bundle/licences.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

async function makePackage(root: string, folder: string, description: object, licence?: string): Promise<void> {
  const path = join(root, folder);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'package.json'), JSON.stringify(description));
  if (licence !== undefined) await writeFile(join(path, 'LICENSE.md'), licence);
}

describe('the packages of a bundle', () => {
  it('include those of joined modules and nested packages, each once', () => {
    const modules = [
      { identifier: '/home/dev/project/src/main.ts' },
      { identifier: '/home/dev/project/node_modules/undici/lib/core/util.js' },
      { identifier: '/home/dev/project/node_modules/undici/lib/core/errors.js|abc' },
      {
        identifier: 'javascript/esm|joined',
        modules: [{ identifier: 'C:\\project\\node_modules\\@octokit\\core\\dist\\index.js' }],
      },
      { identifier: '/home/dev/project/node_modules/a/node_modules/@scope/b/index.js' },
      {
        identifier: '/home/dev/node_modules/a-loader/index.js??rules[1]!/home/dev/project/node_modules/undici/index.js',
      },
      { identifier: 'external node-commonjs "node:fs"' },
    ];
    expect(packagesOf({ modules })).toEqual([
      'node_modules/@octokit/core',
      'node_modules/a/node_modules/@scope/b',
      'node_modules/undici',
    ]);
  });
});

describe('the licences of packages', () => {
  it('name each package with its version and licence, and contain each text once', async () => {
    const workspace = await temporaryWorkspace();
    try {
      const { path: root } = workspace;
      await makePackage(
        root,
        'node_modules/one',
        { name: 'one', version: '1.0.0', license: 'MIT' },
        'The text\r\nof it\n',
      );
      await makePackage(root, 'node_modules/two', { name: 'two', version: '2.0.0', license: 'MIT' }, 'The text\nof it');
      await makePackage(root, 'node_modules/three', { name: 'three', version: '3.0.0' }, 'Another');
      const folders = ['node_modules/one', 'node_modules/two', 'node_modules/three'];
      const text = await licencesOf(folders, root);
      expect(text).toContain('one 1.0.0 (MIT)\ntwo 2.0.0 (MIT)\n\nThe text\nof it\n');
      expect(text).toContain('three 3.0.0 (see below)\n\nAnother\n');
      expect(text.match(/The text/gu)).toHaveLength(1);
    } finally {
      await workspace.remove();
    }
  });

  it('throw if a package has no licence', async () => {
    const workspace = await temporaryWorkspace();
    try {
      await makePackage(workspace.path, 'node_modules/bare', { name: 'bare', version: '1.0.0' });
      await expect(licencesOf(['node_modules/bare'], workspace.path)).rejects.toThrow('bare 1.0.0 has no licence');
    } finally {
      await workspace.remove();
    }
  });
});
