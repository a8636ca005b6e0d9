import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Database, Statement, Value } from '../database.ts';
import type { Row } from '../rows.ts';
import { translateError } from './database.ts';

/** The connection that repositories use within a transaction. */
export class Session implements Database {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<Statement, StatementSync>();
  #isActive = false;

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** Runs the work of a transaction. The repositories can be used until it ends. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isActive = true;
    try {
      return await work();
    } finally {
      this.#isActive = false;
    }
  }

  query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return this.#execute(() => this.prepare(statement).all(...values.map(toSqliteValue)));
  }

  change(statement: Statement, values: readonly Value[]): Promise<number> {
    return this.#execute(() => Number(this.prepare(statement).run(...values.map(toSqliteValue)).changes));
  }

  run(statement: Statement, values: readonly Value[]): Promise<void> {
    return this.#execute(() => {
      this.prepare(statement).run(...values.map(toSqliteValue));
    });
  }

  /** Prepares a statement, once. */
  prepare(statement: Statement): StatementSync {
    const known = this.#prepared.get(statement);
    if (known !== undefined) return known;
    const prepared = this.database.prepare(statement.sqlite);
    this.#prepared.set(statement, prepared);
    return prepared;
  }

  /**
   * Runs statements. They run synchronously, because they are short and the connection belongs to this thread.
   *
   * @throws StorageError if the database fails.
   */
  #execute<Result>(run: () => Result): Promise<Result> {
    // A repository was used after its transaction, which is a defect.
    if (!this.#isActive) return Promise.reject(new Error('the transaction has ended'));
    try {
      return Promise.resolve(run());
    } catch (error) {
      return Promise.resolve().then(() => {
        throw translateError(error);
      });
    }
  }
}

function toSqliteValue(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}
