import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePattern, longestSubject } from '../../../../src/service/domain/pattern/match-pattern.ts';
import { PatternFault } from '../../../../src/service/domain/pattern/parse-pattern.ts';

/** A group within a group at most, so that no pattern can be longer, or repeat more, than this matcher takes. */
const depth = { depthSize: 'small', maxDepth: 4, depthIdentifier: fc.createDepthIdentifier() } as const;

/** Patterns that JavaScript and this matcher read alike, over few characters so that they often match. */
const { pattern } = fc.letrec<{ pattern: string; sequence: string; item: string }>((tie) => ({
  pattern: fc.oneof(
    depth,
    tie('sequence'),
    fc.array(tie('sequence'), { maxLength: 2 }).map((choices) => choices.join('|')),
  ),
  sequence: fc.array(tie('item'), { maxLength: 3 }).map((items) => items.join('')),
  item: fc.oneof(
    depth,
    fc.constantFrom('a', 'b', '1', '.', '\\d', '\\w', '\\S', '\\.', '[ab]', '[^a]', '[a-c1]', '^', '$', 'ü', '😀'),
    fc
      .tuple(
        fc.oneof(
          fc.constantFrom('a', 'b', '.', '[a1]'),
          tie('pattern').map((inner) => `(${inner})`),
        ),
        fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'),
      )
      .map((parts) => parts.join('')),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
}));
const subject = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', ' ', '\n', 'ü', '😀'), maxLength: 8 });

describe('a pattern', () => {
  it('matches what JavaScript matches', () => {
    fc.assert(
      fc.property(pattern, subject, (text, name) => {
        expect(compilePattern(text)(name)).toBe(new RegExp(text, 'u').test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes time in proportion to the text, however it repeats', () => {
    const slow = ['^(a+)+$', '^(a|a)*$', '(a*)*b', '(.*)(.*)(.*)(.*)(.*)x', '^(a?){50}a{50}$'];
    const text = `${'a'.repeat(longestSubject - 1)}!`;
    for (const evil of slow) expect(compilePattern(evil)(text)).toBe(false);
  });

  it('matches no text beyond the longest', () => {
    expect(compilePattern('a')('a'.repeat(longestSubject))).toBe(true);
    expect(compilePattern('a')('a'.repeat(longestSubject + 1))).toBe(false);
  });

  it.each([
    ['(a', 'has a `(` without a `)`'],
    ['a)', 'has a `)` without a `(`'],
    ['[a', 'has a `[` without a `]`'],
    ['*', 'has a `*` with nothing before it to repeat; write `\\*`'],
    ['a**', 'repeats a repetition'],
    ['^*', 'repeats an anchor'],
    ['a{', 'has a `{` that does not begin a count; write `\\{`'],
    ['a{2,1}', 'has a count `{2,1}` that is not within 0 and 100'],
    ['a{101}', 'has a count `{101}` that is not within 0 and 100'],
    ['[b-a]', 'has the range `b-a`, which is reversed'],
    ['[a-\\d]', 'has a range that ends in a backslash'],
    ['(?=a)', 'has a `(?` that is not `(?:`; looking ahead or behind and named groups are not possible'],
    ['(a)\\1', 'has `\\1`, which is not possible here'],
    ['\\p', 'has `\\p`, which is not possible here'],
    ['\\', 'ends in a backslash'],
    ['(((a{100}){100}){100})', 'repeats too much'],
    ['((((){100}){100}){100})', 'repeats too much'],
    ['a'.repeat(501), 'has more than 500 characters'],
  ])('cannot be %s', (text, reason) => {
    expect(() => compilePattern(text)).toThrow(new PatternFault(reason));
  });

  it('is understood or refused, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('ab()[]{}*+?|^$\\.-,:=!12')), maxLength: 12 }),
        subject,
        (text, name) => {
          try {
            expect(typeof compilePattern(text)(name)).toBe('boolean');
          } catch (error) {
            expect(error).toBeInstanceOf(PatternFault);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
