import { describe, expect, it } from '@jest/globals';
import { ignoredPaths, ignoreFileName, parseRules } from '../../../src/evidence/fingerprint/ignore-file.ts';
import { withFileTree } from '../../support/file-tree.ts';
import { userErrorOf } from '../../support/user-error.ts';

const tree = {
  'app.js': '',
  'app.log': '',
  'x.log/y': '',
  x: '',
  'logs/one': '',
  'logs/deep/two': '',
  'sub/logs/one.log': '',
  'sub/sub/x': '',
  'web/[id]/page.js': '',
  'web/i/page.js': '',
};

async function ignored(rules: string, files: Readonly<Record<string, string>> = tree): Promise<readonly string[]> {
  return withFileTree({ ...files, [ignoreFileName]: rules }, ({ root }) => [...ignoredPaths(root)].sort());
}

describe('an ignore file', () => {
  it.each([
    ['a name, in the root only', 'logs', ['/logs']],
    ['a file', 'app.js', ['/app.js']],
    ['a slash before or behind', '/app.js\nlogs/', ['/app.js', '/logs']],
    ['a dot and empty segments', './sub//logs', ['/sub/logs']],
    ['a path that goes up and comes back', 'sub/../app.js', ['/app.js']],
    ['a wildcard in one level', '*.log', ['/app.log', '/x.log']],
    ['a wildcard for a directory', '*/logs', ['/sub/logs']],
    ['what is in a directory', 'logs/*', ['/logs/deep', '/logs/one']],
    ['a class and a question mark', 'app.[jl]?', ['/app.js']],
    ['an escaped wildcard', String.raw`app\*`, []],
    ['an escaped bracket', String.raw`web/\[id\]`, ['/web/[id]']],
    ['a class where a bracket is not escaped', 'web/[id]/page.js', ['/web/i/page.js']],
    ['something that is not there', 'gone', []],
    ['the root itself', '.', []],
    ['a path out of the root', '../logs', []],
  ])('can name %s', async (_, rules, expected) => {
    expect(await ignored(rules)).toEqual(expected);
  });

  it.each([
    ['wildcards at any depth', '**/*.log', ['/app.log', '/sub/logs/one.log', '/x.log', '/x.log/y']],
    // The public client joins the root and the rest to "root//x", which its walk never visits.
    ['a plain name at any depth but the first', '**/x', ['/sub/sub/x']],
    [
      'the content of a plain directory in the root',
      '**/logs',
      ['/logs/deep', '/logs/deep/two', '/logs/one', '/sub/logs', '/sub/logs/one.log'],
    ],
    ['below a directory', 'sub/**/x', ['/sub/sub/x']],
    ['everything below', 'logs/**', ['/logs/deep', '/logs/deep/two', '/logs/one']],
    ['nothing where wildcards stand before a slash and a double star', 'lo*/**', []],
    ['only names that go on from another when glued to a suffix', '**.log', ['/x.log', '/x.log/y']],
  ])('with a double star names %s', async (_, rules, expected) => {
    expect(await ignored(rules)).toEqual(expected);
  });

  it.each(['.kosli_ignore', '*ignore*', '**/.kosli*', '**'])('cannot hide itself with %s', async (rules) => {
    expect(await ignored(rules)).not.toContain('/.kosli_ignore');
  });

  it('is only a file in the root', async () => {
    expect(await ignored('**', { 'b/.kosli_ignore': '' })).toEqual(['/b', '/b/.kosli_ignore']);
    await withFileTree({ '.kosli_ignore/x': '', x: '' }, ({ root }) => {
      expect([...ignoredPaths(root)]).toEqual([]);
    });
  });

  it('names the malformed rule and its file', async () => {
    await withFileTree({ a: '', [ignoreFileName]: 'a\n[b' }, async ({ root, at }) => {
      const mistake = await userErrorOf(() => ignoredPaths(root));
      expect(mistake.message).toBe(`The rule "[b" in ${at(ignoreFileName)} is malformed`);
    });
  });
});

describe('the rules in an ignore file', () => {
  it.each([
    ['', []],
    ['logs', ['logs']],
    ['\n  logs  \n\n\t*.log\t\n', ['logs', '*.log']],
    ['# all\nlogs # noisy\r\n   # no more\r\n', ['logs']],
    ['a#b', ['a']],
  ])('%j', (text, rules) => {
    expect(parseRules(text)).toEqual(rules);
  });
});
