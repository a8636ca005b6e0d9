import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  duration,
  httpUrl,
  integer,
  lines,
  oneOf,
  pairs,
  someOf,
  text,
} from '../../../src/operations/inputs/input-types.ts';

describe('oneOf', () => {
  it('lists a single word, two words and more as a sentence does', () => {
    expect(oneOf('x', ['a']).parse('z')).toHaveProperty('problem', 'must be `a`');
    expect(oneOf('x', ['a', 'b']).parse('z')).toHaveProperty('problem', 'must be `a` or `b`');
    expect(oneOf('x', ['a', 'b', 'c']).parse('z')).toHaveProperty('problem', 'must be `a`, `b` or `c`');
  });

  it('accepts its words and nothing else', () => {
    const words = ['fail', 'warn', 'ignore'] as const;
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...words), fc.string()), (value) => {
        expect('value' in oneOf('x', words).parse(value)).toBe(words.some((word) => word === value));
      }),
    );
  });
});

describe('integer', () => {
  it('accepts every number within its bounds, and none outside', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 400 }), (number) => {
        const parsed = integer('x', 5, 300, 'seconds').parse(String(number));
        if (number >= 5 && number <= 300) expect(parsed).toEqual({ value: number });
        else expect(parsed).toHaveProperty('problem', 'must be a whole number of seconds from 5 to 300');
      }),
    );
  });

  it('accepts only digits', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        fc.pre(!/^\d+$/u.test(value));
        expect(integer('x', 0, Number.MAX_SAFE_INTEGER, 'seconds').parse(value)).toHaveProperty('problem');
      }),
    );
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
  const item = fc.stringMatching(/^[a-z*/.]{1,8}( [a-z]{1,3})?$/u);
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r', ' \t\n  ');

  it('returns the items in order, for all line endings and indentations', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1 }), lineBreak, fc.boolean(), (items, end, ended) => {
        const written = items.join(end) + (ended ? end : '');
        expect(lines(text('x')).parse(written)).toEqual({ value: items });
      }),
    );
  });

  it('refuses a list with an empty line, and says which line it is', () => {
    const list = fc.array(fc.oneof(item, fc.constantFrom('', ' ', '\t')), { minLength: 1 });
    fc.assert(
      fc.property(list, lineBreak, (items, end) => {
        const empty = items.findIndex((words) => words.trim() === '');
        fc.pre(empty >= 0);
        // As in a YAML block, the last line ends with a line break, too.
        expect(lines(text('x')).parse(items.join(end) + end)).toMatchObject({
          problem: `must have an item on every line, but line ${empty + 1} of ${items.length} is empty`,
          remedy: expect.stringContaining('variable'),
        });
      }),
    );
  });

  it('skips empty lines if the list allows them', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(item, fc.constantFrom('', ' '))), lineBreak, (items, end) => {
        const value = items.map((words) => words.trim()).filter((words) => words !== '');
        expect(lines(text('x'), 'ignored').parse(items.join(end))).toEqual({ value });
      }),
    );
  });

  it('is secret if its items are', () => {
    expect(lines({ ...text('x'), secret: true }).secret).toBe(true);
    expect(lines(text('x')).secret).toBeUndefined();
  });
});

describe('someOf', () => {
  it('accepts words separated by commas, lines, or both', () => {
    expect(someOf('x', ['a', 'b', 'c']).parse('a,b\n c ,,\n')).toEqual({ value: ['a', 'b', 'c'] });
  });
});
