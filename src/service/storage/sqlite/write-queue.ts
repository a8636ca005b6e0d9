import type { DatabaseSync } from 'node:sqlite';
import { translateError } from './database.ts';

interface Job {
  readonly run: () => void;
  readonly settle: (failure?: { readonly error: unknown }) => void;
}

/** How long a group may take before the others get their turn, in milliseconds; a single write can take longer. */
const longestGroup = 10;

/** What the queue watches while it writes. */
interface Watches {
  /** Throws if what is committed now would be lost, because the database's files are gone. */
  readonly demandFiles?: () => void;
  /** Milliseconds since any moment that stays the same. */
  readonly elapsed?: () => number;
}

/**
 * Writes in groups: what is asked for within one turn of the event loop is committed together, so that many clients share
 * one sync of the disk. A promise resolves after the commit; a write that throws leaves nothing of itself and does not
 * disturb its neighbours.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #demandFiles: () => void;
  readonly #elapsed: () => number;
  #jobs: Job[] = [];
  #flush: NodeJS.Immediate | undefined;
  #committed: () => void = () => undefined;

  constructor(
    database: DatabaseSync,
    { demandFiles = () => undefined, elapsed = () => performance.now() }: Watches = {},
  ) {
    this.#database = database;
    this.#demandFiles = demandFiles;
    this.#elapsed = elapsed;
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
      this.#schedule();
    });
  }

  /** Calls the listener after every commit. There is one listener. */
  onCommit(listener: () => void): void {
    this.#committed = listener;
  }

  /** Commits all that waits. */
  flush(): void {
    while (this.#jobs.length > 0) this.#commitGroup();
  }

  #schedule(): void {
    this.#flush ??= setImmediate(() => {
      this.#commitGroup();
    });
  }

  /** Commits what waits, as much of it as one group may be. */
  #commitGroup(): void {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    const jobs = this.#jobs;
    this.#jobs = [];
    try {
      this.#demandFiles();
      this.#database.exec('BEGIN IMMEDIATE');
      const done = this.#run(jobs);
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

  /** Runs one after the other. Those that there is no more time for are left for the next group. */
  #run(jobs: Job[]): readonly Job[] {
    const begun = this.#elapsed();
    const done: Job[] = [];
    for (const [index, job] of jobs.entries()) {
      if (this.#attempt(job)) done.push(job);
      if (this.#elapsed() - begun < longestGroup || index + 1 === jobs.length) continue;
      this.#jobs = jobs.splice(index + 1);
      this.#schedule();
      break;
    }
    return done;
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
