import type { Source, WrittenSources } from './written-sources.ts';

/** How many counters there are; sources that share one are only forgotten together. */
const counters = 65_536;

/** The counters of sources, so that their texts are not needed to ask for their last write. */
export type Counters = readonly number[];

/** Finds the counters of sources. */
export function countersOf(sources: readonly Source[]): Counters {
  return sources.map(counterOf);
}

/**
 * Counts the commits of this process, and remembers for every source of reads the last commit that wrote it. Memory is
 * constant: sources share counters by their hash.
 */
export class Commits {
  readonly #lastWrites = new Float64Array(counters);
  #written = new Set<number>();
  #latest = 0;

  constructor(written: Pick<WrittenSources, 'onWrite'>) {
    written.onWrite((source) => {
      this.#written.add(counterOf(source));
    });
  }

  /** The number of the latest commit. */
  get latest(): number {
    return this.#latest;
  }

  /** The last commit that wrote any of the sources with these counters. */
  lastWriteOf(counters: Counters): number {
    let last = 0;
    for (const counter of counters) last = Math.max(last, this.#lastWrites[counter] ?? 0);
    return last;
  }

  /** Whether any of the sources was written since the latest commit. */
  isWriting(counters: Counters): boolean {
    return counters.some((counter) => this.#written.has(counter));
  }

  /** Call it in the same turn as the commit. A commit that fails counts as well: it may have reached the disk. */
  committed(): void {
    this.#latest += 1;
    for (const counter of this.#written) this.#lastWrites[counter] = this.#latest;
    this.#written = new Set();
  }
}

/** FNV-1a over UTF-16 code units, folded to the number of counters. */
function counterOf(source: Source): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < source.length; index += 1) {
    hash = Math.imul(hash ^ source.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> 16) ^ hash) & (counters - 1);
}
