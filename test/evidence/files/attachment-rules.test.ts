import { symlinkSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { resolveFiles } from '../../../src/evidence/files/resolve-files.ts';
import { type FileTree, withFileTree } from '../../support/file-tree.ts';
import { itWithPosixFiles } from '../../support/platform.ts';
import { userErrorOf } from '../../support/user-error.ts';

const files: Readonly<Record<string, string>> = {
  'web/.git/config': 'token',
  'web/.env': '1',
  'web/.config/x': '1',
  'web/a.txt': '1',
  'web/sub/.git/HEAD': '1',
  'web/sub/.npmrc': '1',
  'web/sub/b.txt': '1',
  'outside/key': '1',
};

/** What the lines attach, and the log. */
async function attach(
  tree: FileTree,
  patterns: readonly string[],
  includesHidden = false,
): Promise<{ readonly names: readonly string[]; readonly log: readonly string[] }> {
  const log: string[] = [];
  const found = await resolveFiles({
    patterns,
    workspace: tree.at('web'),
    attachmentRules: { includesHidden, log: { info: (line) => log.push(line) } },
  });
  return { names: found.map(({ name }) => name), log };
}

describe('what is attached', () => {
  it.each(['.', '**', '*', '**/*'])('does not include what is hidden, or belongs to git: %s', async (line) => {
    await withFileTree(files, async (tree) => {
      const { names, log } = await attach(tree, [line]);
      expect(names).toEqual(['a.txt', 'sub/b.txt']);
      expect(log).toHaveLength(1);
      for (const part of ['.git belongs to git', '.env is hidden', '.config is hidden', 'sub/.npmrc is hidden'])
        expect(log[0]).toContain(part);
    });
  });

  it.each(['.', '**'])(
    'includes what is hidden if that is asked for, but never what belongs to git: %s',
    async (line) => {
      await withFileTree(files, async (tree) => {
        const { names, log } = await attach(tree, [line], true);
        expect(names).toEqual(['.config/x', '.env', 'a.txt', 'sub/.npmrc', 'sub/b.txt']);
        expect(log).toEqual(['Left out: .git belongs to git; sub/.git belongs to git']);
      });
    },
  );

  it('includes what is hidden if its name is written, also before and between wildcards', async () => {
    await withFileTree(files, async (tree) => {
      expect(await attach(tree, ['.env', '.config/*', '**/.npmrc', '{.env,a.txt}'])).toEqual({
        names: ['.env', '.config/x', 'sub/.npmrc', 'a.txt'],
        log: expect.any(Array),
      });
      expect((await attach(tree, ['.config'])).names).toEqual(['.config/x']);
    });
  });

  it('does not name what an exclusion removes anyway', async () => {
    await withFileTree(files, async (tree) => {
      const { log } = await attach(tree, ['.', '!**/.git', '!.env', '!.config', '!**/.npmrc']);
      expect(log).toEqual([]);
    });
  });

  it.each([
    ['.e*', '.env is hidden', 'include-hidden-files'],
    ['.git/config', '.git/config belongs to git', 'never attached'],
    ['.git', '.git belongs to git', 'never attached'],
    ['sub/*/HEAD', 'sub/.git belongs to git', 'never attached'],
    ['sub/.git/HEAD', 'sub/.git/HEAD belongs to git', 'never attached'],
  ])('is an error if a line has nothing else: %s', async (line, reason, remedy) => {
    await withFileTree(files, async (tree) => {
      const { problems } = await userErrorOf(() => attach(tree, [line]));
      expect(problems).toEqual([
        {
          input: 'files',
          what: expect.stringContaining(`No file matches "${line}", apart from what is left out: ${reason}`),
          remedy: expect.stringContaining(remedy),
        },
      ]);
      if (reason.endsWith('git')) await userErrorOf(() => attach(tree, [line], true));
    });
  });

  it('may be outside the workspace if its path is written', async () => {
    await withFileTree(files, async (tree) => {
      expect((await attach(tree, [tree.at('outside'), '../outside/*'])).names).toEqual(['__parent__/outside/key']);
    });
  });

  describe('through links', () => {
    const links = {
      key: '../outside/key',
      folder: '../outside',
      config: '.git/config',
      repository: '.git',
      environment: '.env',
      inside: 'a.txt',
      'sub/inside': '../sub/b.txt',
    };

    async function withLinks(use: (tree: FileTree) => Promise<void>): Promise<void> {
      await withFileTree(files, async (tree) => {
        for (const [link, target] of Object.entries(links)) symlinkSync(target, tree.at('web', link));
        await use(tree);
      });
    }

    itWithPosixFiles('does not include what lies outside, is hidden, or belongs to git', async () => {
      await withLinks(async (tree) => {
        for (const line of ['.', '**', '*']) {
          const { names, log } = await attach(tree, [line]);
          expect(names).toEqual(['a.txt', 'inside', 'sub/b.txt', 'sub/inside']);
          for (const part of ['key leads out of the workspace', 'folder leads out', 'config belongs to git'])
            expect(log[0]).toContain(part);
          expect(log[0]).toContain('environment is hidden');
          expect(log[0]).toContain('repository belongs to git');
        }
      });
    });

    itWithPosixFiles('includes what lies outside if that is asked for', async () => {
      await withLinks(async (tree) => {
        const { names } = await attach(tree, ['*'], true);
        expect(names).toEqual(expect.arrayContaining(['environment', 'folder/key', 'key']));
        expect(names.join()).not.toMatch(/config$|repository|HEAD/u);
      });
    });

    itWithPosixFiles.each([
      ['key', 'key leads out of the workspace'],
      ['folder', 'folder leads out of the workspace'],
      ['folder/*', 'folder leads out of the workspace'],
      ['folder/key', 'folder/key leads out of the workspace'],
      ['config', 'config belongs to git'],
      ['repository/config', 'repository/config belongs to git'],
    ])('is an error if a link is named that leads to what is left out: %s', async (line, reason) => {
      await withLinks(async (tree) => {
        const { message } = await userErrorOf(() => attach(tree, [line]));
        expect(message).toContain(reason);
      });
    });

    itWithPosixFiles('includes what a workspace holds that is a link itself', async () => {
      await withFileTree({ 'real/a.txt': '1', 'real/sub/b.txt': '1' }, async (tree) => {
        symlinkSync('real', tree.at('web'));
        expect(await attach(tree, ['**', 'a.txt', tree.at('web', 'sub')])).toEqual({
          names: ['a.txt', 'sub/b.txt'],
          log: [],
        });
      });
    });
  });
});
