import { describe, expect, it } from '@jest/globals';
import { bundleEntries, parseTilePath, renderProof } from '../../../src/service/log/tile.ts';

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

  it.each([
    ...['0/001', '0/001.p/45', '0/000.p/256', '0/000.p/0', '0/002.p/1', '1/000', '1/000.p/2', '2/000.p/1', '64/000'],
    ...['0/0', '0/0000', '0/x000/000', '00/000', '0/001.p/044', '-1/000', 'entries/001', '', '0/000/', 'entries'],
  ])('%s names no tile of a log of 300 entries', (path) => {
    expect(parseTilePath(path, 300)).toBeUndefined();
  });
});

it('bundles entries, each after its length', () => {
  const bundle = bundleEntries([Buffer.from('ab'), Buffer.alloc(258, 'c')]);
  expect(Buffer.from(bundle).toString('latin1')).toBe(`\u0000\u0002ab\u0001\u0002${'c'.repeat(258)}`);
});

it('renders a proof', () => {
  expect(renderProof(3, [Buffer.alloc(32)], 'checkpoint\n')).toBe(
    `c2sp.org/tlog-proof@v1\nindex 3\n${'A'.repeat(43)}=\n\ncheckpoint\n`,
  );
});
