import { renderEmpty } from './components.ts';
import { type Hole, type Html, html } from './html.ts';

export interface Table {
  /** Names the table for readers who do not see it. */
  readonly label: string;
  readonly columns: readonly Hole[];
  /** The names of the columns in a narrow window; by default `columns`, as far as they are texts. */
  readonly labels?: readonly string[] | undefined;
  /** The cells of each row; the first names the row. They are rendered only until the page is long enough. */
  readonly rows: Iterable<readonly Hole[]>;
  /** The text that replaces a table without rows. */
  readonly empty?: Hole;
  /** How many rows there are besides `rows`. */
  readonly more?: number | undefined;
  /** The end of the sentence that counts the rows that are not shown. */
  readonly rest?: string | undefined;
  readonly className?: string | undefined;
  /** The maximum size of its rows, in bytes. */
  readonly maximumBytes?: number | undefined;
}

/** Several tables fit into a page, whose limit is 100 kB. */
const defaultMaximumBytes = 20_000;

const defaultRest = 'are not shown here. The API has all of them.';

/**
 * Renders a table that can be scrolled sideways, and whose rows are cards in a narrow window. Rows that exceed
 * `maximumBytes` are counted instead.
 */
export function renderTable(table: Table): Html {
  const { label, columns, empty, more = 0, className = '', rest = defaultRest } = table;
  const { shown, hidden } = renderRows(table);
  if (shown.length === 0) return empty === undefined ? html`` : renderEmpty(empty);
  const left = hidden + more;
  return html`<div class="table" role="region" tabindex="0" aria-label="${label}">
      <table class="${className}">
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${shown}
        </tbody>
      </table>
    </div>
    ${left === 0 ? undefined : html`<p>${left} more ${rest}</p>`}`;
}

function renderRows({ columns, labels: names = [], rows, maximumBytes = defaultMaximumBytes }: Table): {
  readonly shown: readonly Html[];
  readonly hidden: number;
} {
  const labels = columns.map((column, index) => {
    const name = names[index] ?? column;
    return typeof name === 'string' ? html` data-label="${name}"` : undefined;
  });
  const shown: Html[] = [];
  let [bytes, hidden] = [0, 0];
  for (const cells of rows) {
    const row = hidden > 0 ? undefined : renderRow(cells, labels);
    bytes += row === undefined ? 0 : Buffer.byteLength(row.text);
    if (row === undefined || (bytes > maximumBytes && shown.length > 0)) hidden += 1;
    else shown.push(row);
  }
  return { shown, hidden };
}

/** @param labels the names of the columns, which a narrow window shows in each row */
function renderRow([name, ...cells]: readonly Hole[], labels: readonly (Html | undefined)[]): Html {
  return html`<tr>
    <th scope="row">${name}</th>
    ${cells.map((cell, index) => html`<td${labels[index + 1]}>${cell}</td>`)}
  </tr>`;
}
