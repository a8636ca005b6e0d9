/**
 * What a transaction has read. It holds the locks of its organizations, so only its own writes change that: what was
 * read in advance is valid when it is needed, unless one of the records that it depends on was written since.
 */
export class KnownReads<Value> {
  readonly #known = new Map<string, { readonly value: Value }>();
  /** The keys of the written records. */
  readonly #written = new Set<string>();

  /**
   * Returns what was read before, or reads it if it is not known.
   *
   * @param key identifies what is read
   * @param records the keys of the records that it depends on; by default, it is one record
   */
  async read(key: string, read: () => Promise<Value>, records: readonly string[] = [key]): Promise<Value> {
    const known = this.#known.get(key);
    if (known !== undefined && !records.some((record) => this.#written.has(record))) return known.value;
    const value = await read();
    this.#known.set(key, { value });
    return value;
  }

  /** Call it for every record that is written. */
  noteWrite(...records: readonly string[]): void {
    for (const record of records) this.#written.add(record);
  }

  /** Whether a record was written. */
  isWritten(record: string): boolean {
    return this.#written.has(record);
  }
}

/** Returns the key of a record, or of what is read. */
export function toKey(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
