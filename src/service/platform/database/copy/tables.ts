import type { DatabaseSync } from 'node:sqlite';
import { number, text } from '../rows.ts';

/** What a column holds, whatever the database. */
export type ColumnKind = 'text' | 'integer' | 'real' | 'blob';

/** A column that is copied. It has the same name in both databases. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The expression for its values in SQLite. */
  readonly source: string;
}

/** A table that is copied. It has the same name in both databases. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in their order. */
  readonly key: readonly string[];
}

/** The columns that PostgreSQL has in place of SQLite's row number, which grows in the order of creation. */
const rowNumbers: ReadonlyMap<string, string> = new Map([
  ['trails', 'place'],
  ['artifacts', 'place'],
]);

const kinds: ReadonlyMap<string, ColumnKind> = new Map([
  ['TEXT', 'text'],
  ['INTEGER', 'integer'],
  ['REAL', 'real'],
  ['BLOB', 'blob'],
]);

/** Quotes a name. Both databases do it in the same way; some columns are named by reserved words. */
export const quote = (name: string): string => `"${name}"`;

/** All tables of an SQLite database, each after those that its rows refer to. */
export function listTables(database: DatabaseSync): readonly Table[] {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map((row) => text(row, 'name'));
  const ordered = new Set<string>();
  const add = (name: string): void => {
    if (ordered.has(name)) return;
    for (const referred of listReferredTables(database, name)) if (referred !== name) add(referred);
    ordered.add(name);
  };
  for (const name of names) add(name);
  return [...ordered].map((name) => readTable(database, name));
}

function listReferredTables(database: DatabaseSync, name: string): readonly string[] {
  const rows = database.prepare('SELECT "table" FROM pragma_foreign_key_list(?)').all(name);
  return rows.map((row) => text(row, 'table'));
}

function readTable(database: DatabaseSync, name: string): Table {
  const rows = database.prepare('SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid').all(name);
  const columns = rows.map((row): Column => {
    const column = text(row, 'name');
    const kind = kinds.get(text(row, 'type'));
    if (kind === undefined) throw new TypeError(`column ${name}.${column} has an unknown type`);
    return { name: column, kind, source: quote(column) };
  });
  const key = rows
    .filter((row) => number(row, 'pk') > 0)
    .sort((first, second) => number(first, 'pk') - number(second, 'pk'))
    .map((row) => text(row, 'name'));
  const rowNumber = rowNumbers.get(name);
  const place: readonly Column[] =
    rowNumber === undefined ? [] : [{ name: rowNumber, kind: 'integer', source: 'rowid' }];
  return { name, columns: [...columns, ...place], key };
}
