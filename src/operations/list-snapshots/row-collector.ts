import { listTable, type Table, type Text } from '../report.ts';

/** Keeps the first rows of a table and counts the rest, so that memory does not grow with the list. */
export class RowCollector<Entry> {
  readonly #maximumRows: number;
  readonly #toRow: (entry: Entry) => readonly Text[];
  readonly #rows: (readonly Text[])[] = [];
  #count = 0;

  /**
   * @param maximumRows how many rows are kept
   * @param toRow makes the row of an entry; called only for rows that are kept
   */
  constructor(maximumRows: number, toRow: (entry: Entry) => readonly Text[]) {
    this.#maximumRows = maximumRows;
    this.#toRow = toRow;
  }

  add(entry: Entry): void {
    this.#count += 1;
    if (this.#rows.length < this.#maximumRows) this.#rows.push(this.#toRow(entry));
  }

  /** How many entries were added. */
  get count(): number {
    return this.#count;
  }

  /** The table; none if no entry was added. */
  table(title: string, columns: readonly string[]): readonly Table[] {
    return listTable(title, columns, this.#rows, this.#count);
  }
}
