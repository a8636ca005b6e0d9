import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CachedLookup } from '../record-caches.ts';
import type { CommitTracker } from './commit-tracker.ts';
import { translateError } from './database.ts';
import { toSlots, type Slots } from '../sources.ts';

/** The connection that repositories use within a transaction. */
export interface Session {
  readonly database: DatabaseSync;
  /**
   * Runs statements. They run synchronously, because they are short and the connection belongs to this thread.
   *
   * @throws StorageError if the database fails.
   */
  execute<Result>(run: () => Result): Promise<Result>;
  /** Reads through a cache. A cached value is used until its source is written. */
  readCached<Value>(lookup: SqliteLookup<Value>): Promise<Value | undefined>;
  /** Returns the version of the sources in the state that the transaction sees; see `DataVersion`. */
  findVersion(slots: Slots): Promise<number>;
}

/** A lookup through a cache in SQLite. */
interface SqliteLookup<Value> extends CachedLookup<Value> {
  readonly read: () => Value | undefined;
}

function readAndCache<Value>({ cache, source, read, weigh }: SqliteLookup<Value>, version: number): Value | undefined {
  const value = read();
  if (value !== undefined && !Number.isNaN(version)) cache.set(source, version, value, weigh?.(value));
  return value;
}

/** The version of values that must not be cached. It equals no version, not even itself. */
const uncacheable = Number.NaN;

/** A repository was used after its transaction, which is a defect. */
function transactionEndedError(): Error {
  return new Error('the transaction has ended');
}

function executeNow<Result>(run: () => Result): Promise<Result> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.resolve().then(() => {
      throw translateError(error);
    });
  }
}

/** The session of the only connection that writes. It sees uncommitted rows, which must not be cached. */
export class WriteSession implements Session {
  readonly database: DatabaseSync;
  readonly #commits: CommitTracker;
  #isActive = false;

  constructor(database: DatabaseSync, commits: CommitTracker) {
    this.database = database;
    this.#commits = commits;
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

  execute<Result>(run: () => Result): Promise<Result> {
    return this.#isActive ? executeNow(run) : Promise.reject(transactionEndedError());
  }

  readCached<Value>(lookup: SqliteLookup<Value>): Promise<Value | undefined> {
    return this.execute(() => {
      const slots = toSlots([lookup.source]);
      // No other connection writes, so a source without uncommitted writes is in its committed state.
      const version = this.#commits.hasUncommittedWrite(slots) ? uncacheable : this.#commits.findLastWrite(slots);
      return lookup.cache.get(lookup.source, version) ?? readAndCache(lookup, version);
    });
  }

  findVersion(): Promise<number> {
    return Promise.resolve(uncacheable);
  }
}

/**
 * A read used cached values, and before it ran its first statement another transaction was committed. It must be run
 * again.
 */
export class StaleReadError extends Error {
  override readonly name = 'StaleReadError';
}

/**
 * The session of a read-only connection. A read sees the state at its begin. The database transaction begins only with
 * the first statement, because most reads need only cached values.
 */
export class ReadSession implements Session {
  readonly database: DatabaseSync;
  readonly #commits: CommitTracker;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  /** The latest commit that the read sees; undefined between reads. */
  #commit: number | undefined;

  constructor(database: DatabaseSync, commits: CommitTracker) {
    this.database = database;
    this.#commits = commits;
    this.#begin = database.prepare('BEGIN');
    this.#end = database.prepare('COMMIT');
  }

  /** Begins a read. */
  begin(): void {
    this.#commit = this.#commits.latest;
  }

  /** Ends the read. */
  end(): void {
    this.#commit = undefined;
    if (this.database.isTransaction) this.#end.run();
  }

  execute<Result>(run: () => Result): Promise<Result> {
    return executeNow(() => {
      this.#beginTransaction();
      return run();
    });
  }

  readCached<Value>(lookup: SqliteLookup<Value>): Promise<Value | undefined> {
    const version = this.#findVersion(toSlots([lookup.source]));
    const known = lookup.cache.get(lookup.source, version);
    return known === undefined ? this.execute(() => readAndCache(lookup, version)) : Promise.resolve(known);
  }

  findVersion(slots: Slots): Promise<number> {
    return Promise.resolve(this.#findVersion(slots));
  }

  /** A source that was written after the read began has a version that the read does not see. */
  #findVersion(slots: Slots): number {
    if (this.#commit === undefined) throw transactionEndedError();
    const version = this.#commits.findLastWrite(slots);
    return version > this.#commit ? uncacheable : version;
  }

  /** SQLite takes its snapshot at the first statement that reads, which runs before any other commit. */
  #beginTransaction(): void {
    if (this.database.isTransaction) return;
    if (this.#commit === undefined) throw transactionEndedError();
    if (this.#commits.latest !== this.#commit) throw new StaleReadError('the data has changed since the read began');
    this.#begin.run();
  }
}
