import type { Source, WrittenSources } from './written-sources.ts';

/** The number of slots. Writes to sources that share a slot are not distinguished. */
const slotCount = 65_536;

/** The slots of sources, computed once for sources that are looked up repeatedly. */
export type Slots = readonly number[];

/** Returns the slots of sources. */
export function toSlots(sources: readonly Source[]): Slots {
  return sources.map(toSlot);
}

/**
 * Counts the commits of this process, and records for every source the latest commit that wrote it. Memory use is
 * constant, because sources are hashed to a fixed number of slots.
 */
export class CommitTracker {
  readonly #lastWrites = new Float64Array(slotCount);
  #uncommitted = new Set<number>();
  #latest = 0;

  constructor(written: Pick<WrittenSources, 'onWrite'>) {
    written.onWrite((source) => {
      this.#uncommitted.add(toSlot(source));
    });
  }

  /** The number of the latest commit. */
  get latest(): number {
    return this.#latest;
  }

  /** The number of the latest commit that wrote any of the sources; 0 if there is none. */
  findLastWrite(slots: Slots): number {
    let last = 0;
    for (const slot of slots) last = Math.max(last, this.#lastWrites[slot] ?? 0);
    return last;
  }

  /** Whether any of the sources was written since the latest commit. */
  hasUncommittedWrite(slots: Slots): boolean {
    return slots.some((slot) => this.#uncommitted.has(slot));
  }

  /** Call it synchronously after every commit, also after a failed one, which may have reached the disk. */
  recordCommit(): void {
    this.#latest += 1;
    for (const slot of this.#uncommitted) this.#lastWrites[slot] = this.#latest;
    this.#uncommitted = new Set();
  }
}

/** FNV-1a over UTF-16 code units, folded to the number of slots. */
function toSlot(source: Source): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < source.length; index += 1) {
    hash = Math.imul(hash ^ source.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> 16) ^ hash) & (slotCount - 1);
}
