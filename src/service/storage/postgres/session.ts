import type { ClientBase, QueryResult } from 'pg';
import type { Row } from '../rows.ts';
import type { Database, Statement, Value } from '../database.ts';
import { runStatement, transactionEndedError, type PostgresStatement } from './statements.ts';

/**
 * Runs the statements of a transaction, in the order of the calls.
 *
 * @throws StorageError or the database's error from every method
 */
export class Session implements Database {
  readonly #client: ClientBase;
  #failure: unknown;
  #isEnded = false;

  constructor(client: ClientBase) {
    this.#client = client;
  }

  /** How the first statement failed; undefined if none did. Those after it fail because of it. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Runs a statement, and returns its rows. */
  async query(statement: Statement | PostgresStatement, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#execute(statement, values)).rows;
  }

  /** Runs a statement, and returns the number of changed rows. */
  async change(statement: Statement | PostgresStatement, values: readonly Value[]): Promise<number> {
    return (await this.#execute(statement, values)).rowCount ?? 0;
  }

  /** Runs a statement that has no result. */
  async run(statement: Statement | PostgresStatement, values: readonly Value[]): Promise<void> {
    await this.#execute(statement, values);
  }

  /** Ends the use of the session. */
  end(): void {
    this.#isEnded = true;
  }

  async #execute(
    statement: Statement | PostgresStatement,
    values: readonly Value[],
  ): Promise<QueryResult<Record<string, unknown>>> {
    if (this.#isEnded) throw transactionEndedError();
    try {
      const { name } = statement;
      return await runStatement(
        this.#client,
        { name, text: 'text' in statement ? statement.text : statement.postgres },
        values,
      );
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }
}
