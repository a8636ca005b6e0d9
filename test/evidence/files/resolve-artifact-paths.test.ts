import { describe, expect, it } from '@jest/globals';
import { resolveArtifactPaths } from '../../../src/evidence/files/resolve-files.ts';
import { type FileTree, withFileTree } from '../../support/file-tree.ts';

async function namesOf(tree: FileTree, ...patterns: readonly string[]): Promise<readonly string[]> {
  return (await resolveArtifactPaths({ patterns, workspace: tree.root })).map((artifact) => artifact.name);
}

describe('the artifacts that lines match', () => {
  const files = { 'dist/a.js': '', 'dist/sub/b.js': '', 'app.jar': '', 'empty/': '' };

  it('are files, and whole directories if a line matches them', async () => {
    await withFileTree(files, async (tree) => {
      expect(await resolveArtifactPaths({ patterns: ['dist', 'app.jar'], workspace: tree.root })).toEqual([
        { path: tree.at('dist'), name: 'dist' },
        { path: tree.at('app.jar'), name: 'app.jar' },
      ]);
      expect(await namesOf(tree, 'dist/*')).toEqual(['dist/a.js', 'dist/sub']);
      expect(await namesOf(tree, 'dist/*/')).toEqual(['dist/sub']);
      expect(await namesOf(tree, '{dist,app.jar}')).toEqual(['app.jar', 'dist']);
      expect(await namesOf(tree, 'empty', '.')).toEqual(['empty', '.']);
    });
  });

  it('are single files with a double star', async () => {
    await withFileTree(files, async (tree) => {
      expect(await namesOf(tree, 'dist/**')).toEqual(['dist/a.js', 'dist/sub/b.js']);
      expect(await namesOf(tree, '**/*.js')).toEqual(['dist/a.js', 'dist/sub/b.js']);
    });
  });

  it('may be outside the workspace', async () => {
    await withFileTree({ 'work/': '', 'out/x': '' }, async (tree) => {
      const found = await resolveArtifactPaths({ patterns: ['../out'], workspace: tree.at('work') });
      expect(found).toEqual([{ path: tree.at('out'), name: '../out' }]);
    });
  });
});
