/**
 * The tables that cached values are read from. The columns identify a source: the rows that are read together. Every
 * write to these tables makes the cached values of its source outdated.
 */
export const watchedTables = {
  flows: ['org', 'name'],
  trail_templates: ['org', 'flow', 'trail'],
  artifacts: ['org', 'fingerprint'],
  bindings: ['org', 'flow', 'scope'],
  appearances: ['org', 'fingerprint'],
  environments: ['org', 'name'],
  environment_policies: ['org'],
  members: ['org', 'user'],
  service_accounts: ['org', 'name'],
  api_keys: ['id'],
} as const;

/** A key for the rows of a table that are read together. */
export type Source = string;

/** Separates the parts of a source. Names contain no line break, so the keys are unambiguous. */
export const sourceSeparator = '\n';

/** Returns the source of the rows with these values in the columns of `watchedTables`. */
export function toSource<Table extends keyof typeof watchedTables>(
  table: Table,
  ...values: Readonly<Record<keyof (typeof watchedTables)[Table] & `${number}`, string>> & readonly string[]
): Source {
  let source: Source = table;
  for (const value of values) source += sourceSeparator + value;
  return source;
}

/** The number of slots. Writes to sources that share a slot are not distinguished. */
export const slotCount = 65_536;

/** The slots of sources, computed once for sources that are looked up repeatedly. */
export type Slots = readonly number[];

/** Returns the slots of sources. They are stored in databases, so a source keeps its slot in every version. */
export function toSlots(sources: readonly Source[]): Slots {
  return sources.map(toSlot);
}

/** FNV-1a over UTF-16 code units, folded to the number of slots. */
export function toSlot(source: Source): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < source.length; index += 1) {
    hash = Math.imul(hash ^ source.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> 16) ^ hash) & (slotCount - 1);
}

/**
 * Counts commits, and knows for every source the latest commit that wrote it. Memory use is constant, because sources
 * are hashed to a fixed number of slots.
 */
export class SlotVersions {
  readonly #lastWrites = new Float64Array(slotCount);
  #latest = 0;

  /** The number of the latest commit. */
  get latest(): number {
    return this.#latest;
  }

  /** The number of the latest commit that wrote any of the slots; 0 if there is none. */
  findLastWrite(slots: Slots): number {
    let last = 0;
    for (const slot of slots) last = Math.max(last, this.#lastWrites[slot] ?? 0);
    return last;
  }

  /** Counts a commit that wrote these slots. */
  record(slots: Iterable<number>): void {
    this.#latest += 1;
    for (const slot of slots) this.#lastWrites[slot] = this.#latest;
  }

  /** Counts a commit that may have written every slot. */
  recordAll(): void {
    this.#latest += 1;
    this.#lastWrites.fill(this.#latest);
  }
}
