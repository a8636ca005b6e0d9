import type { ClientBase } from 'pg';
import type { Database, Statement, StatementResult, Value } from '../database.ts';
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

  end(): void {
    this.#isEnded = true;
  }

  async execute({ name, postgres }: Statement, values: readonly Value[]): Promise<StatementResult> {
    // A repository was used after its transaction, which is a defect.
    if (this.#isEnded) throw new Error('the transaction has ended');
    try {
      const query = { name, text: postgres, values: [...values] };
      const { rows, rowCount } = await this.#client.query<Record<string, unknown>>(query);
      return { rows, changes: rowCount ?? 0 };
    } catch (error) {
      const failure = translatePostgresError(error);
      this.#failure ??= failure;
      throw failure;
    }
  }
}
