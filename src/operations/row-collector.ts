import type { Table, Text } from './report.ts';

/** The first rows of a table, and how many there are in all: a list of any length takes the memory of its first rows. */
export class RowCollector {
  readonly #most: number;
  readonly #rows: (readonly Text[])[] = [];
  #count = 0;

  /** @param most how many rows are kept */
  constructor(most: number) {
    this.#most = most;
  }

  add(row: () => readonly Text[]): void {
    this.#count += 1;
    if (this.#rows.length < this.#most) this.#rows.push(row());
  }

  /** How many rows were added. */
  get count(): number {
    return this.#count;
  }

  /** The table, or none where no row was added. */
  table(title: string, columns: readonly string[]): readonly Table[] {
    if (this.#count === 0) return [];
    const table = { title: `${title} (${this.#count})`, columns, rows: this.#rows };
    const more = this.#count - this.#rows.length;
    return [more > 0 ? { ...table, more } : table];
  }
}
