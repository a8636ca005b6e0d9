import type { ClientBase } from 'pg';
import type { CachedLookup } from '../record-caches.ts';
import type { Row } from '../rows.ts';
import { toSlot, toSlots, type Slots, type Source } from '../sources.ts';
import type { ChangeLog } from './change-log.ts';
import type { ReadGroup, ReadGroups } from './read-groups.ts';
import { SharedStatements, type SharedColumn, type SharedStatement, type SharedValue } from './shared-statements.ts';
import { runStatement, transactionEndedError, type Statement, type Value } from './statements.ts';

/**
 * The connection that repositories use within a transaction.
 *
 * @throws StorageError from every method, if the database or the connection fails.
 */
export interface Session {
  /** Runs a statement, and returns its rows. Statements run in the order of the calls, and need not wait for each other. */
  query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]>;
  /**
   * Returns the rows of a lookup. Lookups that begin at the same time share a statement. A lookup sees what was written
   * before the call, and nothing that is written after it.
   */
  lookUp(statement: SharedStatement, values: readonly SharedValue[]): Promise<readonly Row[]>;
  /** Reads through a cache. A cached value is used until its source is written. */
  readCached<Value>(lookup: PostgresLookup<Value>): Promise<Value | undefined>;
  /** Returns the version of the sources in the state that the transaction sees; see `DataVersion`. */
  findVersion(slots: Slots): Promise<number>;
}

/** A lookup through a cache in PostgreSQL. */
export interface PostgresLookup<Value> extends CachedLookup<Value> {
  readonly read: () => Promise<Value | undefined>;
}

/** The session of a transaction that writes. */
export interface WritingSession extends Session {
  /** Runs a statement, and returns the number of changed rows. */
  change(statement: Statement, values: readonly Value[]): Promise<number>;
  /**
   * Sends a statement without waiting for it, because its result does not matter. If it fails, the transaction is rolled
   * back.
   */
  send(statement: Statement, values: readonly Value[]): Promise<void>;
  /**
   * Like `send`, for a statement that several calls share. Calls at the same time share it, and what is called later sees
   * what they write. Different statements can be sent in any order.
   */
  sendShared(statement: SharedStatement, values: readonly SharedValue[]): Promise<void>;
  /** Like `sendShared`, for rows that those of `sendShared` refer to. They are sent before them. */
  sendSharedFirst(statement: SharedStatement, values: readonly SharedValue[]): Promise<void>;
  /** Call it for the sources of every written row of a watched table. */
  noteWrite(...sources: readonly Source[]): void;
}

/** The version of values that must not be cached. It equals no version, not even itself. */
const uncacheable = Number.NaN;

/** A read used cached values that its transaction sees otherwise, or its transaction failed. It must be run again. */
export class RepeatReadError extends Error {
  override readonly name = 'RepeatReadError';
}

/** How a read is run. */
export interface ReadMode {
  /** Whether cached values may be used; otherwise they are only stored. */
  readonly usesCaches: boolean;
  /** Whether its transaction is shared with no other read. */
  readonly isAlone: boolean;
}

/**
 * The session of a read. Most reads need only cached values, so the database transaction begins with the first
 * statement. It sees one state of the data.
 */
export class ReadSession implements Session {
  readonly #groups: ReadGroups;
  readonly #changes: ChangeLog;
  readonly #mode: ReadMode;
  /**
   * The number of changes that the read relies on: what was known when it first used a cache, or when its transaction
   * began, if that came first. Undefined before.
   */
  #known: Promise<number> | undefined;
  /** The slots of the cached values that were used. */
  readonly #used: number[] = [];
  /** Its group, from the first statement on. */
  #group: ReadGroup | undefined;
  /** Resolves with the group when it was entered. */
  #entered: Promise<ReadGroup> | undefined;
  /** Resolves when the transaction has begun, and sees the cached values that were used before. */
  #begun: Promise<unknown> | undefined;
  #isEnded = false;

  constructor(groups: ReadGroups, changes: ChangeLog, mode: ReadMode) {
    this.#groups = groups;
    this.#changes = changes;
    this.#mode = mode;
  }

