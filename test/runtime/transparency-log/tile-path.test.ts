import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseTilePath, type Tile, toTilePath } from '../../../src/runtime/transparency-log/tile-path.ts';

describe('the path of a tile', () => {
  it.each([
    ['0/000', { level: 0, from: 0, to: 256 }],
    ['0/001.p/44', { level: 0, from: 256, to: 300 }],
    ['0/001.p/1', { level: 0, from: 256, to: 257 }],
    ['1/000.p/1', { level: 1, from: 0, to: 1 }],
    ['entries/000', { level: 'entries', from: 0, to: 256 }],
    ['entries/001.p/44', { level: 'entries', from: 256, to: 300 }],
  ])('%s is read, in a log of 300 entries', (path, tile) => {
    expect(parseTilePath(path, 300)).toEqual(tile);
  });

  it('has the index in groups of three digits', () => {
    expect(parseTilePath('0/x001/x234/067', 1e12)).toEqual({ level: 0, from: 1_234_067 * 256, to: 1_234_068 * 256 });
  });

  it('is read as it was written', () => {
    const tile = fc.record({
      level: fc.constantFrom<Tile['level']>('entries', 0, 1, 2),
      index: fc.oneof(fc.nat(2000), fc.nat(1e9)),
      width: fc.integer({ min: 1, max: 256 }),
    });
    fc.assert(
      fc.property(tile, ({ level, index, width }) => {
        const written = { level, from: index * 256, to: index * 256 + width };
        expect(parseTilePath(toTilePath(written), Number.MAX_SAFE_INTEGER * 2 ** 20)).toEqual(written);
      }),
    );
  });

  it.each([
    ...['0/001', '0/001.p/45', '0/000.p/256', '0/000.p/0', '0/002.p/1', '1/000', '1/000.p/2', '2/000.p/1', '64/000'],
    ...['0/0', '0/0000', '0/x000/000', '00/000', '0/001.p/044', '-1/000', 'entries/001', '', '0/000/', 'entries'],
  ])('%s names no tile of a log of 300 entries', (path) => {
    expect(parseTilePath(path, 300)).toBeUndefined();
  });
});
