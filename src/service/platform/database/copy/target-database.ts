import type { ClientBase } from 'pg';
import { CopyError } from './copy-error.ts';
import { quote, type Table } from './tables.ts';

/**
 * @param shown the address of the database, for error messages
 * @throws CopyError if a table has rows
 */
export async function requireEmpty(client: ClientBase, tables: readonly Table[], shown: string): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT 1 FROM ${quote(name)} LIMIT 1`);
    if (rows.length === 0) continue;
    throw new CopyError(
      `the database ${shown} is not empty: its table ${name} has rows, and a copy replaces nothing; ` +
        'name a new database with --to, or start the service with this one if it is an earlier copy',
    );
  }
}

/** The settings of the connection, and their values; times in the units of PostgreSQL. */
const settings = {
  // The server or the user may have time limits of their own.
  ...{ statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 },
  // If this machine is lost, the server ends the transaction and releases its locks after a minute, instead of hours.
  ...{ tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3, tcp_user_timeout: 60_000 },
} as const;

/** Prepares the connection of a copy: its transaction takes long. */
export async function prepareConnection(client: ClientBase): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await client.query(`SET ${name} = ${value}`);
}

/**
 * Begins the transaction that fills the tables. Until it ends, nothing else can write to them. Triggers would count what
 * is copied a second time.
 */
export async function beginFilling(client: ClientBase, tables: readonly Table[]): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query(`LOCK TABLE ${tables.map(({ name }) => quote(name)).join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
  await switchTriggers(client, tables, 'DISABLE');
}

async function switchTriggers(client: ClientBase, tables: readonly Table[], to: 'ENABLE' | 'DISABLE'): Promise<void> {
  for (const { name } of tables) await client.query(`ALTER TABLE ${quote(name)} ${to} TRIGGER USER`);
}

/** @throws CopyError if it is not known whether it was committed */
export async function commitFilling(client: ClientBase, tables: readonly Table[], shown: string): Promise<void> {
  await switchTriggers(client, tables, 'ENABLE');
  try {
    await client.query('COMMIT');
  } catch (error) {
    throw new CopyError(
      `the connection to ${shown} was lost while the copy was committed; run the command again: ` +
        'if it says that the database is not empty, everything was copied',
      { cause: error },
    );
  }
}
