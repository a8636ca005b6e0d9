import { createHash } from 'node:crypto';

/** The hash tree of a log (RFC 6962, 2.1), read in the tiles of the C2SP specification tlog-tiles. */

/** How many hashes a full tile has. A hash of a level covers as many hashes of the level below. */
export const tileWidth = 256;
const tileHeight = 8;

/** The length of a hash, in bytes. */
export const hashBytes = 32;

/** Returns the hashes of a level between two indexes, without the last; all of them are in one tile. */
export type ReadHashes = (level: number, from: number, to: number) => Promise<readonly Uint8Array[]>;

function hash(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const digest = createHash('sha256').update(Uint8Array.of(prefix));
  for (const part of parts) digest.update(part);
  return digest.digest();
}

export const hashLeaf = (entry: Uint8Array): Uint8Array => hash(0, entry);

const hashNode = (left: Uint8Array, right: Uint8Array): Uint8Array => hash(1, left, right);

/** The roots of lists of hashes, for as long as the lists are cached. */
const folded = new WeakMap<readonly Uint8Array[], Uint8Array>();

/** The root over hashes whose number is a power of two, such as a full tile. */
export function foldHashes(hashes: readonly Uint8Array[]): Uint8Array {
  const known = folded.get(hashes);
  if (known !== undefined) return known;
  let row = hashes;
  while (row.length > 1) {
    const below = row;
    row = Array.from({ length: below.length / 2 }, (_, index) =>
      hashNode(at(below, 2 * index), at(below, 2 * index + 1)),
    );
  }
  const root = at(row, 0);
  folded.set(hashes, root);
  return root;
}

/** The root of the tree of a size. */
export async function findRoot(read: ReadHashes, size: number): Promise<Uint8Array> {
  return size === 0 ? createHash('sha256').digest() : findSubtree(read, 0, size);
}

export interface Roots {
  readonly earlier: Uint8Array;
  readonly later: Uint8Array;
}

/**
 * The roots of the trees of two sizes, computed from the same hashes. If both match the signed roots, the later tree
 * begins with the entries of the earlier one, even if the hashes come from an untrusted source.
 *
 * @param earlier at most `later`
 */
export async function findRoots(read: ReadHashes, earlier: number, later: number): Promise<Roots> {
  const findIn = async (start: number, end: number): Promise<Roots> => {
    if (end === earlier) {
      const root = await findSubtree(read, start, end);
      return { earlier: root, later: root };
    }
    const middle = start + splitAt(end - start);
    if (earlier <= middle) {
      const left = await findIn(start, middle);
      return { ...left, later: hashNode(left.later, await findSubtree(read, middle, end)) };
    }
    const left = await findSubtree(read, start, middle);
    const right = await findIn(middle, end);
    return { earlier: hashNode(left, right.earlier), later: hashNode(left, right.later) };
  };
  if (earlier > 0) return findIn(0, later);
  return { earlier: await findRoot(read, 0), later: await findRoot(read, later) };
}

/** The hashes that lead from an entry to the root of the tree of a size, from the entry's sibling upwards. */
export function findInclusionProof(read: ReadHashes, index: number, size: number): Promise<readonly Uint8Array[]> {
  const proveIn = async (start: number, end: number): Promise<readonly Uint8Array[]> => {
    if (end - start === 1) return [];
    const middle = start + splitAt(end - start);
    return index < middle
      ? [...(await proveIn(start, middle)), await findSubtree(read, middle, end)]
      : [...(await proveIn(middle, end)), await findSubtree(read, start, middle)];
  };
  return proveIn(0, size);
}

/** How many hashes a level has in the tree of a size. */
export const countHashes = (level: number, size: number): number => Math.floor(size / tileWidth ** level);

async function findSubtree(read: ReadHashes, start: number, end: number): Promise<Uint8Array> {
  const length = end - start;
  const height = Math.log2(length);
  if (!Number.isInteger(height)) {
    const middle = start + splitAt(length);
    return hashNode(await findSubtree(read, start, middle), await findSubtree(read, middle, end));
  }
  const level = Math.floor(height / tileHeight);
  const covered = tileWidth ** level;
  return foldHashes(await read(level, start / covered, end / covered));
}

/** The largest power of two below a length. */
const splitAt = (length: number): number => 2 ** Math.floor(Math.log2(length - 1));

function at(hashes: readonly Uint8Array[], index: number): Uint8Array {
  const found = hashes[index];
  if (found === undefined) throw new Error('the log lacks hashes; run the command verify');
  return found;
}

/** Keeps parts of tiles. */
export interface TileCache {
  get(key: string): Promise<readonly Uint8Array[]> | undefined;
  set(key: string, hashes: Promise<readonly Uint8Array[]>): unknown;
}

/** Reads each tile once, for the proofs and roots of one tree. */
export function cacheTiles(read: ReadHashes, size: number, cache: TileCache = new Map()): ReadHashes {
  const find = (key: string, load: () => Promise<readonly Uint8Array[]>): Promise<readonly Uint8Array[]> => {
    const found = cache.get(key) ?? load();
    cache.set(key, found);
    return found;
  };
  return (level, from, to) =>
    find(`${level}/${from}/${to}`, async () => {
      const first = Math.floor(from / tileWidth) * tileWidth;
      const last = Math.min(first + tileWidth, countHashes(level, size));
      const tile = await find(`${level}/${first}`, () => read(level, first, last));
      return tile.slice(from - first, to - first);
    });
}

/** Computes the root of a tree from all of its leaves, without stored hashes. */
export class TreeBuilder {
  /** The roots of the perfect subtrees, the largest first, with the number of their leaves. */
  readonly #subtrees: { readonly leaves: number; readonly root: Uint8Array }[] = [];

  add(leaf: Uint8Array): void {
    let [leaves, root] = [1, leaf];
    for (let last = this.#subtrees.at(-1); last?.leaves === leaves; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      root = hashNode(last.root, root);
      leaves *= 2;
    }
    this.#subtrees.push({ leaves, root });
  }

  get root(): Uint8Array {
    const [last, ...others] = this.#subtrees.map(({ root }) => root).reverse();
    if (last === undefined) return createHash('sha256').digest();
    return others.reduce((right, left) => hashNode(left, right), last);
  }
}
