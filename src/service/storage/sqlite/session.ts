import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { VersionedCache } from '../versioned-cache.ts';
import { answer } from './answers.ts';
import { countersOf, type Commits, type Counters } from './commits.ts';
import type { Source } from './written-sources.ts';

/** A connection as repositories use it, within a transaction. */
export interface Session {
  readonly database: DatabaseSync;
  /** Runs statements; what they throw rejects, as a StorageError if it is one. */
  answer<Result>(run: () => Result): Promise<Result>;
  /** Reads through a cache: what is found is kept as long as the source is not written. */
  cached<Value>(lookup: CachedLookup<Value>): Promise<Value | undefined>;
  /** The version of the sources in the state that the transaction sees: see `Version`. */
  versionOf(counters: Counters): Promise<number>;
}

/** What is read through a cache. */
export interface CachedLookup<Value> {
  readonly cache: VersionedCache<Value>;
  /** All that the value is read from; also its key. */
  readonly source: Source;
  readonly read: () => Value | undefined;
}

function readAndKeep<Value>({ cache, source, read }: CachedLookup<Value>, version: number): Value | undefined {
  const value = read();
  if (value !== undefined && !Number.isNaN(version)) cache.set(source, version, value);
  return value;
}

/** A version that equals no other, not even itself: what is read then must not be kept. */
const noVersion = Number.NaN;

/** Who keeps a repository after its transaction has a defect. */
function hasEnded(): Error {
  return new Error('the transaction has ended');
}

/** The one connection that writes. It sees what is not committed yet: what is read of that is not kept. */
export class WriteSession implements Session {
  readonly database: DatabaseSync;
  readonly #commits: Commits;
  #isActive = false;

  constructor(database: DatabaseSync, commits: Commits) {
    this.database = database;
    this.#commits = commits;
  }

  /** Lets the repositories work until the work ends. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isActive = true;
    try {
      return await work();
    } finally {
      this.#isActive = false;
    }
  }

  answer<Result>(run: () => Result): Promise<Result> {
    return this.#isActive ? answer(run) : Promise.reject(hasEnded());
  }

  cached<Value>(lookup: CachedLookup<Value>): Promise<Value | undefined> {
    return this.answer(() => {
      const counters = countersOf([lookup.source]);
      // No other connection writes, so what this one is not writing is as it was committed.
      const version = this.#commits.isWriting(counters) ? noVersion : this.#commits.lastWriteOf(counters);
      return lookup.cache.get(lookup.source, version) ?? readAndKeep(lookup, version);
    });
  }

  versionOf(): Promise<number> {
    return Promise.resolve(noVersion);
  }
}

/** Something was committed after a read had answered from memory and before it asked the database; it begins again. */
export class SnapshotMoved extends Error {
  override readonly name = 'SnapshotMoved';
}

/**
 * A read-only connection. A read is of the moment it begins. It begins a transaction of the database with its first
 * statement only, because most reads are answered from memory.
 */
export class ReadSession implements Session {
  readonly database: DatabaseSync;
  readonly #commits: Commits;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  /** The latest commit that the read sees; undefined between reads. */
  #commit: number | undefined;

  constructor(database: DatabaseSync, commits: Commits) {
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

  answer<Result>(run: () => Result): Promise<Result> {
    return answer(() => {
      this.#open();
      return run();
    });
  }

  cached<Value>(lookup: CachedLookup<Value>): Promise<Value | undefined> {
    const version = this.#versionOf(countersOf([lookup.source]));
    const known = lookup.cache.get(lookup.source, version);
    return known === undefined ? this.answer(() => readAndKeep(lookup, version)) : Promise.resolve(known);
  }

  versionOf(counters: Counters): Promise<number> {
    return Promise.resolve(this.#versionOf(counters));
  }

  /** What was written since the read began has a version that the read does not see. */
  #versionOf(counters: Counters): number {
    if (this.#commit === undefined) throw hasEnded();
    const version = this.#commits.lastWriteOf(counters);
    return version > this.#commit ? noVersion : version;
  }

  /** SQLite takes its snapshot with the first statement that reads, which follows in the same turn. */
  #open(): void {
    if (this.database.isTransaction) return;
    if (this.#commit === undefined) throw hasEnded();
    if (this.#commits.latest !== this.#commit) throw new SnapshotMoved('the data has changed since the read began');
    this.#begin.run();
  }
}
