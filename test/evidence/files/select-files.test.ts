import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { covers, type Pattern } from '../../../src/evidence/files/glob.ts';
import { parseLine } from '../../../src/evidence/files/select-files.ts';

const workspace = resolve('/nowhere/web');

function patternsOf(line: string, separator = '/'): readonly Pattern[] {
  const read = parseLine(line, workspace, separator);
  return 'patterns' in read ? read.patterns : [];
}

function isCovered(line: string, path: string, isDirectory = false): boolean {
  return patternsOf(line).some((pattern) => covers(pattern, resolve(workspace, path), isDirectory));
}

describe('a line of files', () => {
  it('may have backslashes between directories on Windows, with or without braces', () => {
    const bases = patternsOf(String.raw`build\{a,b}\*.log`, '\\').map((pattern) => pattern.base);
    expect(bases).toEqual([resolve(workspace, 'build/a'), resolve(workspace, 'build/b')]);
    expect(patternsOf('build\\', '\\')[0]).toMatchObject({ base: resolve(workspace, 'build'), end: 'directory' });
  });

  it('escapes special characters with backslashes on other systems', () => {
    expect(patternsOf(String.raw`a\{b,c}`)).toHaveLength(1);
    expect(patternsOf('a{b,c}')).toHaveLength(2);
  });

  it.each([
    ['a', 'a', true],
    ['a', 'a/b/c', true],
    ['a', 'ab', false],
    ['a/*', 'a/b/c', true],
    ['a/*', 'a', false],
    ['a/**', 'a/b', true],
    ['a/**', 'a', false],
    ['**/node_modules', 'x/node_modules/y/z', true],
    ['**/*.log', 'x/y.log', true],
    ['{a,b}/c', 'b/c', true],
    ['a/', 'a/b', true],
    ['a/', 'a', false],
    ['../a', 'a', false],
    [String.raw`a\*b`, 'a*b', true],
    [String.raw`a\*b`, 'axb', false],
    ['./a//b/./c*', 'a/b/c', true],
    ['*/./b//c', 'x/b/c', true],
    ['*/**', 'a', false],
    ['**/a/**/b', 'x/a/y/z/b', true],
    ['**/a/**/b', 'x/b', false],
    ['?[ab', 'x[ab', true],
    ['[ab', '[ab', true],
    ['/*', '/x/y', true],
    ['.', 'a', true],
  ])('%s as an exclusion, of the file %s: %s', (line, path, expected) => {
    expect(isCovered(line, path)).toBe(expected);
  });

  it('with a slash at the end covers a directory, but no file', () => {
    expect(isCovered('a/*/', 'a/b', true)).toBe(true);
    expect(isCovered('a/*/', 'a/b', false)).toBe(false);
    expect(isCovered('a/*/', 'a/b/c', false)).toBe(true);
  });
});
