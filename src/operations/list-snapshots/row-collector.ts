import type { Table, Text } from '../report.ts';

/** Keeps the first rows of a table and counts the rest, so that memory does not grow with the list. */
export class RowCollector<Entry> {
  readonly #most: number;
  readonly #toRow: (entry: Entry) => readonly Text[];
  readonly #rows: (readonly Text[])[] = [];
  #count = 0;

  /**
   * @param most how many rows are kept
   * @param toRow makes the row of an entry; called only for rows that are kept
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

  /** The table; none if no entry was added. */
  table(title: string, columns: readonly string[]): readonly Table[] {
    if (this.#count === 0) return [];
    const table = { title: `${title} (${this.#count})`, columns, rows: this.#rows };
    const more = this.#count - this.#rows.length;
    return [more > 0 ? { ...table, more } : table];
  }
}
