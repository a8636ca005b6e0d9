import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findDuplicateKey } from '../../src/runtime/duplicate-key.ts';

describe('a repeated key', () => {
  it.each([
    ['{"state":"COMPLIANT","state":"NON-COMPLIANT"}', 'state'],
    ['{"state":"COMPLIANT","state":"COMPLIANT"}', 'state'],
    [String.raw`{"state":1,"st\u0061te":2}`, 'state'],
    ['{ "state" : 1 ,\n\t"other" : {} , "state"\r\n: 2 }', 'state'],
    ['{"state":{"a":[1,{}]},"x":"}","state":2}', 'state'],
    ['[{"compliant":true},{"compliant":true,"compliant":false}]', 'compliant'],
    ['{"a":{"b":[{"state":1,"compliant":1,"state":2}]}}', 'state'],
    [String.raw`{"a":"\\","state":1,"b":"\"","state":2}`, 'state'],
    ['{"":1,"":2}', ''],
    ['{"a":{"b":[{},{"c":1,"c":1}]}}', 'c'],
    [String.raw`{"__proto__":1,"\u005f_proto__":2}`, '__proto__'],
  ])('is found in %s', (text, key) => {
    expect(findDuplicateKey(text)).toBe(key);
  });

  it.each([
    '"state"',
    '["state","state"]',
    '{"state":"state"}',
    '{"state":{"state":{"state":1}},"x":{"state":1}}',
    '[{"state":1},{"state":2}]',
    String.raw`{"state":1,"a":"\"state\":2","b":"{\"state\":3,\"state\":4}"}`,
    String.raw`{"state":1,"\\state":2,"state\\":3,"State":4}`,
    'null',
    '',
  ])('is none in %s', (text) => {
    expect(findDuplicateKey(text)).toBeUndefined();
  });

  it('is never found in what JSON.stringify writes', () => {
    const value = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue(),
        fc.dictionary(fc.oneof(fc.constantFrom('state', 'compliant', 'a"b', '\\'), fc.string()), tie('tree')),
        fc.array(tie('tree')),
      ),
    })).tree;
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, '\t'), (document, indent) => {
        expect(findDuplicateKey(JSON.stringify(document, undefined, indent))).toBeUndefined();
      }),
    );
  });

  it('is found wherever it is, however it is escaped and whatever stands around it', () => {
    const escaped = fc
      .tuple(...['s', 't', 'a', 't', 'e'].map((letter) => fc.constantFrom(letter, unicodeEscape(letter))))
      .map((letters) => letters.join(''));
    const distinct = fc
      .uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { selector: ([key]) => key })
      .map((pairs) => pairs.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')));
    const space = fc.constantFrom('', ' ', '\n\t', '\r\n ');
    fc.assert(
      fc.property(escaped, escaped, distinct, fc.nat({ max: 10 }), space, (one, other, others, at, gap) => {
        const members = [...others.toSpliced(at, 0, `"${one}"${gap}:1`), `"${other}"${gap}:${gap}2`];
        expect(findDuplicateKey(`[{"in":{${members.join(`,${gap}`)}}}]`)).toBe('state');
      }),
    );
  });

  // In quadratic time, this would take hours.
  it('is looked for in linear time and without recursion', () => {
    for (const text of [
      `"${'\\\\'.repeat(2_000_000)}"`,
      `"${'\\"'.repeat(2_000_000)}"`,
      '['.repeat(2_000_000) + ']'.repeat(2_000_000),
      `{"a":${'{"state":'.repeat(300_000)}1${'}'.repeat(300_001)}`,
      `{"state"${' '.repeat(4_000_000)}:1}`,
    ]) {
      expect(findDuplicateKey(text)).toBeUndefined();
    }
  });
});

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
