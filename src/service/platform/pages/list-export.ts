import { Readable } from 'node:stream';
import { type Download, startDownload, type StreamedResponse } from '../server/streamed-response.ts';

type Cell = string | number | boolean | undefined;
type Row = Readonly<Record<string, Cell>>;

/** A list of a page that can be downloaded. */
export interface ExportedList {
  readonly columns: readonly string[];
  /** The rows, each with its cells by column. */
  readonly rows: Iterable<Row> | AsyncIterable<Row>;
}

/** Creates a list from items and, for each column, a function that reads its cell from an item. */
export function toList<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  columns: Readonly<Record<string, (item: Item) => Cell>>,
): ExportedList {
  return { columns: Object.keys(columns), rows: toRows(items, columns) };
}

async function* toRows<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  columns: Readonly<Record<string, (item: Item) => Cell>>,
): AsyncGenerator<Row> {
  for await (const item of items)
    yield Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(item)]));
}

const partSize = 100;

/**
 * Reads all items, a part at a time.
 *
 * @param read returns the items after the first `offset`; `last` is the last of these
 */
export async function* readInParts<Item>(
  read: (part: { readonly offset: number; readonly limit: number }, last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<Item> {
  let last: Item | undefined;
  for (let offset = 0; ; offset += partSize) {
    const items = await read({ offset, limit: partSize }, last);
    yield* items;
    last = items.at(-1);
    if (items.length < partSize) return;
  }
}

/** Formats a time (Unix seconds) for a list. */
export function toTime(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}

export const exportFormats = ['csv', 'json'] as const;

export function exportList(
  read: () => ExportedList | Promise<ExportedList>,
  extension: (typeof exportFormats)[number],
  download: Omit<Download, 'extension' | 'type'>,
): Promise<StreamedResponse> {
  const [type, format] = extension === 'csv' ? ['text/csv', toCsv] : ['application/json', toJson];
  const open = async (): Promise<Readable> => Readable.from(format(await read()));
  return startDownload(open, { ...download, extension, type: `${type}; charset=utf-8` });
}

async function* toCsv({ columns, rows }: ExportedList): AsyncGenerator<string> {
  yield toCsvLine(columns);
  for await (const row of rows) yield toCsvLine(columns.map((column) => row[column]));
}

async function* toJson({ rows }: ExportedList): AsyncGenerator<string> {
  let before = '[\n';
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/**
 * The places where a spreadsheet may begin a cell with a formula. In many locales, spreadsheets separate cells by `;` and
 * ignore quotes within a line.
 */
const formulaStart = /(?<=^|[;\t\r\n])(?=[" ]*[=+\-@＝＋－＠])|^(?=[" ]*[\t\r\n])/gu;

/** A line of CSV (RFC 4180). Spreadsheets would run a text that begins like a formula, so it gets an apostrophe. */
export function toCsvLine(cells: readonly Cell[]): string {
  const quoted = cells.map((cell = '') => {
    const text = typeof cell === 'string' ? cell.replaceAll(formulaStart, "'") : String(cell);
    return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${quoted.join(',')}\r\n`;
}
