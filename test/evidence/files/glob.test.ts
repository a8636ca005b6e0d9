import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { advance, begin, globstar, isMatch, parsePattern } from '../../../src/evidence/files/glob.ts';

const workspace = resolve('/home/runner/web');

/** Whether a pattern matches a path from its base. */
function matches(text: string, path: string): boolean {
  const pattern = parsePattern(text, workspace);
  if (pattern === undefined) throw new Error(`not a pattern: ${text}`);
  const end = path.split('/').reduce((progress, name) => advance(pattern, progress, name), begin(pattern));
  return isMatch(pattern, end);
}

describe('a path pattern', () => {
  it.each([
    ['report.xml', 'report.xml', []],
    ['build/out/*.log', 'build/out', [/^.*\u{2e}\u{6c}\u{6f}\u{67}$/su]],
    ['./a//b/./c', 'a/b/c', []],
    ['../x/**', '../x', [globstar, /^.*$/su]],
    ['/etc/**/x', '/etc', [globstar, 'x']],
    ['/*', '/', [/^.*$/su]],
    ['*/./b//c', '.', [/^.*$/su, 'b', 'c']],
  ])('%s starts at %s', (text, base, segments) => {
    const pattern = parsePattern(text, workspace);
    expect(pattern?.base).toBe(resolve(workspace, base));
    expect(pattern?.segments).toHaveLength(segments.length);
    segments.forEach((segment, at) => {
      const found = pattern?.segments[at];
      expect(typeof found).toBe(typeof segment);
      if (!(segment instanceof RegExp)) expect(found).toBe(segment);
    });
  });

  it('escapes the character after a backslash', () => {
    expect(matches(String.raw`a\*b`, 'a*b')).toBe(true);
    expect(matches(String.raw`a\*b`, 'axb')).toBe(false);
  });

  it('cannot contain `..` after a wildcard', () => {
    expect(parsePattern('*/../x', workspace)).toBeUndefined();
    expect(parsePattern('**/..', workspace)).toBeUndefined();
  });

  it('matches only directories with a slash at the end', () => {
    expect(parsePattern('build/*/', workspace)?.end).toBe('directory');
    expect(parsePattern('build/*', workspace)?.end).toBe('anything');
    expect(parsePattern('*', workspace)?.end).toBe('anything');
  });

  it('matches the content of directories with a double star at the end, and nothing if the path is a file', () => {
    expect(parsePattern('build/**', workspace)?.end).toBe('content');
    expect(parsePattern('build/**/', workspace)?.end).toBe('content');
    expect(matches('*/**', 'a')).toBe(false);
    expect(matches('*/**', 'a/b')).toBe(true);
  });

  it.each([
    ['**/x', 'x', true],
    ['**/x', 'a/b/x', true],
    ['**/x', 'a/b/xx', false],
    ['*/**/*', 'a/b', true],
    ['*/**/*', 'a', false],
    ['**/a/**/b', 'a/b', true],
    ['**/a/**/b', 'x/a/y/z/b', true],
    ['**/a/**/b', 'x/b', false],
    ['**/**/x', 'x', true],
    ['**', 'a/b', true],
    ['*[', 'x[', true],
    ['?[ab', 'x[ab', true],
  ])('%s against %s: %s', (text, path, expected) => {
    expect(matches(text, path)).toBe(expected);
  });

  it('reads an unclosed bracket literally', () => {
    expect(matches('[ab', '[ab')).toBe(true);
  });
});
