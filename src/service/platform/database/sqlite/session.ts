import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Database, Statement, StatementResult, Value } from '../database.ts';
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
  readonly #prepared = new Map<Statement, RunStatement>();
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

  #run(statement: Statement, values: readonly SQLInputValue[]): StatementResult {
    const run = this.#prepared.get(statement) ?? prepareStatement(this.database, statement.sqlite);
    this.#prepared.set(statement, run);
    if (this.#mayBeLarge) return run(values);
    requireSmallTexts(values);
    const result = run(values);
    for (const row of result.rows) requireSmallTexts(Object.values(row));
    return result;
  }

  /** Runs a statement. It runs synchronously, because it is short. */
  execute(statement: Statement, values: readonly Value[]): Promise<StatementResult> {
    // A repository was used after its transaction, which is a defect.
    if (!this.#isActive) return Promise.reject(new Error('the transaction has ended'));
    try {
      return Promise.resolve(this.#run(statement, values.map(toSqliteValue)));
    } catch (error) {
      return Promise.resolve().then(() => {
        throw translateError(error);
      });
    }
  }
}

type RunStatement = (values: readonly SQLInputValue[]) => StatementResult;

export function prepareStatement(database: DatabaseSync, sqlite: string): RunStatement {
  const statement = database.prepare(sqlite);
  if (statement.columns().length === 0)
    return (values) => ({ rows: [], changes: Number(statement.run(...values).changes) });
  return (values) => {
    const rows = statement.all(...values);
    return { rows, changes: rows.length };
  };
}

function requireSmallTexts(values: readonly unknown[]): void {
  for (const value of values) if (typeof value === 'string') requireSmallText(value.length);
}

export function toSqliteValue(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}
