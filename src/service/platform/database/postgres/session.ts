import type { ClientBase, QueryResult } from 'pg';
import type { Row } from '../rows.ts';
import type { Database, Statement, Value } from '../database.ts';
import { translatePostgresError } from './postgres-errors.ts';

/** The connection that repositories use within a transaction. */
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

  async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#execute(statement, values)).rows;
  }

  async change(statement: Statement, values: readonly Value[]): Promise<number> {
    return (await this.#execute(statement, values)).rowCount ?? 0;
  }

  async run(statement: Statement, values: readonly Value[]): Promise<void> {
    await this.#execute(statement, values);
  }

  end(): void {
    this.#isEnded = true;
  }

  async #execute(
    { name, postgres }: Statement,
    values: readonly Value[],
  ): Promise<QueryResult<Record<string, unknown>>> {
    // A repository was used after its transaction, which is a defect.
    if (this.#isEnded) throw new Error('the transaction has ended');
    try {
      return await this.#client.query<Record<string, unknown>>({ name, text: postgres, values: [...values] });
    } catch (error) {
      const failure = translatePostgresError(error);
      this.#failure ??= failure;
      throw failure;
    }
  }
}
