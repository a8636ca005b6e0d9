import { SlotVersions, toSlot, type Slots } from '../sources.ts';
import type { WrittenSources } from './written-sources.ts';

/** Counts the commits of this process, and knows for every source the latest commit that wrote it. */
export class CommitTracker {
  readonly #versions = new SlotVersions();
  #uncommitted = new Set<number>();

  constructor(written: Pick<WrittenSources, 'onWrite'>) {
    written.onWrite((source) => {
      this.#uncommitted.add(toSlot(source));
    });
  }

  /** The number of the latest commit. */
  get latest(): number {
    return this.#versions.latest;
  }

  /** The number of the latest commit that wrote any of the sources; 0 if there is none. */
  findLastWrite(slots: Slots): number {
    return this.#versions.findLastWrite(slots);
  }

  /** Whether any of the sources was written since the latest commit. */
  hasUncommittedWrite(slots: Slots): boolean {
    return slots.some((slot) => this.#uncommitted.has(slot));
  }

  /** Call it synchronously after every commit, also after a failed one, which may have reached the disk. */
  recordCommit(): void {
    this.#versions.record(this.#uncommitted);
    this.#uncommitted = new Set();
  }
}
