import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { matchesGlob } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resolveFiles } from '../../../src/evidence/files/resolve-files.ts';
import { type FileTree, withFileTree } from '../../support/file-tree.ts';
import { itWithPosixFiles } from '../../support/platform.ts';
import { userErrorOf } from '../../support/user-error.ts';

const linuxOnly = process.platform === 'linux' ? it : it.skip;

async function namesOf(tree: FileTree, ...patterns: readonly string[]): Promise<readonly string[]> {
  return (await resolveFiles({ patterns, workspace: tree.root })).map((file) => file.name);
}

describe('the files that lines match', () => {
  it('are paths and patterns from the workspace, each file with its absolute path, name and size', async () => {
    await withFileTree({ 'a b/c.txt': 'four', 'a b/d.txt': '', 'a b/e.log': '' }, async (tree) => {
      expect(await resolveFiles({ patterns: ['a b/*.txt'], workspace: tree.root })).toEqual([
        { path: tree.at('a b', 'c.txt'), name: 'a b/c.txt', size: 4 },
        { path: tree.at('a b', 'd.txt'), name: 'a b/d.txt', size: 0 },
      ]);
    });
  });

  it('are empty for no lines and for blank lines', async () => {
    await withFileTree({ a: '' }, async (tree) => {
      expect(await namesOf(tree)).toEqual([]);
      expect(await namesOf(tree, '', '  ')).toEqual([]);
    });
  });

  it('come in the order of the lines, then of their paths, each once', async () => {
    await withFileTree({ 'b.txt': '', 'a.txt': '', 'a/x': '', 'a-b': '', 'é.txt': '', 'z/1.txt': '' }, async (tree) => {
      expect(await namesOf(tree, 'z', '**/*', 'b.txt')).toEqual(['z/1.txt', 'a-b', 'a.txt', 'a/x', 'b.txt', 'é.txt']);
    });
  });

  it('are all files in a directory, including hidden ones', async () => {
    await withFileTree({ 'r/.hidden/x': '', 'r/.env': '', 'r/a/b/c': '', 'r/empty/': '', other: '' }, async (tree) => {
      const all = ['r/.env', 'r/.hidden/x', 'r/a/b/c'];
      for (const line of ['r', 'r/', './r', 'r/**', 'r/*', tree.at('r'), tree.at('r', '**')]) {
        expect(await namesOf(tree, line)).toEqual(all);
      }
    });
  });

  linuxOnly('are not those that are empty by their size only, as in /proc', async () => {
    await withFileTree({ empty: '' }, async (tree) => {
      const failure = await userErrorOf(() =>
        resolveFiles({ patterns: ['empty', '/proc/version'], workspace: tree.root }),
      );
      expect(failure.problems).toEqual([
        {
          input: 'files',
          what: '/proc/version does not have the size that the system reports, like many files in /proc and /sys',
          remedy: expect.stringContaining('`cat /proc/version > copy.txt`'),
        },
      ]);
    });
  });

  itWithPosixFiles('are neither pipes nor devices, which are not opened', async () => {
    await withFileTree({ x: '' }, async (tree) => {
      execFileSync('mkfifo', [tree.at('pipe')]);
      for (const special of ['pipe', '/dev/zero', '/dev/null']) {
        const failure = await userErrorOf(() => resolveFiles({ patterns: [special], workspace: tree.root }));
        expect(failure.message).toContain('is neither a file nor a directory');
      }
    });
  });

  it('may be outside the workspace, under a unique name', async () => {
    await withFileTree({ 'work/__parent__/x': '1', x: '22', 'other/y': '' }, async (tree) => {
      const found = await resolveFiles({
        patterns: ['__parent__/x', '../x', '../other/*'],
        workspace: tree.at('work'),
      });
      expect(found.map(({ name, size }) => [name, size])).toEqual([
        ['__parent__/x', 1],
        ['___parent__/x', 2],
        ['__parent__/other/y', 0],
      ]);
    });
  });

  it('use a line that is an existing path as that path', async () => {
    const files = { '[id].tsx': '', 'i.tsx': '', '#x': '', '~': '', '{a,b}': '', a: '', './!x': '', 'd[1]/y': '' };
    await withFileTree(files, async (tree) => {
      expect(await namesOf(tree, '[id].tsx')).toEqual(['[id].tsx']);
      expect(await namesOf(tree, '#x', '~', '{a,b}', './!x')).toEqual(['#x', '~', '{a,b}', '!x']);
      expect(await namesOf(tree, 'd[1]')).toEqual(['d[1]/y']);
      expect(await namesOf(tree, '[ij].tsx')).toEqual(['i.tsx']);
    });
  });

  it('omit what a line with an exclamation mark matches, wherever it is', async () => {
    const files = { 'a/x.txt': '', 'a/y.log': '', 'a/node_modules/z.txt': '', 'b/x.txt': '', '[c]/x.txt': '' };
    await withFileTree(files, async (tree) => {
      expect(await namesOf(tree, '!**/*.log', 'a')).toEqual(['a/node_modules/z.txt', 'a/x.txt']);
      expect(await namesOf(tree, 'a', 'b', '!**/node_modules')).toEqual(['a/x.txt', 'a/y.log', 'b/x.txt']);
      expect(await namesOf(tree, '**', '!a', '![c]')).toEqual(['b/x.txt']);
      expect(await namesOf(tree, '**', `!${tree.at('{a,b}')}`)).toEqual(['[c]/x.txt']);
      expect(await namesOf(tree, '**/*.txt', '!*/x.txt/')).toContain('a/x.txt');
      expect(await namesOf(tree, 'a/*/z.txt', 'b', '!nothing/**')).toEqual(['a/node_modules/z.txt', 'b/x.txt']);
    });
  });

  it('match only directories with a slash at the end', async () => {
    await withFileTree({ 'p/d/x': '', 'p/f': '' }, async (tree) => {
      expect(await namesOf(tree, 'p/*/')).toEqual(['p/d/x']);
      expect((await userErrorOf(() => namesOf(tree, 'p/f/'))).message).toContain('No file matches "p/f/"');
    });
  });

  it('name every line without a match in one error', async () => {
    await withFileTree({ 'a.txt': '', 'empty/': '' }, async (tree) => {
      const mistake = await userErrorOf(() => namesOf(tree, '*.xml', 'a.txt', '~/b', 'empty', 'A.TXT*', '*/../x'));
      expect(mistake.problems.map(({ what }) => /"(.*?)"/.exec(what)?.[1])).toEqual([
        '*/../x',
        '*.xml',
        '~/b',
        'empty',
        'A.TXT*',
      ]);
      expect(mistake.problems.every(({ input }) => input === 'files')).toBe(true);
      expect(mistake.problems[2]?.remedy).toContain('`~` is not expanded');
      expect(mistake.message).toContain(tree.root);
    });
  });

  it('are an error if exclusions leave no file', async () => {
    await withFileTree({ 'a.txt': '' }, async (tree) => {
      expect((await userErrorOf(() => namesOf(tree, '*.txt', '!a*'))).message).toContain('is excluded by a line');
      expect((await userErrorOf(() => namesOf(tree, '!a*'))).message).toContain('Every line starts with "!"');
    });
  });

  it('are an error if braces expand to too many patterns', async () => {
    await withFileTree({ a: '' }, async (tree) => {
      expect((await userErrorOf(() => namesOf(tree, '{a,b}'.repeat(20)))).message).toContain('10,000 patterns');
    });
  });

  itWithPosixFiles('include those behind links, to files and to directories', async () => {
    await withFileTree({ 'real/x': '333', 'r/y': '' }, async (tree) => {
      tree.link('r/file', '../real/x');
      tree.link('r/dir', tree.at('real'));
      const found = await resolveFiles({ patterns: ['r'], workspace: tree.root });
      expect(found.map(({ name, size }) => [name, size])).toEqual([
        ['r/dir/x', 3],
        ['r/file', 3],
        ['r/y', 0],
      ]);
      expect(await namesOf(tree, 'r/**/x')).toEqual(['r/dir/x']);
    });
  });

  itWithPosixFiles('do not go round in circles of links', async () => {
    await withFileTree({ 'a/x': '', 'b/y': '' }, async (tree) => {
      tree.link('a/self', '.');
      tree.link('a/up', '..');
      tree.link('a/b', '../b');
      tree.link('b/a', '../a');
      expect(await namesOf(tree, 'a')).toEqual(['a/b/y', 'a/up/b/y', 'a/x']);
      expect(await namesOf(tree, '**/y')).toContain('b/y');
      tree.link('loop', 'loop');
      expect((await userErrorOf(() => namesOf(tree, 'loop'))).message).toContain('symbolic link to something');
    });
  });

  itWithPosixFiles('are an error when one is a broken link, unless it is excluded or not asked for', async () => {
    await withFileTree({ 'r/x': '' }, async (tree) => {
      tree.link('r/gone', 'nowhere');
      const mistake = await userErrorOf(() => namesOf(tree, 'r'));
      expect(mistake.message).toContain(tree.at('r', 'gone'));
      expect(await namesOf(tree, 'r', '!**/gone')).toEqual(['r/x']);
      expect(await namesOf(tree, 'r/x*')).toEqual(['r/x']);
    });
  });

  itWithPosixFiles('are an error when there are too many, such as below the root of the runner', async () => {
    const names = Array.from({ length: 320 }, (_, index) => `${index}`);
    await withFileTree(Object.fromEntries(names.map((name) => [`a/${name}`, ''])), async (tree) => {
      for (const name of names) tree.link(`links/${name}`, '../a');
      const { message, remedy } = await userErrorOf(() => namesOf(tree, 'links'));
      expect(message).toBe(`More than 100,000 files match below ${tree.at('links')}`);
      expect(remedy).toMatch(/^Name a smaller directory/u);
    });
  });

  itWithPosixFiles('are an error when one is a socket', async () => {
    await withFileTree({ x: '' }, async (tree) => {
      const server = createServer().listen(tree.at('s'));
      await once(server, 'listening');
      try {
        expect((await userErrorOf(() => namesOf(tree, '*'))).message).toContain('neither a file nor a directory');
      } finally {
        server.close();
      }
    });
  });

  linuxOnly('are an error when a listed name is not UTF-8 and so cannot be opened', async () => {
    await withFileTree({ 'd/x': '' }, async (tree) => {
      const odd = (end: number): Buffer => Buffer.concat([Buffer.from(`${tree.root}/d/`), Buffer.from([0xff, end])]);
      mkdirSync(odd(0x64));
      writeFileSync(odd(0x66), '');
      const { problems } = await userErrorOf(() => namesOf(tree, 'd'));
      const remedy = expect.stringMatching(/^Rename it, because its name is not valid UTF-8/u);
      expect(problems).toMatchObject([{ remedy }, { remedy }]);
    });
  });
});

