import type { DatabaseSync } from 'node:sqlite';
import { translateError } from './database.ts';
import { prepare, type Prepared } from './statements.ts';

interface Job {
  readonly run: () => Promise<void>;
  readonly settle: (failure?: { readonly error: unknown }) => void;
}

/** What every group and every write in it run. */
const statements = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  beginWrite: 'SAVEPOINT write',
  endWrite: 'RELEASE write',
} as const;

/** How long a group may take before the others get their turn, in milliseconds; a single write can take longer. */
const maximumGroupMilliseconds = 10;

/** What the queue watches while it writes. */
interface Watches {
  /** Throws if what is committed now would be lost, because the database's files are gone. */
  readonly demandFiles?: () => void;
  /** Milliseconds since any moment that stays the same. */
  readonly elapsed?: () => number;
  /** Called in the turn of every commit, also of one that fails. */
  readonly committed?: () => void;
}

/**
 * Writes in groups: what is asked for within one turn of the event loop is committed together, so that many clients share
 * one sync of the disk. A promise resolves after the commit; a write that rejects leaves nothing of itself and does not
 * disturb its neighbours. Writes run one after the other, and none begins before the one before it has ended.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #statements: Prepared<typeof statements>;
  readonly #demandFiles: () => void;
  readonly #elapsed: () => number;
  readonly #committed: () => void;
  #jobs: Job[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  /** The group that is under way. */
  #group: Promise<void> | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(
    database: DatabaseSync,
    { demandFiles = () => undefined, elapsed = () => performance.now(), committed = () => undefined }: Watches = {},
  ) {
    this.#database = database;
    this.#statements = prepare(database, statements);
    this.#demandFiles = demandFiles;
    this.#elapsed = elapsed;
    this.#committed = committed;
  }

  /** Runs the write within the next group's transaction. */
  write<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let written: () => void;
      this.#jobs.push({
        run: async () => {
          const result = await work();
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

  /** Calls the listener after every commit. */
  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Commits all that waits. */
  async drain(): Promise<void> {
    while (this.#jobs.length > 0 || this.#group !== undefined) await (this.#group ?? this.#begin());
  }

  #schedule(): void {
    if (this.#group !== undefined) return;
    this.#scheduled ??= setImmediate(() => {
      void this.#begin();
    });
  }

  /** Never rejects. */
  #begin(): Promise<void> {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    this.#group = this.#commitGroup().finally(() => {
      this.#group = undefined;
      if (this.#jobs.length > 0) this.#schedule();
    });
    return this.#group;
  }

  /** Commits what waits, as much of it as one group may be. */
  async #commitGroup(): Promise<void> {
    const jobs = this.#jobs;
    this.#jobs = [];
    try {
      this.#demandFiles();
      this.#statements.begin.run();
      const done = await this.#run(jobs);
      this.#commit();
      for (const job of done) job.settle();
    } catch (error) {
      this.#rollBack();
      // A job that failed by itself was settled already; settling it again changes nothing.
      for (const job of jobs) job.settle({ error });
      return;
    }
    for (const listener of this.#listeners) listener();
  }

  #commit(): void {
    try {
      this.#statements.commit.run();
    } finally {
      this.#committed();
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
  async #run(jobs: Job[]): Promise<readonly Job[]> {
    const begun = this.#elapsed();
    const done: Job[] = [];
    for (const [index, job] of jobs.entries()) {
      if (await this.#attempt(job)) done.push(job);
      if (this.#elapsed() - begun < maximumGroupMilliseconds || index + 1 === jobs.length) continue;
      this.#jobs.unshift(...jobs.splice(index + 1));
      break;
    }
    return done;
  }

  async #attempt(job: Job): Promise<boolean> {
    this.#statements.beginWrite.run();
    try {
      await job.run();
      this.#statements.endWrite.run();
      return true;
    } catch (error) {
      // SQLite itself rolls the whole transaction back when the disk is full; then all have failed.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('ROLLBACK TO write; RELEASE write');
      job.settle({ error });
      return false;
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the write failed', { cause: error });
}
