/**
 * A version of some records. As long as the storage returns an equal version (`===`), the records are unchanged, and
 * values computed from them can be reused; a different version does not imply a change. Read the version in the same
 * transaction as the records.
 */
export type DataVersion = string | number;

/** How much a cache holds. */
export interface CacheLimits {
  /** In the unit that `set` is given weights in. */
  readonly maximumWeight: number;
}

/** A value with the version of what it was computed from. */
export interface Versioned<Value> {
  readonly value: Value;
  readonly version: DataVersion;
}

interface Entry<Value> extends Versioned<Value> {
  readonly weight: number;
}

/**
 * Keeps values with the version of what they were computed from. Holds what was used last, up to a weight. A value of
 * another version stays until it is replaced or not used for long.
 */
export class VersionedCache<Value> {
  readonly #maximumWeight: number;
  /** The least recently used one comes first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;
  /** The last one, which need not be moved when it is used again. */
  #newest: Entry<Value> | undefined;

  constructor({ maximumWeight }: CacheLimits) {
    this.#maximumWeight = maximumWeight;
  }

  /** The value, if it was computed from this version. */
  get(key: string, version: DataVersion): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry?.version !== version) return undefined;
    this.#use(key, entry);
    return entry.value;
  }

  /** The value of whatever version, for who finds out by the value itself which version is the current one. */
  latest(key: string): Versioned<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#use(key, entry);
    return entry;
  }

  /**
   * Keeps a value in place of the one before; not if it is heavier than the whole cache may be, nor if its version does not
   * equal itself.
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
