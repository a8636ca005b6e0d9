import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { tarEnd, tarHeader, tarPadding } from '../../../src/evidence/attachment/tar.ts';
import { readTar } from '../../support/tar-reader.ts';

function archiveOf(name: string, content: Buffer): Buffer {
  return Buffer.concat([tarHeader(name, content.length), content, tarPadding(content.length), tarEnd]);
}

describe('a tar archive', () => {
  it('has no owners, and the same mode and time for every file', () => {
    expect(readTar(archiveOf('a/b.txt', Buffer.from('x')))).toEqual([
      {
        name: 'a/b.txt',
        content: Buffer.from('x'),
        mode: '0000644',
        owner: '0000000',
        group: '0000000',
        modified: Date.UTC(1980, 0, 1) / 1000,
        type: '0',
      },
    ]);
  });

  it('stores a size of 8 GiB or more in a record', () => {
    expect(tarHeader('a', 8 ** 11 - 1)).toHaveLength(512);
    expect(tarHeader('a', 8 ** 11).toString('latin1')).toContain('19 size=8589934592\n');
  });

  it('returns every name and content', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      // Around the lengths where a record's own length gets another digit.
      fc.integer({ min: 80, max: 110 }).map((length) => 'n'.repeat(length)),
      fc.integer({ min: 980, max: 1000 }).map((length) => 'é'.repeat(length)),
    );
    fc.assert(
      fc.property(
        name.filter((text) => !text.includes('\0')),
        fc.uint8Array({ maxLength: 1100 }),
        (text, bytes) => {
          const [entry, ...others] = readTar(archiveOf(text, Buffer.from(bytes)));
          expect(others).toEqual([]);
          expect(entry?.name).toBe(Buffer.from(text).toString());
          expect(entry?.content.equals(bytes)).toBe(true);
        },
      ),
      { examples: [[' ', new Uint8Array()]] },
    );
  });
});
