import { concurrent, type Preparation, type TransactionScope, type WriteTransaction } from '../storage.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { runInTurn, type PreparedWork } from './run-in-turn.ts';
import { FailedTransactionError, Transactions, type TransactionDependencies } from './transactions.ts';

/** Work that waits for its transaction. */
interface Job extends PreparedWork {
  /** Runs the work; its result is kept until the commit. */
  readonly run: (transaction: WriteTransaction) => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs works in transactions. Those of one organization hold a lock, which all processes respect. Works of one that
 * wait in this process share a transaction, so that they share the lock and the commit. If one of them fails, all are
 * rolled back, and each is run again in a transaction of its own.
 */
export class WriteGroups {
  readonly #transactions: Transactions;
  readonly #elapsed: () => number;
  readonly #waiting = new Map<TransactionScope, Job[]>();
  /** The loops that run the groups of a scope. */
  readonly #running = new Map<TransactionScope, Promise<void>>();
  readonly #others = new Set<Promise<void>>();
  readonly #listeners: (() => void)[] = [];

  constructor(dependencies: TransactionDependencies) {
    this.#transactions = new Transactions(dependencies);
    this.#elapsed = dependencies.elapsed;
  }

  /** Calls the listener after every commit. */
  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Runs work in the next transaction of its scope. */
  write<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
    prepare: Preparation = () => Promise.resolve(),
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      let finish: () => void = () => undefined;
      this.#add(scope, {
        prepare,
        run: async (transaction) => {
          const result = await work(transaction);
          finish = () => {
            resolve(result);
          };
        },
        resolve: () => {
          finish();
        },
        reject,
      });
    });
  }

  /** Resolves when everything has ended that was begun before. */
  async drain(): Promise<void> {
    while (this.#running.size + this.#others.size > 0) await Promise.all([...this.#running.values(), ...this.#others]);
  }

  #add(scope: TransactionScope, job: Job): void {
    if (scope === concurrent) {
      const work = this.#runGroup(scope, [job]).finally(() => this.#others.delete(work));
      this.#others.add(work);
      return;
    }
    const waiting = this.#waiting.get(scope);
    if (waiting === undefined) this.#waiting.set(scope, [job]);
    else waiting.push(job);
    if (!this.#running.has(scope)) this.#running.set(scope, this.#runAll(scope));
  }

  /** Never rejects. */
  async #runAll(scope: TransactionScope): Promise<void> {
    // Works that begin in the same turn of the event loop share the first transaction.
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const jobs = this.#waiting.get(scope) ?? [];
      this.#waiting.delete(scope);
      if (jobs.length === 0) break;
      await this.#runGroup(scope, jobs);
    }
    this.#running.delete(scope);
  }

  /** Runs works together; those that fail are settled. Never rejects. */
  async #runGroup(scope: TransactionScope, jobs: readonly Job[]): Promise<void> {
    try {
      const done = await this.#transactions.run(scope, (transaction) => runInTurn(jobs, transaction, this.#elapsed));
      for (const job of jobs.slice(0, done)) job.resolve();
      for (const listener of this.#listeners) listener();
      const left = jobs.slice(done);
      if (left.length > 0) this.#waiting.set(scope, [...left, ...(this.#waiting.get(scope) ?? [])]);
    } catch (error) {
      await this.#settleFailed(scope, jobs, error);
    }
  }

  async #settleFailed(scope: TransactionScope, jobs: readonly Job[], error: unknown): Promise<void> {
    if (jobs.length > 1 && !(error instanceof FailedTransactionError)) {
      for (const job of jobs) await this.#runGroup(scope, [job]);
      return;
    }
    const cause = error instanceof FailedTransactionError ? error.cause : error;
    for (const job of jobs) job.reject(translatePostgresError(cause));
  }
}
