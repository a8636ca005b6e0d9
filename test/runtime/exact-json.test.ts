import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countInexactNumbers, parseExactJson } from '../../src/runtime/exact-json.ts';

const inexact = [
  '12345678901234567890',
  '1e400',
  '-1E+400',
  '-0',
  '1.0',
  '0.10',
  '1e2',
  '-0.0',
  '3.14159265358979323846',
];
const exact = ['0', '1', '-1', '0.1', '9007199254740991', '1e+21', '1.5e-7', '-12.25'];

describe('exact JSON', () => {
  it.each([...inexact, ...exact])('writes %s as it was read', (number) => {
    for (const text of [number, `[${number}]`, `{"a":{"b":[${number},${number}]}}`]) {
      expect(JSON.stringify(parseExactJson(text))).toBe(text);
    }
  });

  it('counts the numbers that JSON.stringify would change, and nothing within a text', () => {
    expect(countInexactNumbers(`[${[...inexact, ...exact].join(' , ')}]`)).toBe(inexact.length);
    expect(countInexactNumbers(String.raw`{"1.0":"1.0","a\"1.0":"\\","b":"\\\"1e400"}`)).toBe(0);
  });

  it('leaves every other value plain', () => {
    expect(parseExactJson('{"a":1,"b":null,"c":"1.0"}')).toEqual({ a: 1, b: null, c: '1.0' });
    expect(parseExactJson('[1.0,2]')).toEqual([expect.anything(), 2]);
  });

  it('writes whatever it reads as it was, keys that mean something to JavaScript included', () => {
    const number = fc.oneof(
      fc.constantFrom(...inexact, ...exact),
      fc
        .tuple(
          fc.constantFrom('', '-'),
          fc.bigInt({ min: 0n, max: 10n ** 40n }),
          fc.constantFrom('', '.0', '.50', 'e5', 'E-300'),
        )
        .map(([sign, digits, end]) => `${sign}${digits}${end}`),
    );
    const key = fc
      .oneof(fc.constantFrom('__proto__', 'constructor', 'a"b', '1.0'), fc.string())
      .map((text) => JSON.stringify(text));
    const json = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        number,
        fc
          .jsonValue({ maxDepth: 1 })
          .filter((value) => !Object.is(value, -0))
          .map((value) => JSON.stringify(value)),
        fc.array(tie('value')).map((items) => `[${items.join(',')}]`),
        fc
          // An integer as a key would change its place.
          .uniqueArray(
            fc.tuple(
              key.filter((text) => !/^"\d+"$/.test(text)),
              tie('value'),
            ),
            { selector: ([name]) => name },
          )
          .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`),
      ),
    })).value;
    fc.assert(
      fc.property(json, (text) => {
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
      }),
    );
  });
});
