import type { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../storage-error.ts';
import { busyTimeout, translateError } from './database.ts';

interface Job {
  /** Whether it is a transaction of another connection. */
  readonly isElsewhere: boolean;
  /** Runs the write. Returns the function to call when it is committed. */
  readonly run: () => Promise<() => void>;
  readonly fail: (error: unknown) => void;
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
  readonly #hooks: WriteQueueHooks;
  readonly #elapsed: () => number;
  #jobs: Job[] = [];
  /** Commits the queued writes, group by group. */
  #committing: Promise<void> | undefined;
  /** When another process was first found to have locked the file; undefined while it is not locked. */
  #busySince: number | undefined;

  constructor(database: DatabaseSync, hooks: WriteQueueHooks = {}) {
    this.#database = database;
    // SQLite would block the event loop while it waits.
    database.exec('PRAGMA busy_timeout = 0');
    this.#hooks = hooks;
    this.#elapsed = hooks.elapsed ?? (() => performance.now());
  }

  /**
   * Runs a write within the transaction of the next group.
   *
   * @param isElsewhere whether the work is a whole transaction of another connection; it takes the place of a group
   */
  write<Result>(work: () => Result | Promise<Result>, isElsewhere = false): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<() => void> => {
        const result = await work();
        return () => {
          resolve(result);
        };
      };
      const fail = (error: unknown): void => {
        const fault = translateError(error);
        reject(fault instanceof Error ? fault : new Error('the write failed', { cause: fault }));
      };
      this.#jobs.push({ isElsewhere, run, fail });
      this.#committing ??= this.#commitAll();
    });
  }

  /** Resolves when everything that is queued has been committed. */
  async drain(): Promise<void> {
    await this.#committing;
  }

  /** Never rejects. */
  async #commitAll(): Promise<void> {
    while (this.#jobs.length > 0) {
      await setImmediate();
      await this.#commitGroup(this.#takeGroup());
    }
    this.#committing = undefined;
  }

  /** Takes a transaction of another connection, or the writes up to the next one. */
  #takeGroup(): Job[] {
    const next = this.#jobs.findIndex(({ isElsewhere }) => isElsewhere);
    return this.#jobs.splice(0, next === -1 ? this.#jobs.length : Math.max(next, 1));
  }

  /** Commits writes, as many as fit into one group. */
  async #commitGroup(jobs: Job[]): Promise<void> {
    try {
      this.#hooks.requireFiles?.();
      for (const resolve of await this.#runGroup(jobs)) resolve();
    } catch (error) {
      this.#rollBack();
      // For jobs that failed on their own, this has no effect.
      for (const job of jobs) job.fail(error);
      return;
    }
    this.#hooks.onCommit?.();
  }

  async #runGroup(jobs: Job[]): Promise<readonly (() => void)[]> {
    const [first] = jobs;
    if (first?.isElsewhere === true) return [await first.run()];
    while (!this.#tryToBegin()) await sleep(busyInterval);
    const done = await this.#run(jobs);
    this.#database.exec('COMMIT');
    return done;
  }

  /**
   * Begins the transaction of a group. Returns false if another process has locked the file.
   *
   * @throws Error of SQLite if it fails for another reason, or the file has been locked for too long
   */
  #tryToBegin(): boolean {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
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

  /**
   * Runs jobs one after the other. Those that exceed the time limit are left for the next group. Returns the functions
   * to call when the jobs are committed.
   */
  async #run(jobs: Job[]): Promise<readonly (() => void)[]> {
    const begun = this.#elapsed();
    const done: (() => void)[] = [];
    for (const [index, job] of jobs.entries()) {
      done.push(...(await this.#attempt(job)));
      if (this.#elapsed() - begun >= maximumGroupMilliseconds) this.#jobs.unshift(...jobs.splice(index + 1));
    }
    return done;
  }

  /** Returns the function to call when the job is committed; none if it failed. */
  async #attempt(job: Job): Promise<readonly (() => void)[]> {
    this.#database.exec('SAVEPOINT write');
    try {
      const resolve = await job.run();
      this.#database.exec('RELEASE write');
      return [resolve];
    } catch (error) {
      // If the disk is full, SQLite rolls back the whole transaction; then all jobs have failed.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('ROLLBACK TO write; RELEASE write');
      job.fail(error);
      return [];
    }
  }
}
