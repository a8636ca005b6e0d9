import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileGoSegment, compileSegment } from '../../../src/evidence/files/glob-segment.ts';

/** Whether a shell pattern matches a name. */
function matches(pattern: string, name: string): boolean {
  return compileSegment(pattern).test(name);
}

/** The same by trying every split: a naive matcher for `*` and `?`. */
function naively(pattern: readonly string[], name: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return name.length === 0;
  if (first === '*') return naively(rest, name) || (name.length > 0 && naively(pattern, name.slice(1)));
  return name.length > 0 && (first === '?' || first === name[0]) && naively(rest, name.slice(1));
}

describe('a segment of a pattern', () => {
  it.each([
    ['*', 'report.xml'],
    ['*', '.hidden'],
    ['*.xml', '.xml'],
    ['re*t.x?l', 'report.xml'],
    ['a**b', 'ab'],
    ['[a-c]x', 'bx'],
    ['[!a-c]x', 'dx'],
    ['[^a-c]x', 'dx'],
    ['[]a]', ']'],
    ['[!]a]', 'b'],
    ['[a-]', '-'],
    ['[-a]', '-'],
    [String.raw`[\]]`, ']'],
    [String.raw`\*`, '*'],
    ['report (*).txt', 'report (1).txt'],
    ['a+b$^|.*', 'a+b$^|.c'],
    ['?', '😀'],
    ['[😀-😂]', '😁'],
    ['*', 'two\nlines'],
  ])('%s stands for %s', (pattern, name) => {
    expect(matches(pattern, name)).toBe(true);
  });

  it.each([
    ['*.xml', 'report.XML'],
    ['?', ''],
    ['[a-c]x', 'dx'],
    ['[!a-c]x', 'ax'],
    ['[z-a]', 'm'],
    [String.raw`\*`, 'x'],
    ['a.c', 'abc'],
  ])('%s does not match %j', (pattern, name) => {
    expect(matches(pattern, name)).toBe(false);
  });

  it.each(['[', '[a', '[!', '[a-', 'a\\'])('%s matches itself, and is malformed in the dialect of Go', (pattern) => {
    expect(matches(pattern, pattern)).toBe(true);
    expect(matches(`*${pattern}`, `x${pattern}`)).toBe(true);
    expect(compileGoSegment(pattern)).toBeUndefined();
  });

  it('is stricter about classes in the dialect of Go', () => {
    for (const pattern of ['[]a]', '[-a]', '[a-]', '[]']) expect(compileGoSegment(pattern)).toBeUndefined();
    expect(compileGoSegment('[!a]')?.test('a')).toBe(true);
    expect(compileGoSegment('[^a]')?.test('b')).toBe(true);
    expect(compileGoSegment(String.raw`[\-a]`)?.test('-')).toBe(true);
  });

  it('matches stars and question marks like a naive matcher', () => {
    const part = fc.constantFrom('*', '?', 'a', 'b', '.');
    const letter = fc.constantFrom('a', 'b', '.');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.array(letter, { maxLength: 6 }), (pattern, name) => {
        expect(matches(pattern.join(''), name.join(''))).toBe(naively(pattern, name));
      }),
    );
  });
});
