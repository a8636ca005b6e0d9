import { describe, expect, it } from '@jest/globals';
import { printable } from '../../src/runtime/printable.ts';

describe('printable', () => {
  it('replaces what controls a terminal or changes the writing direction', () => {
    expect(printable('a\u001B[2Jb\u0007c\0d\u009B1me\u007Ff\u202Eg')).toBe(
      'a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFD1me\uFFFDf\uFFFDg',
    );
  });

  it('keeps tabs, line breaks and everything else', () => {
    expect(printable('a\tb\r\nc é 🚀 \u200B')).toBe('a\tb\r\nc é 🚀 \u200B');
  });
});
