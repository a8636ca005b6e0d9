import { writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinPath, listInByteOrder } from '../../../src/evidence/fingerprint/directory-listing.ts';
import { withFileTree } from '../../support/file-tree.ts';

const linuxOnly = process.platform === 'linux' ? it : it.skip;

function asHex(directory: string): readonly string[] {
  return listInByteOrder(directory).map((entry) => Buffer.from(entry.name).toString('hex'));
}

describe('the entries of a directory', () => {
  it('are in byte order, even if that is not the order of UTF-16', async () => {
    // U+FF5E has the smaller bytes, and the larger code unit.
    const names = ['😀', '～', 'é', 'b', 'B', 'a.txt', 'a', 'a-'];
    await withFileTree(Object.fromEntries(names.map((name) => [name, ''])), ({ root }) => {
      const shown = listInByteOrder(root).map((entry) => entry.name.toString().normalize('NFC'));
      expect(shown).toEqual(['B', 'a', 'a-', 'a.txt', 'b', 'é', '～', '😀']);
    });
  });

  linuxOnly('keep names that are not UTF-8', async () => {
    await withFileTree({ a: '' }, ({ root }) => {
      writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('ff41', 'hex')]), '');
      writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('80', 'hex')]), '');
      expect(asHex(root)).toEqual(['61', '80', 'ff41']);
    });
  });

  linuxOnly('are ordered as Buffer.compare orders their bytes', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 4 })
      .filter((text) => !/[/\0]/.test(text) && text !== '.' && text !== '..');
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { maxLength: 8 }), async (names) => {
        await withFileTree({}, ({ root, write }) => {
          write(Object.fromEntries(names.map((text) => [text, ''])));
          const expected = names.map((text) => Buffer.from(text)).sort((one, other) => Buffer.compare(one, other));
          expect(asHex(root)).toEqual(expected.map((bytes) => bytes.toString('hex')));
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe('a path below a directory', () => {
  it('is a string if both parts are strings', () => {
    expect(joinPath('/a', 'b')).toBe('/a/b');
  });

  it('is bytes if one part is bytes', () => {
    const bytes = Buffer.from([0xff]);
    expect(joinPath('/a', bytes)).toEqual(Buffer.from([0x2f, 0x61, 0x2f, 0xff]));
    expect(joinPath(bytes, 'b')).toEqual(Buffer.from([0xff, 0x2f, 0x62]));
  });
});
