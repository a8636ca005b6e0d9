/**
 * A version of some records. As long as the storage returns an equal version (`===`), the records are unchanged, and
 * values computed from them can be reused; a different version does not imply a change. Read the version in the same
 * transaction as the records.
 */
export type DataVersion = string | number;

/** The capacity of a cache. */
export interface CacheLimits {
  /** The maximum total weight of the values, in the unit of `set`. */
  readonly maximumWeight: number;
}

/** A value with the version of the records that it was computed from. */
export interface Versioned<Value> {
  readonly value: Value;
  readonly version: DataVersion;
}

interface Entry<Value> extends Versioned<Value> {
  readonly weight: number;
}

/**
 * Caches values with the version of the records that they were computed from. If the total weight exceeds the maximum,
 * the least recently used values are removed. A value of an outdated version stays until it is replaced or removed.
 */
export class VersionedCache<Value> {
  readonly #maximumWeight: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;
  /** The most recently used entry, which need not be moved when it is used again. */
  #newest: Entry<Value> | undefined;

  constructor({ maximumWeight }: CacheLimits) {
    this.#maximumWeight = maximumWeight;
  }

  /** Returns the value if it was computed from this version. */
  get(key: string, version: DataVersion): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry?.version !== version) return undefined;
    this.#use(key, entry);
    return entry.value;
  }

  /** Returns the value of any version, for callers that need the value itself to find the current version. */
  latest(key: string): Versioned<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#use(key, entry);
    return entry;
  }

  /**
   * Caches a value in place of the previous one. The key is only removed if the value is heavier than the maximum, or if
   * the version is NaN, which equals no version.
   */
  set(key: string, version: DataVersion, value: Value, weight = 1): void {
    this.#delete(key);
    if (weight > this.#maximumWeight || Number.isNaN(version)) return;
    this.#newest = { value, version, weight };
    this.#entries.set(key, this.#newest);
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maximumWeight) break;
      this.#delete(oldest);
    }
  }

  #use(key: string, entry: Entry<Value>): void {
    if (entry === this.#newest) return;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#newest = entry;
  }

  #delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
