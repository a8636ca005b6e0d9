import { describe, expect, it } from '@jest/globals';
import { joinPath } from '../../../src/evidence/fingerprint/directory-listing.ts';

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
