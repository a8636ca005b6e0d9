import { describe, expect, it } from '@jest/globals';
import { formatBytes } from '../../../src/evidence/files/format-bytes.ts';

describe('a number of bytes in words', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [1024, '1.0 KiB (1,024 bytes)'],
    [10 * 1024 * 1024, '10.0 MiB (10,485,760 bytes)'],
    [10 * 1024 * 1024 + 1, '10.0 MiB (10,485,761 bytes)'],
    [3 * 1024 ** 3, '3.0 GiB (3,221,225,472 bytes)'],
    [2048 * 1024 ** 4, '2048.0 TiB (2,251,799,813,685,248 bytes)'],
  ])('%d is %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });
});
