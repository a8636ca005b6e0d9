import type { DatabaseSync } from 'node:sqlite';
import { translateError } from './database.ts';

/** The connection that repositories use within a transaction. */
export class Session {
  readonly database: DatabaseSync;
  #isActive = false;

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** Runs the work of a transaction. The repositories can be used until it ends. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isActive = true;
    try {
      return await work();
    } finally {
      this.#isActive = false;
    }
  }

  /**
   * Runs statements. They run synchronously, because they are short and the connection belongs to this thread.
   *
   * @throws StorageError if the database fails.
   */
  execute<Result>(run: () => Result): Promise<Result> {
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
