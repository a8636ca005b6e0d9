import type { Table, Text } from '../report.ts';

/** The first rows of a table, and how many there are in all: a list of any length takes the memory of its first rows. */
export class RowCollector<Entry> {
  readonly #most: number;
  readonly #toRow: (entry: Entry) => readonly Text[];
  readonly #rows: (readonly Text[])[] = [];
  #count = 0;

  /**
   * @param most how many rows are kept
   * @param toRow makes the row of an entry; asked only for those that are kept
   */
  constructor(most: number, toRow: (entry: Entry) => readonly Text[]) {
    this.#most = most;
    this.#toRow = toRow;
  }

  add(entry: Entry): void {
    this.#count += 1;
    if (this.#rows.length < this.#most) this.#rows.push(this.#toRow(entry));
  }

  /** How many entries were added. */
  get count(): number {
    return this.#count;
  }

  /** The table, or none where no entry was added. */
  table(title: string, columns: readonly string[]): readonly Table[] {
    if (this.#count === 0) return [];
    const table = { title: `${title} (${this.#count})`, columns, rows: this.#rows };
    const more = this.#count - this.#rows.length;
    return [more > 0 ? { ...table, more } : table];
  }
}
