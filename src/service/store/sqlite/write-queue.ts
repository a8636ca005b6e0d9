import type { DatabaseSync } from 'node:sqlite';
import { translateError } from './database.ts';

interface Job {
  readonly run: () => void;
  readonly settle: (failure?: { readonly error: unknown }) => void;
}

/**
 * Writes in groups: what is asked for within one turn of the event loop is committed together, so that many clients share
 * one sync of the disk. A promise resolves after the commit; a write that throws leaves nothing of itself and does not
 * disturb its neighbours.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #demandFiles: () => void;
  #jobs: Job[] = [];
  #flush: NodeJS.Immediate | undefined;
  #committed: () => void = () => undefined;

  /** @param demandFiles throws if what is committed now would be lost, because the database's files are gone */
  constructor(database: DatabaseSync, demandFiles: () => void = () => undefined) {
    this.#database = database;
    this.#demandFiles = demandFiles;
  }

  /** Runs the write within the next group's transaction. */
  write<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      let written: () => void;
      this.#jobs.push({
        run: () => {
          const result = work();
          written = () => {
            resolve(result);
          };
        },
        settle: (failure) => {
          if (failure === undefined) written();
          else reject(asError(translateError(failure.error)));
        },
      });
      this.#flush ??= setImmediate(() => {
        this.flush();
      });
    });
  }

  /** Calls the listener after every commit. There is one listener. */
  onCommit(listener: () => void): void {
    this.#committed = listener;
  }

  /** Commits what waits. */
  flush(): void {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    const jobs = this.#jobs;
    this.#jobs = [];
    if (jobs.length === 0) return;
    try {
      this.#demandFiles();
      this.#database.exec('BEGIN IMMEDIATE');
      const done = jobs.filter((job) => this.#attempt(job));
      this.#database.exec('COMMIT');
      for (const job of done) job.settle();
      this.#committed();
    } catch (error) {
      this.#rollBack();
      // A job that failed by itself was settled already; settling it again changes nothing.
      for (const job of jobs) job.settle({ error });
    }
  }

  /** A disk that fails can fail this as well; SQLite then rolls back with the next transaction. */
  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // The jobs are told why they failed; this failure has the same cause.
    }
  }

  #attempt(job: Job): boolean {
    this.#database.exec('SAVEPOINT job');
    try {
      job.run();
      this.#database.exec('RELEASE job');
      return true;
    } catch (error) {
      // SQLite itself rolls the whole transaction back when the disk is full; then all have failed.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('ROLLBACK TO job; RELEASE job');
      job.settle({ error });
      return false;
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the write failed', { cause: error });
}
