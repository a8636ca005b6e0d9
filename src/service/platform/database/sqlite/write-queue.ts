import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../storage-error.ts';
import { busyTimeout, translateError } from './database.ts';

interface Job {
  /** Whether it is a transaction of another connection. */
  readonly isElsewhere: boolean;
  readonly run: () => Promise<void>;
  readonly settle: (failure?: { readonly error: unknown }) => void;
}

/** The statements of every group and of every write in it. */
interface Statements {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly beginWrite: StatementSync;
  readonly endWrite: StatementSync;
}

/** How long a group may take before other work continues. A single write can take longer. */
const maximumGroupMilliseconds = 10;
/** How long a group waits until it tries again to begin, if another process has locked the file, in milliseconds. */
const busyInterval = 10;

interface WriteQueueHooks {
  /** Throws if the files of the database are missing, so that a commit would be lost. */
  readonly requireFiles?: () => void;
  /** Called after every commit. */
  readonly onCommit?: () => void;
  /** Monotonic time in milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * Group commit: writes that are queued in the same turn of the event loop are committed together, so that many clients
 * share one disk sync. The promise of a write resolves after the commit. A write that rejects is rolled back and does
 * not affect the others. Writes run strictly one after the other.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #requireFiles: () => void;
  readonly #elapsed: () => number;
  #jobs: Job[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #group: Promise<void> | undefined;
  /** When another process was first found to have locked the file; undefined while it is not locked. */
  #busySince: number | undefined;
  readonly #onCommit: () => void;

  constructor(
    database: DatabaseSync,
    {
      requireFiles = () => undefined,
      onCommit = () => undefined,
      elapsed = () => performance.now(),
    }: WriteQueueHooks = {},
  ) {
    this.#database = database;
    // SQLite would block the event loop while it waits.
    database.exec('PRAGMA busy_timeout = 0');
    this.#statements = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      beginWrite: database.prepare('SAVEPOINT write'),
      endWrite: database.prepare('RELEASE write'),
    };
    this.#requireFiles = requireFiles;
    this.#onCommit = onCommit;
    this.#elapsed = elapsed;
  }

  /**
   * Runs a write within the transaction of the next group.
   *
   * @param isElsewhere whether the work is a whole transaction of another connection; it takes the place of a group
   */
  write<Result>(work: () => Result | Promise<Result>, isElsewhere = false): Promise<Result> {
    return new Promise((resolve, reject) => {
      let written: () => void;
      this.#jobs.push({
        isElsewhere,
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

  /** Resolves when everything that is queued has been committed. */
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

  /** Commits queued writes, as many as fit into one group. */
  async #commitGroup(): Promise<void> {
    const jobs = this.#takeGroup();
    try {
      this.#requireFiles();
      for (const job of await this.#runGroup(jobs)) job.settle();
    } catch (error) {
      this.#rollBack();
      // Jobs that failed on their own are settled already; settling them again has no effect.
      for (const job of jobs) job.settle({ error });
      return;
    }
    this.#onCommit();
  }

  /** Takes a transaction of another connection, or the writes up to the next one. */
  #takeGroup(): Job[] {
    const next = this.#jobs.findIndex(({ isElsewhere }) => isElsewhere);
    return this.#jobs.splice(0, next === -1 ? this.#jobs.length : Math.max(next, 1));
  }

  /** Runs and commits a group. Returns its jobs, except those that failed or are left for the next group. */
  async #runGroup(jobs: Job[]): Promise<readonly Job[]> {
    const [first] = jobs;
    if (first?.isElsewhere === true) {
      await first.run();
      return jobs;
    }
    while (!this.#hasBegun()) await sleep(busyInterval);
    const done = await this.#run(jobs);
    this.#statements.commit.run();
    return done;
  }

  /**
   * Begins the transaction of a group, unless another process has locked the file.
   *
   * @throws Error of SQLite if it fails for another reason, or the file has been locked for too long
   */
  #hasBegun(): boolean {
    try {
      this.#statements.begin.run();
      this.#busySince = undefined;
      return true;
    } catch (error) {
      const fault = translateError(error);
      if (!(fault instanceof StorageError) || fault.reason !== 'busy') throw error;
      this.#busySince ??= this.#elapsed();
      if (this.#elapsed() - this.#busySince >= busyTimeout) throw error;
      return false;
    }
  }

  /** A failing disk can make the rollback fail, too; SQLite then rolls back with the next transaction. */
  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // The jobs are rejected with the original error, which has the same cause.
    }
  }

  /** Runs jobs one after the other. Those that exceed the time limit are left for the next group. */
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
      // If the disk is full, SQLite rolls back the whole transaction; then all jobs have failed.
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
