import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatIdempotencyKey, parseIdempotencyKey, withoutFields } from '../../src/contract/idempotency.ts';

const keys = fc.stringMatching(/^[!#-[\]-~]{1,255}$/u);

describe('parseIdempotencyKey', () => {
  it('reads what formatIdempotencyKey writes', () => {
    fc.assert(fc.property(keys, (key) => parseIdempotencyKey(formatIdempotencyKey(key)) === key));
  });

  it('reads a key without quotation marks', () => {
    fc.assert(fc.property(keys, (key) => parseIdempotencyKey(` ${key} `) === key));
  });

  it.each(['', '""', '"a', 'a"', '"a"b"', 'a b', 'a\\b', 'é', 'a\u0000', 'x'.repeat(256)])('rejects %j', (value) => {
    expect(parseIdempotencyKey(value)).toBeUndefined();
  });
});

describe('withoutFields', () => {
  const volatile = [['a'], ['b', 'c']];

  it('leaves out fields at any depth, and nothing else', () => {
    expect(withoutFields({ a: 1, b: { c: 2, d: 3 }, e: [{ a: 4 }] }, volatile)).toEqual({ b: { d: 3 }, e: [{ a: 4 }] });
  });

  it('ignores fields that are missing or have another form', () => {
    for (const document of [{}, { b: 'c' }, { b: null }, undefined, 'text', { b: ['c'] }]) {
      expect(withoutFields(document, volatile)).toEqual(document);
    }
  });

  it('makes documents equal that differ in these fields only', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (one, other, same) => {
        const document = (value: unknown): unknown => ({ a: value, b: { c: value, d: same }, e: same });
        expect(withoutFields(document(one), volatile)).toEqual(withoutFields(document(other), volatile));
      }),
    );
  });
});
