import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { duration, httpUrl, lines, oneOf, pairs, text } from '../../../src/operations/inputs/input-types.ts';

describe('oneOf', () => {
  it('lists a single word, two words and more as a sentence does', () => {
    expect(oneOf('x', ['a']).parse('z')).toHaveProperty('problem', 'must be `a`');
    expect(oneOf('x', ['a', 'b']).parse('z')).toHaveProperty('problem', 'must be `a` or `b`');
    expect(oneOf('x', ['a', 'b', 'c']).parse('z')).toHaveProperty('problem', 'must be `a`, `b` or `c`');
  });
});

describe('duration', () => {
  it.each([
    ['1s', 1],
    ['90s', 90],
    ['15m', 900],
    ['2h', 7200],
    ['6h', 21_600],
  ])('reads %s as seconds', (value, seconds) => {
    expect(duration('x', 6).parse(value)).toEqual({ value: seconds });
  });

  it.each(['0s', '7h', '361m', '15', 'm', '1.5h', '15 m', '-1s', '1h30m', '15M', '9999999s'])('refuses %s', (value) => {
    expect(duration('x', 6).parse(value)).toHaveProperty('problem', 'must be a duration from `1s` to `6h`');
  });
});

describe('pairs', () => {
  const list = pairs('x', text('x'), text('x'));

  it('returns what stands before and after the first `=` of each line', () => {
    const key = fc.stringMatching(/^[a-z_]{1,8}$/u);
    const value = fc.stringMatching(/^[a-z=:/]{1,12}$/u);
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1 }), fc.constantFrom('=', ' = '), (pairsByKey, sign) => {
        const written = Object.entries(pairsByKey).map(([name, words]) => `  ${name}${sign}${words}\n`);
        expect(list.parse(written.join(''))).toEqual({ value: { ...pairsByKey } });
      }),
    );
  });

  it.each([
    ['a', { part: 'a' }],
    ['=b', { part: '=b' }],
    ['a=1\nb=', { part: 'b=' }],
    ['a=1\n\nb=2', { complete: true }],
    ['a=1\nb=2\na=3', { problem: 'must name each key once', part: 'a' }],
  ])('refuses %j, and says where', (written, refusal) => {
    expect(list.parse(written)).toMatchObject({ problem: expect.any(String), ...refusal });
  });

  it('quotes no password of a URL', () => {
    const links = pairs('x', text('x'), httpUrl('x', 'Write a URL.', 'Leave it out.'));
    expect(links.parse('docs=https://ann:secret@example.com')).toMatchObject({ part: 'https://***@example.com' });
  });
});

describe('lines', () => {
  it('is secret if its items are', () => {
    expect(lines({ ...text('x'), secret: true }).secret).toBe(true);
    expect(lines(text('x')).secret).toBeUndefined();
  });
});
