import { findLoggedWrite, type LoggedWrite, toColumn } from '../../log/logged-table.ts';
import { number, type Row } from './rows.ts';

/** A value that is sent to a database. In SQLite, lists are JSON and booleans are 0 or 1. */
export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];

export interface ListPart {
  /** How many entries come before it. */
  readonly offset: number;
  readonly limit: number;
}

/** A statement, which each connection prepares once, under its name. */
export interface Statement {
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
  /** The records that it writes to the log; it returns their rows. */
  readonly logged?: LoggedWrite;
}

export interface StatementResult {
  readonly rows: readonly Row[];
  /** The number of changed rows, of a statement that changes any. */
  readonly changes: number;
}

/** Runs the statements of a transaction, in the order of the calls. They need not wait for each other. */
export interface Database {
  /** @throws StorageError or the database's error */
  execute(statement: Statement, values: readonly Value[]): Promise<StatementResult>;
}

/** Reads or writes the records of one concept, in one transaction. */
export abstract class Repository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  protected async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#database.execute(statement, values)).rows;
  }

  /** Returns the number of changed rows. */
  protected async change(statement: Statement, values: readonly Value[]): Promise<number> {
    return (await this.#database.execute(statement, values)).changes;
  }

  protected async run(statement: Statement, values: readonly Value[]): Promise<void> {
    await this.#database.execute(statement, values);
  }

  protected async queryFirst<Record>(
    statement: Statement,
    values: readonly Value[],
    toRecord: (row: Row) => Record,
  ): Promise<Record | undefined> {
    const [row] = await this.query(statement, values);
    return row === undefined ? undefined : toRecord(row);
  }

  protected async queryAll<Record>(
    statement: Statement,
    values: readonly Value[],
    toRecord: (row: Row) => Record,
  ): Promise<readonly Record[]> {
    return (await this.query(statement, values)).map(toRecord);
  }

  /** The number in a column of the only row. */
  protected async queryNumber(statement: Statement, values: readonly Value[], column: string): Promise<number> {
    const [row = {}] = await this.query(statement, values);
    return number(row, column);
  }
}

const defined = new Map<string, Statement>();

export const allStatements: ReadonlyMap<string, Statement> = defined;

/**
 * Defines statements for both databases, in the words of PostgreSQL. For SQLite, parameters and limits are rewritten, and
 * casts are left out. List the columns: PostgreSQL refuses to run a prepared `SELECT *` after a migration.
 *
 * @param group the first part of their names; no other statement may have the same group and name
 */
export function defineStatements<Texts extends Readonly<Record<string, string>>>(
  group: string,
  texts: Texts,
): Readonly<Record<keyof Texts, Statement>> {
  const statements = Object.entries(texts).map(([key, body]) => {
    const name = `${group}.${key}`;
    const logged = findLoggedWrite(name, body);
    const text = logged === undefined ? body : returnDocument(body, logged);
    const statement = { name, sqlite: toSqlite(text), postgres: choose(text, 'postgres') };
    const defines: Statement = logged === undefined ? statement : { ...statement, logged };
    defined.set(name, defines);
    return [key, defines] as const;
  });
  return Object.fromEntries(statements) as Record<keyof Texts, Statement>;
}

/** Adds a RETURNING clause with the columns that the log needs. */
function returnDocument(text: string, { table: { columns } }: LoggedWrite): string {
  return `${text} RETURNING org, ${columns.map(toColumn).join(', ')}`;
}

/** A part of a statement that the databases write differently. */
export function either(sqlite: string, postgres: string): string {
  return `«${sqlite}¦${postgres}»`;
}

/** Whether a column is in a list of texts. */
export function isAnyOf(column: string, list: string): string {
  return `${column} ${either(`IN (SELECT m.value FROM json_each(${list}) m)`, `= ANY (${list}::text[])`)}`;
}

/** The texts of a column as a JSON list, sorted; to be followed by `FROM`. */
export function toJsonList(column: string): string {
  return either(
    `json_group_array(${column} ORDER BY ${column})`,
    `coalesce(json_agg(${column} ORDER BY ${column}), '[]')::text`,
  );
}

/** The values of a list, as the rows of a table `m` with a column `value`. */
export function valuesOf(list: string): string {
  return either(`json_each(${list}) m`, `unnest(${list}::text[]) AS m (value)`);
}

/**
 * Joins the row that a condition selects by its whole key. PostgreSQL might read the whole table for a list of rows, if
 * it did not say that there is only one for each.
 */
export function lookUp(table: string, alias: string, condition: string): string {
  return joinInOrder(table, alias, condition, 'LIMIT 1');
}

/** Joins the rows that a condition selects by the first columns of an index. */
export function lookUpAll(table: string, alias: string, condition: string): string {
  return joinInOrder(table, alias, condition, 'OFFSET 0');
}

/** Keeps the databases from reading the joined table first. */
function joinInOrder(table: string, alias: string, condition: string, limit: string): string {
  return either(
    `CROSS JOIN ${table} ${alias} ON ${condition}`,
    `CROSS JOIN LATERAL (SELECT ${alias}.* FROM ${table} ${alias} WHERE ${condition} ${limit}) ${alias}`,
  );
}

/** One without another in it. */
const eitherForm = /«([^«»¦]*)¦([^«»¦]*)»/gu;

/** The text as it is for a database (`either`). */
export function choose(text: string, database: 'sqlite' | 'postgres'): string {
  const chosen = text.replace(eitherForm, database === 'sqlite' ? '$1' : '$2');
  return chosen === text ? text : choose(chosen, database);
}

function toSqlite(text: string): string {
  return (
    choose(text, 'sqlite')
      .replace(/::(?:double precision|[a-z]+)(?:\[\])?/gu, '')
      .replace(/\$(\d+)/gu, '?$1')
      // SQLite recompiles a statement for every value that is bound directly to a limit.
      .replace(/\b(LIMIT|OFFSET) (\?\d+)/gu, '$1 $2 + 0')
  );
}
