import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/service/platform/attachments/files/data-folder.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { emptyDatabase } from '../../tools/empty-database.ts';

/** A row of a table. */
type Row = Readonly<Record<string, unknown>>;

/**
 * Runs a statement, and returns its rows.
 *
 * @param text SQL that SQLite and PostgreSQL understand; `$1` stands for the first value
 */
type RunStatement = (text: string, values?: readonly string[]) => Promise<readonly Row[]>;

/** The rows of each table, in an order that depends only on their content. */
export type Records = readonly (readonly [table: string, rows: readonly Row[]])[];

/** What test services keep their data in. Services that are started with it one after the other have the same data. */
export interface TestStorage {
  /** The options of a service that uses it. */
  readonly options: Pick<ServiceOptions, 'dataFolder' | 'database'>;
  readonly query: RunStatement;
  /** Reads all records, except those of the given tables, and what the mere use of keys changes. */
  readRecords(except?: readonly string[]): Promise<Records>;
  /** The SHA-256 digests of the attachments; with SQLite the names of all files, even of those not yet received. */
  listAttachments(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/**
 * Creates an empty storage of the kind that this run of the tests uses (`npm run test:postgres`). The caller removes
 * it.
 */
export const createTestStorage: () => Promise<TestStorage> =
  Reflect.get(globalThis, 'serviceDatabase') === 'postgres' ? createPostgresStorage : createSqliteStorage;

/** Tables that the running of a service and the use of keys change. */
const bookkeeping: ReadonlySet<string> = new Set(['key_uses', 'probes', 'commit_tokens']);

/** @param listTables the statement that returns the names of all tables */
async function readRecords(run: RunStatement, listTables: string, except: readonly string[] = []): Promise<Records> {
  const tables = (await run(listTables)).map(({ name }) => String(name)).sort();
  const chosen = tables.filter((table) => !bookkeeping.has(table) && !except.includes(table));
  const contents = chosen.map(async (table) => {
    const rows = await run(`SELECT * FROM "${table}"`);
    return [table, rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))] as const;
  });
  return Promise.all(contents);
}

/** The SQLite database in a data folder, whatever kind of storage this run of the tests uses. */
export function sqliteStorage(dataFolder: string): TestStorage {
  const query: RunStatement = (text, values) => withSqlite(dataFolder, (run) => run(text, values));
  return {
    options: { dataFolder },
    query,
    readRecords: (except) =>
      withSqlite(dataFolder, (run) => readRecords(run, "SELECT name FROM sqlite_schema WHERE type = 'table'", except)),
    listAttachments: async () => {
      const entries = await readdir(join(dataFolder, 'attachments'), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    remove: () => rm(dataFolder, { recursive: true, force: true }),
  };
}

async function withSqlite<Result>(dataFolder: string, work: (run: RunStatement) => Promise<Result>): Promise<Result> {
  const database = new DatabaseSync(join(dataFolder, databaseFile), { timeout: 5000 });
  const run: RunStatement = (text, values = []) => {
    const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
    return Promise.resolve(database.prepare(text).all(named));
  };
  try {
    return await work(run);
  } finally {
    database.close();
  }
}

async function createSqliteStorage(): Promise<TestStorage> {
  return sqliteStorage(await createDataFolder());
}

/** Creates a data folder with a database that has all tables and no rows. The caller removes it. */
export async function createDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-service-'));
  await writeFile(join(folder, databaseFile), emptyDatabase, { mode: 0o600 });
  return folder;
}

async function createPostgresStorage(): Promise<TestStorage> {
  // Most tests run on SQLite, and do not need to load these.
  const [{ Pool }, { borrowTestDatabase }] = await Promise.all([import('pg'), import('./postgres.ts')]);
  const database = await borrowTestDatabase();
  const { url } = database;
  // It connects when it is needed, and once, because the first use of a table by a connection takes long.
  const pool = new Pool({ connectionString: url, max: 1 });
  const query: RunStatement = async (text, values = []) => (await pool.query<Row>(text, [...values])).rows;
  const listTables = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()';
  return {
    // The folder is not used.
    options: { dataFolder: join(tmpdir(), 'compliance-service-on-postgres'), database: { url } },
    query,
    readRecords: (except) => readRecords(query, listTables, except),
    listAttachments: async () =>
      (await query('SELECT digest FROM attachment_contents ORDER BY digest')).map(({ digest }) => String(digest)),
    remove: async () => {
      await pool.end();
      await database.giveBack();
    },
  };
}
