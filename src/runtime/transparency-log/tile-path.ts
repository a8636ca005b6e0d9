import { countHashes, tileWidth } from './tree.ts';

/** Paths of tiles, as the C2SP specification tlog-tiles defines them. */

/** A tile of hashes, or a bundle of entries. */
export interface Tile {
  readonly level: number | 'entries';
  /** The index of its first hash or entry, and the one after its last. */
  readonly from: number;
  readonly to: number;
}

/** `<level>/<index>` or `<level>/<index>.p/<width>`; the index is in groups of three digits. */
const tilePath = /^(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/u;

/** The path of a tile after `tile/`; its first hash or entry must begin a tile. */
export function toTilePath({ level, from, to }: Tile): string {
  const index = String(from / tileWidth);
  const digits = index.padStart(Math.ceil(index.length / 3) * 3, '0');
  const groups = digits.replaceAll(/\d{3}(?=\d)/gu, 'x$&/');
  return `${level}/${groups}${to - from === tileWidth ? '' : `.p/${to - from}`}`;
}

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