describe('patterns', () => {
  // Letters only, because Node's own matcher, the reference here, passes over names with a dot and, on macOS and Windows,
  // over case.
  const name = fc.constantFrom('a', 'b', 'ab', 'ba', 'abc');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const segment = fc.constantFrom('a', 'b', '*', '?', '**', '[ab]', '[!a]*', 'a*', '*b*', '{a,b}', '{a,b*}c');
  const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

  /** Without the paths that conflict: one needs a file where another needs a directory. */
  function possible(paths: readonly string[]): readonly string[] {
    return paths.filter((one) => !paths.some((other) => other.startsWith(`${one}/`)));
  }

  function ancestorsOf(file: string): readonly string[] {
    const names = file.split('/');
    return names.map((_, at) => names.slice(0, at + 1).join('/'));
  }

  it("match the same as Node's matcher, and all files in matching directories", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 8 }), pattern, async (paths, text) => {
        const files = [...new Set(possible(paths))];
        await withFileTree(Object.fromEntries(files.map((file) => [file, ''])), async (tree) => {
          const expected = files.filter((file) => ancestorsOf(file).some((part) => matchesGlob(part, text))).sort();
          const found = expected.length === 0 ? [] : await namesOf(tree, text);
          expect(found).toEqual(expected);
          if (expected.length === 0) await userErrorOf(() => namesOf(tree, text));
        });
      }),
      { numRuns: 60 },
    );
  });

  it('exclude exactly what they would match', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 8 }), pattern, async (paths, text) => {
        const files = [...new Set(possible(paths)), 'kept'];
        await withFileTree(Object.fromEntries(files.map((file) => [file, ''])), async (tree) => {
          const left = files.filter((file) => !ancestorsOf(file).some((part) => matchesGlob(part, text)));
          // `kept` is never excluded, so that there is always a match.
          const found = left.length === 0 ? [] : await namesOf(tree, '**', `!${text}`);
          expect(found).toEqual(left.toSorted());
        });
      }),
      { numRuns: 40 },
    );
  });
});
