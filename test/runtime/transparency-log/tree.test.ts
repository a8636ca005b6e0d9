import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import {
  cacheTiles,
  countHashes,
  findInclusionProof,
  findRoot,
  findRoots,
  foldHashes,
  hashLeaf,
  tileWidth,
  TreeBuilder,
  type ReadHashes,
} from '../../../src/runtime/transparency-log/tree.ts';

const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The hashes of trees by their definition (RFC 6962, 2.1), of which each subtree is computed once. */
class DefinedTree {
  readonly #known = new Map<string, Uint8Array>();
  readonly leaves: readonly Uint8Array[];

  constructor(size: number) {
    this.leaves = Array.from({ length: size }, (_, index) => sha256(Uint8Array.of(0), Buffer.from(`entry ${index}`)));
  }

  root(start: number, end: number): Uint8Array {
    const known = this.#known.get(`${start}-${end}`);
    if (known !== undefined) return known;
    const root = this.#compute(start, end);
    this.#known.set(`${start}-${end}`, root);
    return root;
  }

  #compute(start: number, end: number): Uint8Array {
    if (end === start) return sha256();
    if (end - start === 1) return this.leaves[start] ?? sha256();
    let half = 1;
    while (half * 2 < end - start) half *= 2;
    return sha256(Uint8Array.of(1), this.root(start, start + half), this.root(start + half, end));
  }
}

/** The root that a proof leads to, by the algorithm for verifiers (RFC 9162, 2.1.3.2). */
function followProof(leaf: Uint8Array, index: number, size: number, path: readonly Uint8Array[]): Uint8Array {
  let [node, last, root] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (node % 2 === 1 || node === last) {
      root = sha256(Uint8Array.of(1), sibling, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else root = sha256(Uint8Array.of(1), root, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : sha256();
}

/** Reads the hashes as they are stored: leaves, and the roots of full tiles. */
function store(leaves: readonly Uint8Array[]): ReadHashes {
  const levels = [leaves];
  for (let level = 1; countHashes(level, leaves.length) > 0; level += 1) {
    const below = levels[level - 1] ?? [];
    const tiles = Array.from({ length: countHashes(level, leaves.length) }, (_, index) =>
      foldHashes(below.slice(index * tileWidth, (index + 1) * tileWidth)),
    );
    levels.push(tiles);
  }
  return (level, from, to) => Promise.resolve((levels[level] ?? []).slice(from, to));
}

describe('the tree of a log', () => {
  const largest = 600;
  const tree = new DefinedTree(largest);
  const read = store(tree.leaves);
  /** All small ones, and those at which tiles are completed and begin. */
  const sizes = Array.from({ length: largest + 1 }, (_, size) => size).filter(
    (size) => size <= 70 || (size + 8) % tileWidth < 40,
  );

  it('hashes an entry with the prefix of leaves', () => {
    expect(hex(hashLeaf(Buffer.from('entry 0')))).toBe(hex(tree.root(0, 1)));
  });

  it('has the root of its definition, for every size to 70, and for others to 600', async () => {
    const builder = new TreeBuilder();
    for (let size = 0; size <= largest; size += 1) {
      if (sizes.includes(size)) {
        expect(hex(await findRoot(cacheTiles(read, size), size))).toBe(hex(tree.root(0, size)));
        expect(hex(builder.root)).toBe(hex(tree.root(0, size)));
      }
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
