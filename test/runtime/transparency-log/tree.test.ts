import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cacheTiles,
  findInclusionProof,
  findRoot,
  findRoots,
  hashLeaf,
  type ReadHashes,
  tileWidth,
  TreeBuilder,
} from '../../../src/runtime/transparency-log/tree.ts';
import { DefinedTree, followProof, hex, sha256, store } from '../../support/defined-tree.ts';

describe('the tree of a log', () => {
  const largest = 600;
  const tree = new DefinedTree(largest);
  const read = store(tree.leaves);
  /** All small ones, and those at which tiles are completed and begin. tree.slow.test.ts has all. */
  const sizes = Array.from({ length: largest + 1 }, (_, size) => size).filter(
    (size) => size <= 70 || (size + 8) % tileWidth < 40,
  );

  it('hashes an entry with the prefix of leaves', () => {
    expect(hex(hashLeaf(Buffer.from('entry 0')))).toBe(hex(tree.root(0, 1)));
  });

  it('has the root of its definition, for every size to 600', async () => {
    const builder = new TreeBuilder();
    for (let size = 0; size <= largest; size += 1) {
      expect(hex(await findRoot(cacheTiles(read, size), size))).toBe(hex(tree.root(0, size)));
      expect(hex(builder.root)).toBe(hex(tree.root(0, size)));
      builder.add(tree.leaves[size] ?? sha256());
    }
  });

  // Of large trees, those entries beside which tiles and subtrees begin.
  it('proves entries of every size to 70, and of others to 600', async () => {
    let wrong = 0;
    for (const size of sizes.slice(1)) {
      const root = hex(tree.root(0, size));
      const cached = cacheTiles(read, size);
      const borders = [0, 255, 256, 511, size - 1, size >> 1];
      const all = Array.from({ length: size }, (_, index) => index);
      for (const index of size <= 70 ? all : borders.filter((border) => border < size)) {
        const path = await findInclusionProof(cached, index, size);
        if (hex(followProof(tree.root(index, index + 1), index, size, path)) !== root) wrong += 1;
      }
    }
    expect(wrong).toBe(0);
  });

  // Of larger trees, some earlier sizes.
  it('has the roots of its definition, for every pair of sizes to 70, and for others to 600', async () => {
    const roots = Array.from({ length: largest + 1 }, (_, size) => hex(tree.root(0, size)));
    const wrong: string[] = [];
    for (const later of sizes) {
      const cached = cacheTiles(read, later);
      const step = later <= 70 ? 1 : 31;
      for (let earlier = later % step; earlier <= later; earlier += step) {
        const found = await findRoots(cached, earlier, later);
        if (hex(found.earlier) !== roots[earlier] || hex(found.later) !== roots[later])
          wrong.push(`${earlier}/${later}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('never has both roots after an entry of the earlier tree was changed, removed or inserted', async () => {
    const forgery = fc.record({
      earlier: fc.integer({ min: 1, max: largest }),
      more: fc.nat(largest),
      at: fc.nat(),
      kind: fc.constantFrom('changed', 'removed', 'inserted'),
    });
    await fc.assert(
      fc.asyncProperty(forgery, async ({ earlier, more, at, kind }) => {
        const index = at % earlier;
        const other = sha256(Buffer.from('forged'));
        const leaves = tree.leaves.toSpliced(
          index,
          kind === 'inserted' ? 0 : 1,
          ...(kind === 'removed' ? [] : [other]),
        );
        const later = Math.min(earlier + more, leaves.length);
        fc.pre(earlier <= later);
        // The operator signs whatever root the forged tree has.
        const { earlier: root } = await findRoots(cacheTiles(store(leaves), later), earlier, later);
        expect(hex(root)).not.toBe(hex(tree.root(0, earlier)));
      }),
    );
  });

  it('reads few tiles for a proof in a large log', async () => {
    const size = 1_000_000;
    const tiles: string[] = [];
    const fake: ReadHashes = (level, from, to) => {
      tiles.push(`${level}/${from / tileWidth}`);
      return Promise.resolve(Array.from({ length: to - from }, () => sha256()));
    };
    await findInclusionProof(cacheTiles(fake, size), 123_456, size);
    expect(tiles.length).toBeLessThanOrEqual(6);
    expect(new Set(tiles).size).toBe(tiles.length);
    tiles.length = 0;
    await findRoots(cacheTiles(fake, size), 123_456, size);
    expect(tiles.length).toBeLessThanOrEqual(6);
  });

  it('is not computed without its hashes', async () => {
    await expect(findRoot(() => Promise.resolve([]), 3)).rejects.toThrow(
      'the log lacks hashes; run the command verify',
    );
  });
});
