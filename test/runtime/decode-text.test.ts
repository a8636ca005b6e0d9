import { describe, expect, it } from '@jest/globals';
import { decodeText } from '../../src/runtime/decode-text.ts';

describe('decodeText', () => {
  it('decodes UTF-8 by default, and drops a byte order mark', () => {
    expect(decodeText(Buffer.from('\uFEFFgrün', 'utf8'))).toBe('grün');
    expect(decodeText(Buffer.from('\uFEFFgrün', 'utf16le'), 'utf-16le')).toBe('grün');
  });

  it.each([
    ['a byte that starts nothing', [0xff]],
    ['a character that is cut off', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('refuses %s', (_what, bytes) => {
    expect(decodeText(Uint8Array.from(bytes))).toBeUndefined();
  });
});
