import type { ClientBase, QueryResult } from 'pg';
import type { Row } from '../rows.ts';
import { runStatement, transactionEndedError, type Statement, type Value } from './statements.ts';

/**
 * Runs the statements of a transaction, in the order of the calls.
 *
 * @throws StorageError or the database's error from every method
 */
export class Session {
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
  async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#execute(statement, values)).rows;
  }

  /** Runs a statement, and returns the number of changed rows. */
  async change(statement: Statement, values: readonly Value[]): Promise<number> {
    return (await this.#execute(statement, values)).rowCount ?? 0;
  }

  /** Runs a statement that has no result. */
  async run(statement: Statement, values: readonly Value[]): Promise<void> {
    await this.#execute(statement, values);
  }

  /** Ends the use of the session. */
  end(): void {
    this.#isEnded = true;
  }

  async #execute(statement: Statement, values: readonly Value[]): Promise<QueryResult<Record<string, unknown>>> {
    if (this.#isEnded) throw transactionEndedError();
    try {
      return await runStatement(this.#client, statement, values);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }
}
