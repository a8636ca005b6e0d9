import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endOfString } from '../../src/runtime/json-string.ts';

describe('the end of a string of JSON', () => {
  it('is its closing quote, whatever it holds and whatever stands around it', () => {
    const content = fc.oneof(fc.string(), fc.stringMatching(/^["\\]*$/u));
    fc.assert(
      fc.property(content, content, (text, other) => {
        const before = `[${JSON.stringify(other)},`;
        const written = JSON.stringify(text);
        expect(endOfString(`${before}${written},"\\""]`, before.length)).toBe(before.length + written.length - 1);
      }),
    );
  });

  it.each(['"', '"abc', String.raw`"abc\"`])('is the end of the text if %s is never closed', (text) => {
    expect(endOfString(text, 0)).toBe(text.length);
  });
});