  query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return this.#ask((group) => group.query(statement, values));
  }

  lookUp(statement: SharedStatement, values: readonly SharedValue[]): Promise<readonly Row[]> {
    return this.#ask((group) => group.lookUp(statement, values));
  }

  async #ask(ask: (group: ReadGroup) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    if (this.#isEnded) throw transactionEndedError();
    const group = await (this.#entered ??= this.#enter());
    // Sent with the begin of the transaction.
    const asked = ask(group);
    asked.catch(() => undefined);
    await group.connected;
    try {
      await this.#begun;
      return await asked;
    } catch (error) {
      if (this.#mode.isAlone || error instanceof RepeatReadError) throw error;
      // The failed statement may be one of another read, and the connection may have been lost since another transaction.
      throw new RepeatReadError('a statement of a group of reads failed', { cause: error });
    }
  }

  async readCached<Value>({ cache, source, read, weigh }: PostgresLookup<Value>): Promise<Value | undefined> {
    const known = await this.#learn();
    const slots = toSlots([source]);
    const lastWrite = this.#changes.findLastWrite(slots);
    // A value that was cached later is the same if its source was not written since. That holds in the transaction, too,
    // because all changes that it sees are known since its begin.
    const isUsable = this.#mode.usesCaches && lastWrite <= known;
    const cached = isUsable ? cache.latest(source) : undefined;
    if (cached !== undefined && lastWrite <= Number(cached.version)) {
      this.#used.push(...slots);
      return cached.value;
    }
    const value = await read();
    if (value !== undefined) cache.set(source, known, value, weigh?.(value));
    return value;
  }

  async findVersion(slots: Slots): Promise<number> {
    const known = await this.#learn();
    const lastWrite = this.#changes.findLastWrite(slots);
    if (lastWrite > known || !this.#mode.usesCaches) return uncacheable;
    this.#used.push(...slots);
    return lastWrite;
  }

  #learn(): Promise<number> {
    if (this.#isEnded) throw transactionEndedError();
    return (this.#known ??= this.#changes.refresh().then(() => this.#changes.latest));
  }

  async #enter(): Promise<ReadGroup> {
    // Before the first refresh of a connection, every transaction makes all cached values outdated.
    const known = this.#changes.position === undefined ? this.#learn() : this.#known;
    if (known === undefined) {
      // No cached value was used, so nothing needs to be known before.
      const group = this.#join();
      this.#known = this.#begun = group.known;
      return group;
    }
    const before = await known;
    if (this.#isEnded) throw transactionEndedError();
    const group = this.#join();
    this.#begun = this.#requireUnchanged(group, before);
    this.#begun.catch(() => undefined);
    return group;
  }

  #join(): ReadGroup {
    return (this.#group = this.#groups.enter(this.#mode.isAlone));
  }

  async #requireUnchanged(group: ReadGroup, known: number): Promise<void> {
    await group.known;
    if (this.#changes.findLastWrite(this.#used) > known) {
      throw new RepeatReadError('the data has changed since the read began');
    }
  }

  /** Ends the read. */
  end(): void {
    this.#isEnded = true;
    this.#group?.leave();
  }
}

/** The session of a transaction that writes. */
export class WriteSession implements WritingSession {
  readonly #client: ClientBase;
  readonly #changes: ChangeLog;
  /** What was known when the transaction held its locks: nothing is committed since that it does not see. */
  readonly #known: number;
  readonly #written = new Set<number>();
  // No lookups wait with writes: those that wait are sent before the others begin.
  readonly #lookups = new SharedStatements((statement, columns) => this.#executeShared(statement, columns));
  readonly #sharedFirst = new SharedStatements((statement, columns) => this.#executeShared(statement, columns));
  readonly #shared = new SharedStatements((statement, columns) => {
    this.#sharedFirst.send();
    return this.#executeShared(statement, columns);
  });
  /** Statements that were sent and not waited for. */
  readonly #sent: Promise<unknown>[] = [];
  /** How the first statement failed. */
  #failure: unknown;
  #isEnded = false;

  /** @param changes knows what was committed before the transaction held its locks */
  constructor(client: ClientBase, changes: ChangeLog) {
    this.#client = client;
    this.#changes = changes;
    this.#known = changes.latest;
  }

  /**
   * How the first statement failed; undefined if none did. Those after it fail, too, because the transaction is aborted,
   * and the connection cannot be used for other transactions.
   */
  get failure(): unknown {
    return this.#failure;
  }

  /** The slots of the sources that were written. */
  get written(): readonly number[] {
    return [...this.#written];
  }

  async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#run(statement, values)).rows;
  }

  lookUp(statement: SharedStatement, values: readonly SharedValue[]): Promise<readonly Row[]> {
    this.#sendWaitingWrites();
    return this.#lookups.run(statement, values);
  }

  async change(statement: Statement, values: readonly Value[]): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  send(statement: Statement, values: readonly Value[]): Promise<void> {
    if (this.#isEnded) return Promise.reject(transactionEndedError());
    this.#leave(this.#run(statement, values));
    return Promise.resolve();
  }

  sendShared(statement: SharedStatement, values: readonly SharedValue[]): Promise<void> {
    return this.#sendLater(this.#shared, statement, values);
  }

  sendSharedFirst(statement: SharedStatement, values: readonly SharedValue[]): Promise<void> {
    return this.#sendLater(this.#sharedFirst, statement, values);
  }

  #sendLater(shared: SharedStatements, statement: SharedStatement, values: readonly SharedValue[]): Promise<void> {
    if (this.#isEnded) return Promise.reject(transactionEndedError());
    this.#lookups.send();
    this.#leave(shared.run(statement, values));
    return Promise.resolve();
  }

  #sendWaitingWrites(): void {
    this.#sharedFirst.send();
    this.#shared.send();
  }

  /** Leaves it to `settle` to report how a statement ends. */
  #leave(sent: Promise<unknown>): void {
    sent.catch(() => undefined);
    this.#sent.push(sent);
  }

  noteWrite(...sources: readonly Source[]): void {
    for (const source of sources) this.#written.add(toSlot(source));
  }

  async readCached<Value>({ cache, source, read, weigh }: PostgresLookup<Value>): Promise<Value | undefined> {
    const known = this.#known;
    const slots = toSlots([source]);
    // Uncommitted rows must not be cached.
    if (slots.some((slot) => this.#written.has(slot))) return read();
    const cached = cache.latest(source);
    const lastWrite = this.#changes.findLastWrite(slots);
    if (cached !== undefined && lastWrite <= Number(cached.version) && lastWrite <= known) return cached.value;
    const value = await read();
    if (value !== undefined) cache.set(source, known, value, weigh?.(value));
    return value;
  }

  findVersion(): Promise<number> {
    return Promise.resolve(uncacheable);
  }

  /**
   * Waits for the statements that were sent, and ends the use of the session.
   *
   * @throws StorageError or the database's error: how the first one failed
   */
  async settle(): Promise<void> {
    this.#sendWaitingWrites();
    this.#isEnded = true;
    try {
      await Promise.all(this.#sent);
    } catch (error) {
      throw this.#failure ?? error;
    }
  }

  /** Ends the use of the session without waiting for its statements. */
  end(): void {
    this.#isEnded = true;
  }

  #run(statement: Statement, values: readonly Value[]): ReturnType<typeof runStatement> {
    // They began before this statement: lookups must not see what it changes, and it must see what is written.
    this.#lookups.send();
    this.#sendWaitingWrites();
    return this.#execute(statement, values);
  }

  async #executeShared(statement: SharedStatement, columns: readonly SharedColumn[]): Promise<readonly Row[]> {
    return (await this.#execute(statement, columns)).rows;
  }

  async #execute(statement: Statement, values: readonly Value[]): ReturnType<typeof runStatement> {
    if (this.#isEnded) throw transactionEndedError();
    try {
      return await runStatement(this.#client, statement, values);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }
}
