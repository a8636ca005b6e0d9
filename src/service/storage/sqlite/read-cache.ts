import type { Source, WrittenSources } from './written-sources.ts';

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
  readonly sources: readonly Source[];
}

/**
 * Keeps what was read until one of the rows that it was read from is written, so that what it answers is never older than
 * the database. Holds what was asked for last, up to a weight.
 */
export class ReadCache<Value> {
  readonly #maximumWeight: number;
  /** The one that was asked for longest ago comes first. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #keysBySource = new Map<Source, Set<string>>();
  #weight = 0;

  constructor(written: Pick<WrittenSources, 'onWrite'>, maximumWeight: number) {
    this.#maximumWeight = maximumWeight;
    written.onWrite((source) => {
      this.#forgetReadFrom(source);
    });
  }

  /** What was read under the key; undefined where that is not known, or no longer true. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Keeps what was read, in place of what the key stood for before.
   *
   * @param sources all that a write could change it by
   * @param weight in the unit of the whole cache's; what is heavier than that is not kept
   */
  set(key: string, value: Value, sources: readonly Source[], weight: number): void {
    this.#forget(key);
    if (weight > this.#maximumWeight) return;
    this.#entries.set(key, { value, weight, sources });
    this.#weight += weight;
    for (const source of sources) {
      const keys = this.#keysBySource.get(source);
      if (keys === undefined) this.#keysBySource.set(source, new Set([key]));
      else keys.add(key);
    }
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maximumWeight) break;
      this.#forget(oldest);
    }
  }

  #forgetReadFrom(source: Source): void {
    for (const key of this.#keysBySource.get(source) ?? []) this.#forget(key);
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    for (const source of entry.sources) {
      const keys = this.#keysBySource.get(source);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysBySource.delete(source);
    }
  }
}
