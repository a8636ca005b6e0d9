import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expandedSize } from '../../../../src/service/platform/pattern/expanded-size.ts';
import { parseLiteral } from '../../../../src/service/platform/pattern/literal.ts';
import { compilePattern, maximumPatternSize, PatternError } from '../../../../src/service/platform/pattern/pattern.ts';

/** A group within a group at most, so that no pattern is longer, or repeats more, than is allowed. */
const depth = { depthSize: 'small', maxDepth: 4, depthIdentifier: fc.createDepthIdentifier() } as const;

/** Patterns that mean the same in JavaScript and RE2, over few characters so that they often match. */
const { pattern } = fc.letrec<{ pattern: string; sequence: string; item: string }>((tie) => ({
  pattern: fc.oneof(
    depth,
    tie('sequence'),
    fc.array(tie('sequence'), { maxLength: 2 }).map((choices) => choices.join('|')),
  ),
  sequence: fc.array(tie('item'), { maxLength: 3 }).map((items) => items.join('')),
  item: fc.oneof(
    depth,
    fc.constantFrom('a', 'b', '1', '.', '\\d', '\\w', '\\.', '[ab]', '[^a]', '[a-c1]', '^', '$', '\\b', 'ü', '😀'),
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
  it('matches what JavaScript matches, in the syntax that both share', () => {
    fc.assert(
      fc.property(pattern, subject, (text, name) => {
        expect(compilePattern(text).matches(name)).toBe(new RegExp(text, 'u').test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it('matches the same as a literal and with the matcher', () => {
    const piece = fc.constantFrom('a', 'b', '\\.', '/', '-', ' ');
    const literal = fc
      .tuple(fc.constantFrom('', '^'), fc.array(piece, { maxLength: 3 }), fc.constantFrom('', '$', 'a+', '.', 'b?'))
      .map(([start, middle, end]) => start + middle.join('') + end);
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', '-', ' '), maxLength: 6 });
    fc.assert(
      fc.property(literal, text, (written, name) => {
        expect(compilePattern(written).matches(name)).toBe(new RegExp(written, 'u').test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it('is never ruled out by its literal prefix if JavaScript matches', () => {
    fc.assert(
      fc.property(pattern, subject, (text, name) => {
        fc.pre(new RegExp(text, 'u').test(name));
        expect(parseLiteral(text).couldMatch(name)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['^registry\\.k8s\\.io/', '^web:1$', 'nginx', 'latest$', ''])('%j takes no matcher', (text) => {
    const { size, cost } = compilePattern(text);
    expect([size, cost('x'.repeat(640))]).toEqual([1, 11]);
  });

  it('takes steps in proportion to the text, whatever its repetitions', () => {
    const text = `${'a'.repeat(500)}!`;
    for (const evil of ['^(a+)+$', '^(a|a)*$', '(a*)*b', '(.*)(.*)(.*)(.*)(.*)x', '^(a?){50}a{50}$']) {
      const { size, cost, matches } = compilePattern(evil);
      expect(cost(text)).toBeLessThanOrEqual((size + 1) * (text.length + 2));
      expect(matches(text)).toBe(false);
    }
  });

  it('may ignore case', () => {
    expect(compilePattern('(?i)^[a-z0-9-]+$').matches('WEB-1')).toBe(true);
    expect(compilePattern('(?i)[\u{4e00}-\u{9fff}]').matches('\u{4e00}')).toBe(true);
    expect(compilePattern('(?i)^[a-z]+-[0-9]+: \u{1f680}').matches('WEB-1: \u{1f680}')).toBe(true);
  });

  it('matches long texts, too', () => {
    expect(compilePattern('a[b]').matches(`${'x'.repeat(100_000)}ab`)).toBe(true);
  });

  it.each([
    ['(a', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['[a', 'missing closing ]'],
    ['*', 'missing argument to repetition operator'],
    ['a**', 'invalid nested repetition operator'],
    ['a{2,1}', 'invalid repeat count'],
    ['[b-a]', 'invalid character class range'],
    ['(?=a)', 'invalid or unsupported Perl syntax'],
    ['(?<=a)', 'invalid'],
    ['(a)\\1', 'invalid escape sequence'],
    ['\\', 'trailing backslash'],
    ['a{1001}', 'has a size of 1001 once its repetitions are written out; 1000 are allowed'],
    ['(((a{100}){100}){100})', 'has a size of 1000000'],
    ['((((){100}){100}){100})', 'repeat'],
    [`(${'[^a]'.repeat(100)}){100}`, 'has a size of 10000'],
    ['\\p{L}'.repeat(21), 'has a size of'],
    // Ignoring case takes time for each character of a range.
    ['(?i)[b-\u{1e921}b-\u{1e921}]', 'has a size of'],
    ['(?si:[^]\\x{62}-\\x{1e921}b-\\x{1E921}])', 'has a size of'],
    ['(?i)[--\u{1e921}--\u{1e921}]', 'has a size of'],
    ['(?i)[\\\\\\--\u{1e921}[:word:]-a-\u{1e921}', 'has a size of'],
    ['a'.repeat(501), 'has more than 500 characters'],
  ])('cannot be %s', (text, reason) => {
    expect(() => compilePattern(text)).toThrow(PatternError);
    expect(() => compilePattern(text)).toThrow(reason);
  });

  it('is compiled or rejected, whatever it is, and is about as large as estimated', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('ab()[]{}*+?|^$\\.-,:=!12pLQ')), maxLength: 12 });
    fc.assert(
      fc.property(text, subject, (written, name) => {
        try {
          const { size, matches } = compilePattern(written);
          expect(typeof matches(name)).toBe('boolean');
          expect(size).toBeLessThan(20 + 4 * expandedSize(written));
        } catch (error) {
          expect(error).toBeInstanceOf(PatternError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('has a bounded size, however it is nested', () => {
    const nested = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), fc.integer({ max: 9 }));
    fc.assert(
      fc.property(nested, ([inner, outer, length]) => {
        const written = `((?:${'a'.repeat(Math.max(1, length))}){${inner}}b){${outer}}`;
        expect(expandedSize(written)).toBe((Math.max(1, length) * inner + 1) * outer);
        if (expandedSize(written) > maximumPatternSize) expect(() => compilePattern(written)).toThrow(PatternError);
      }),
    );
  });
});
