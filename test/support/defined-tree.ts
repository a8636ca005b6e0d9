import { createHash } from 'node:crypto';
import { countHashes, foldHashes, type ReadHashes, tileWidth } from '../../src/runtime/transparency-log/tree.ts';

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The hashes of trees by their definition (RFC 6962, 2.1), of which each subtree is computed once. */
export class DefinedTree {
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
export function followProof(leaf: Uint8Array, index: number, size: number, path: readonly Uint8Array[]): Uint8Array {
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
export function store(leaves: readonly Uint8Array[]): ReadHashes {
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
