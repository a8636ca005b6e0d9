import type { ClientBase, QueryResult } from 'pg';
import type { Value } from '../database.ts';
import { translatePostgresError } from './postgres-errors.ts';

/** A statement of PostgreSQL that each connection prepares once, under its name. */
export interface PostgresStatement {
  readonly name: string;
  readonly text: string;
}

/** Statements by name. */
export type Statements<Texts> = Readonly<Record<keyof Texts, PostgresStatement>>;

/**
 * Names statements, so that connections prepare them.
 *
 * @param group the first part of their names; no other statement may have the same group and name
 */
export function defineStatements<Texts extends Readonly<Record<string, string>>>(
  group: string,
  texts: Texts,
): Statements<Texts> {
  const statements = Object.entries(texts).map(([name, text]) => [name, { name: `${group}.${name}`, text }] as const);
  return Object.fromEntries(statements) as Statements<Texts>;
}

/**
 * Runs a statement.
 *
 * @throws StorageError or the database's error
 */
export async function runStatement(
  client: ClientBase,
  { name, text }: PostgresStatement,
  values: readonly Value[],
): Promise<QueryResult<Record<string, unknown>>> {
  try {
    return await client.query<Record<string, unknown>>({ name, text, values: [...values] });
  } catch (error) {
    throw translatePostgresError(error);
  }
}

/** A repository was used after its transaction, which is a defect. */
export function transactionEndedError(): Error {
  return new Error('the transaction has ended');
}
