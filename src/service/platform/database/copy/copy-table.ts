import type { DatabaseSync } from 'node:sqlite';
import { type ClientBase, DatabaseError } from 'pg';
import { number, type Row, text } from '../rows.ts';
import { CopyError } from './copy-error.ts';
import { type CopiedValue, digestRow, rowDigestSql, type TableContent, TableDigest } from './table-digest.ts';
import { type ColumnKind, quote, type Table } from './tables.ts';

/** Limits of the rows that are sent at a time: their number, and roughly their size in bytes. */
const batchRows = 1000;
const batchBytes = 1024 * 1024;

/** How many digests of rows are read at a time. */
const digestRows = 5000;

export function countRows(database: DatabaseSync, { name }: Table): number {
  return number(database.prepare(`SELECT count(*) AS count FROM ${quote(name)}`).get() ?? {}, 'count');
}

/**
 * @param onRows called after each batch with the number of its rows
 * @throws CopyError if PostgreSQL cannot store a row
 */
export async function copyTable(
  database: DatabaseSync,
  client: ClientBase,
  table: Table,
  onRows: (count: number) => void,
): Promise<TableContent> {
  const digest = new TableDigest();
  const insert = insertSql(table);
  for (const rows of readBatches(database, table)) {
    for (const row of rows) digest.add(digestRow(table, row));
    const values = table.columns.map((_, index) => rows.map((row) => row[index] ?? null));
    await run(() => client.query({ name: `copy.${table.name}`, text: insert, values }), table);
    onRows(rows.length);
  }
  return digest.end();
}

/** Names the table if the database refuses a row: a value or an index entry, or a row that it refers to. */
async function run(insert: () => Promise<unknown>, { name }: Table): Promise<void> {
  try {
    await insert();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !/^(?:22|23|54)/u.test(error.code ?? '')) throw error;
    throw new CopyError(`the table ${name} has a row that PostgreSQL refuses (${error.message}); nothing was copied`, {
      cause: error,
    });
  }
}

function* readBatches(database: DatabaseSync, table: Table): Generator<readonly (readonly CopiedValue[])[]> {
  let batch: (readonly CopiedValue[])[] = [];
  let bytes = 0;
  for (const row of readRows(database, table)) {
    batch.push(row);
    for (const value of row) bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
    if (batch.length < batchRows && bytes < batchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Reads the rows in the order of the primary key. */
function* readRows(database: DatabaseSync, table: Table): Generator<readonly CopiedValue[]> {
  const columns = table.columns.map(({ name, source }) => `${source} AS ${quote(name)}`);
  const select = `SELECT ${columns.join(', ')} FROM ${quote(table.name)} ORDER BY ${toKeySql(table)}`;
  for (const row of database.prepare(select).iterate()) {
    yield table.columns.map(({ name }) => toCopied(table, row, name));
  }
}

function toCopied(table: Table, row: Row, column: string): CopiedValue {
  const value = row[column];
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`column ${table.name}.${column} holds an unknown type`);
}

/** The columns of the primary key in SQL. */
const toKeySql = ({ key }: Table): string => key.map(quote).join(', ');

const arrayTypes: Readonly<Record<ColumnKind, string>> = {
  text: 'text[]',
  integer: 'bigint[]',
  real: 'double precision[]',
  blob: 'bytea[]',
};

function insertSql({ name, columns }: Table): string {
  const names = columns.map((column) => quote(column.name));
  const lists = columns.map(({ kind }, index) => `$${index + 1}::${arrayTypes[kind]}`);
  return `INSERT INTO ${quote(name)} (${names.join(', ')}) SELECT * FROM unnest(${lists.join(', ')})`;
}

/**
 * Reads the content of a copied table, in the transaction of the client.
 *
 * @param onRows called after each batch with the number of its rows
 */
export async function readContent(
  client: ClientBase,
  table: Table,
  onRows: (count: number) => void,
): Promise<TableContent> {
  const digest = new TableDigest();
  await client.query(`DECLARE copied_rows NO SCROLL CURSOR FOR
    SELECT ${rowDigestSql(table)} AS digest FROM ${quote(table.name)} ORDER BY ${toKeySql(table)}`);
  for (;;) {
    const { rows } = await client.query<{ digest: Buffer }>(`FETCH ${digestRows} FROM copied_rows`);
    for (const row of rows) digest.add(row.digest);
    onRows(rows.length);
    if (rows.length < digestRows) break;
  }
  await client.query('CLOSE copied_rows');
  return digest.end();
}

/** Makes the numbers that the database generates continue after the copied ones. */
export async function continueNumbers(client: ClientBase, { name }: Table): Promise<void> {
  const { rows } = await client.query(
    `SELECT column_name::text AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`,
    [name],
  );
  for (const row of rows) {
    const column = text(row as Row, 'name');
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), max(${quote(column)})) FROM ${quote(name)}
        HAVING max(${quote(column)}) IS NOT NULL`,
      [name, column],
    );
  }
}
