import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expandBraces } from '../../../src/evidence/files/glob-braces.ts';

describe('braces in a pattern', () => {
  it.each([
    ['plain', ['plain']],
    ['{a,b}', ['a', 'b']],
    ['{src,test}/**/*.{js,ts}', ['src/**/*.js', 'src/**/*.ts', 'test/**/*.js', 'test/**/*.ts']],
    ['a{,b}', ['a', 'ab']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd']],
    ['{a/b,c}', ['a/b', 'c']],
    ['{a}', ['{a}']],
    ['{}', ['{}']],
    ['{{a,b}}', ['{a}', '{b}']],
    ['{a,b', ['{a,b']],
    ['{x{a,b}', ['{xa', '{xb']],
    ['a,b}', ['a,b}']],
    [String.raw`\{a,b}`, [String.raw`\{a,b}`]],
    [String.raw`{a\,b,c}`, [String.raw`a\,b`, 'c']],
  ])('%s stands for %j', (pattern, expected) => {
    expect(expandBraces(pattern)).toEqual(expected);
  });

  it('are limited in number', () => {
    expect(expandBraces('{a,b}'.repeat(13))).toHaveLength(2 ** 13);
    expect(expandBraces('{a,b}'.repeat(14))).toBeUndefined();
    expect(expandBraces('{a,b}'.repeat(1000))).toBeUndefined();
  });

  it('expand to one pattern per combination, in the order written', () => {
    const choices = fc.array(fc.array(fc.stringMatching(/^[a-z/*]{0,3}$/), { minLength: 2, maxLength: 3 }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(choices, (groups) => {
        const pattern = groups.map((group) => `{${group.join(',')}}`).join('-');
        const expected = groups.reduce<string[]>(
          (heads, group, at) => heads.flatMap((head) => group.map((one) => (at === 0 ? one : `${head}-${one}`))),
          [''],
        );
        expect(expandBraces(pattern)).toEqual(expected);
      }),
    );
  });
});
