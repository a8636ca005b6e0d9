import { countHashes, tileWidth } from './tree.ts';

/** Tiles and entry bundles of a log, as the C2SP specification tlog-tiles defines them. */

/** A tile of hashes, or a bundle of entries. */
export interface Tile {
  readonly level: number | 'entries';
  /** The index of its first hash or entry, and the one after its last. */
  readonly from: number;
  readonly to: number;
}

/** `<level>/<index>` or `<level>/<index>.p/<width>`; the index is in groups of three digits. */
const tilePath = /^(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/u;

/** Reads the path of a tile after `tile/`; undefined if the tree of this size has no such tile. */
export function parseTilePath(path: string, size: number): Tile | undefined {
  const [, level = '', index = '', partial] = tilePath.exec(path) ?? [];
  if (index.startsWith('x000/')) return undefined;
  const width = partial === undefined ? tileWidth : Number(partial);
  const from = Number(index.replaceAll(/[x/]/gu, '')) * tileWidth;
  const to = from + width;
  const isServed = level !== '' && (partial === undefined || width < tileWidth);
  if (!isServed || to > countHashes(level === 'entries' ? 0 : Number(level), size)) return undefined;
  return { level: level === 'entries' ? level : Number(level), from, to };
}

/** Joins entries, each after its length in two bytes. */
export function bundleEntries(entries: readonly Uint8Array[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(entry.length);
    return [length, entry];
  });
  return Buffer.concat(parts);
}

/** The proof that a checkpoint includes an entry, as the C2SP specification tlog-proof defines it. */
export function renderProof(index: number, path: readonly Uint8Array[], checkpoint: string): string {
  const hashes = path.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes.join('')}\n${checkpoint}`;
}
