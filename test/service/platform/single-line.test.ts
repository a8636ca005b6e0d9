import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toSingleLine } from '../../../src/service/platform/single-line.ts';
import { codePoint } from '../../support/code-point.ts';

describe('foreign text in one line', () => {
  it.each([
    ['web.tar', 'web.tar'],
    ['grün 🙂', 'grün 🙂'],
    ['a\nb\r\n\tc', 'a\\nb\\r\\n\\tc'],
    ['\u001b[31mred\u0085\u2029', '\\u{1b}[31mred\\u{85}\\u{2029}'],
    ['\u202egpj.exe', '\\u{202e}gpj.exe'],
    ['\ud800', '\\u{d800}'],
  ])('%j becomes %j', (text, shown) => {
    expect(toSingleLine(text)).toBe(shown);
  });

  it('starts no new line and contains no invisible character', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 50 }), (text) => {
        expect(toSingleLine(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('is truncated if it is long', () => {
    expect(toSingleLine('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
    expect(toSingleLine('x'.repeat(500))).toHaveLength(500);
    expect(toSingleLine('a🙂bc', 3)).toBe('a…');
  });
});
