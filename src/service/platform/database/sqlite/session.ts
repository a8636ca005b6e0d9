import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Database, Statement, Value } from '../database.ts';
import type { Row } from '../rows.ts';
import { translateError } from './database.ts';

/** Reading or writing a larger text blocks the event loop too long: about ten milliseconds for a million characters. */
const largeText = 1024 * 1024;

/** A transaction reads or writes a large text. It must be rolled back, and be run again by `LargeWrites`. */
export class LargeTextError extends Error {
  override readonly name = 'LargeTextError';
}

/** @throws LargeTextError */
export function requireSmallText(length: number): void {
  if (length > largeText) throw new LargeTextError();
}

/** The connection that repositories use within a transaction. */
export class Session implements Database {
  readonly database: DatabaseSync;
  readonly #mayBeLarge: boolean;
  readonly #prepared = new Map<Statement, StatementSync>();
  #isActive = false;

  /** @param mayBeLarge whether large texts may be read and written; a LargeTextError is thrown otherwise */
  constructor(database: DatabaseSync, mayBeLarge = true) {
    this.database = database;
    this.#mayBeLarge = mayBeLarge;
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
    return this.#execute(() => {
      const rows = this.prepare(statement).all(...values.map(toSqliteValue));
      if (!this.#mayBeLarge) for (const row of rows) requireSmallTexts(Object.values(row));
      return rows;
    });
  }

  change(statement: Statement, values: readonly Value[]): Promise<number> {
    return this.#execute(() => {
      if (!this.#mayBeLarge) requireSmallTexts(values);
      return Number(this.prepare(statement).run(...values.map(toSqliteValue)).changes);
    });
  }

  async run(statement: Statement, values: readonly Value[]): Promise<void> {
    await this.change(statement, values);
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
   * Runs statements. They run synchronously, because they are short.
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

function requireSmallTexts(values: readonly unknown[]): void {
  for (const value of values) if (typeof value === 'string') requireSmallText(value.length);
}

export function toSqliteValue(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}
