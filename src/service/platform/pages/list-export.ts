import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LongStream, StreamedResponse } from '../server/streamed-response.ts';

/** A row of a list, by column. */
export type ExportedRow = Readonly<Record<string, string | number | undefined>>;

export interface ListExport {
  readonly format: 'csv' | 'json';
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<ExportedRow>;
  /** Is called if a row fails. */
  readonly failed: (error: unknown) => void;
}

/** Streams a list as a file. */
export function exportList({ format, name, columns, rows, failed }: ListExport): StreamedResponse {
  const output = new LongStream();
  const text = format === 'csv' ? toCsv(columns, rows) : toJson(rows);
  void pipeline(Readable.from(text), output).catch((error: unknown) => {
    // The client may also have left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) failed(error);
  });
  const filename = `${name.replaceAll(/[^A-Za-z0-9._-]+/gu, '-').slice(0, 100)}.${format}`;
  return new StreamedResponse(output, {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
    'content-disposition': `attachment; filename="${filename}"`,
  });
}

async function* toCsv(columns: readonly string[], rows: AsyncIterable<ExportedRow>): AsyncGenerator<string> {
  yield toCsvLine(columns);
  for await (const row of rows) yield toCsvLine(columns.map((column) => row[column]));
}

async function* toJson(rows: AsyncIterable<ExportedRow>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** A line of CSV (RFC 4180). Spreadsheets would run a text that begins like a formula, so it gets an apostrophe. */
export function toCsvLine(cells: readonly ExportedRow[string][]): string {
  const quoted = cells.map((cell = '') => {
    const text = typeof cell === 'string' && /^[=+\-@\t\r]/u.test(cell) ? `'${cell}` : String(cell);
    return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${quoted.join(',')}\r\n`;
}
