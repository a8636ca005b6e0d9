import type { ClientBase, PoolClient } from 'pg';
import type { CachedLookup } from '../record-caches.ts';
import type { Row } from '../rows.ts';
import { toSlot, toSlots, type Slots, type Source } from '../sources.ts';
import type { ChangeLog } from './change-log.ts';
import type { Connections } from './connections.ts';
import { translatePostgresError } from './postgres-errors.ts';
import type { Statement, Value } from './statements.ts';

/**
 * The connection that repositories use within a transaction.
 *
 * @throws StorageError from every method, if the database or the connection fails.
 */
export interface Session {
  /** Runs a statement, and returns its rows. Statements run in the order of the calls, and need not wait for each other. */
  query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]>;
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
  /** Call it for the sources of every written row of a watched table. */
  noteWrite(...sources: readonly Source[]): void;
}

/** The version of values that must not be cached. It equals no version, not even itself. */
const uncacheable = Number.NaN;

/** A repository was used after its transaction, which is a defect. */
function transactionEndedError(): Error {
  return new Error('the transaction has ended');
}

/** A read used cached values that its database transaction sees otherwise. It must be run again. */
export class StaleReadError extends Error {
  override readonly name = 'StaleReadError';
}

async function run(client: ClientBase, { name, text }: Statement, values: readonly Value[]): ReturnType<typeof send> {
  try {
    return await send(client, { name, text }, values);
  } catch (error) {
    throw translatePostgresError(error);
  }
}

function send(client: ClientBase, { name, text }: Statement, values: readonly Value[]) {
  return client.query<Record<string, unknown>>({ name, text, values: [...values] });
}

/**
 * The session of a read. Most reads need only cached values, so the database transaction begins with the first
 * statement. It sees one state of the data.
 */
export class ReadSession implements Session {
  readonly #connections: Connections;
  readonly #changes: ChangeLog;
  readonly #usesCaches: boolean;
  /** What was known when the read began; undefined before. */
  #known: Promise<number> | undefined;
  /** The slots of the cached values that were used. */
  readonly #used: number[] = [];
  #client: Promise<PoolClient> | undefined;
  #failed = false;
  #ended = false;

  /** @param usesCaches whether cached values may be used; otherwise they are only stored */
  constructor(connections: Connections, changes: ChangeLog, usesCaches: boolean) {
    this.#connections = connections;
    this.#changes = changes;
    this.#usesCaches = usesCaches;
  }

  async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const client = await this.#begin();
    try {
      return (await run(client, statement, values)).rows;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  async readCached<Value>({ cache, source, read }: PostgresLookup<Value>): Promise<Value | undefined> {
    const known = await this.#learn();
    const slots = toSlots([source]);
    const lastWrite = this.#changes.findLastWrite(slots);
    // A value that was cached later is the same if its source was not written since the read began.
    const isUsable = this.#usesCaches && this.#client === undefined && lastWrite <= known;
    const cached = isUsable ? cache.latest(source) : undefined;
    if (cached !== undefined && lastWrite <= Number(cached.version)) {
      this.#used.push(...slots);
      return cached.value;
    }
    const value = await read();
    if (value !== undefined) cache.set(source, known, value);
    return value;
  }

  async findVersion(slots: Slots): Promise<number> {
    const known = await this.#learn();
    const lastWrite = this.#changes.findLastWrite(slots);
    if (lastWrite > known || !this.#usesCaches) return uncacheable;
    if (this.#client === undefined) this.#used.push(...slots);
    return lastWrite;
  }

  #learn(): Promise<number> {
    if (this.#ended) throw transactionEndedError();
    return (this.#known ??= this.#changes.refresh().then(() => this.#changes.latest));
  }

  async #begin(): Promise<PoolClient> {
    const known = await this.#learn();
    if (this.#ended) throw transactionEndedError();
    this.#client ??= this.#beginTransaction(known);
    return this.#client;
  }

  async #beginTransaction(known: number): Promise<PoolClient> {
    const client = await this.#connections.acquire();
    try {
      const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const learnt = this.#used.length === 0 ? undefined : this.#changes.learnIn(client);
      await Promise.all([begun, learnt]);
      if (this.#used.length > 0 && this.#changes.findLastWrite(this.#used) > known) {
        throw new StaleReadError('the data has changed since the read began');
      }
      return client;
    } catch (error) {
      client.release(true);
      throw translatePostgresError(error);
    }
  }

  /** Ends the read. The result does not depend on how that goes. */
  end(): void {
    this.#ended = true;
    this.#client?.then(
      (client) => {
        endTransaction(client, this.#failed);
      },
      () => undefined,
    );
  }
}

function endTransaction(client: PoolClient, isBroken: boolean): void {
  if (isBroken) {
    client.release(true);
    return;
  }
  client.query('COMMIT').then(
    () => {
      client.release();
    },
    () => {
      client.release(true);
    },
  );
}

/** The session of a transaction that writes. */
export class WriteSession implements WritingSession {
  readonly #client: ClientBase;
  readonly #changes: ChangeLog;
  /** What is known since the transaction holds its locks; undefined until it was needed. */
  #known: Promise<number> | undefined;
  readonly #written = new Set<number>();
  /** Statements that were sent and not waited for. */
  readonly #sent: Promise<unknown>[] = [];
  #failed = false;
  #isEnded = false;

  constructor(client: ClientBase, changes: ChangeLog) {
    this.#client = client;
    this.#changes = changes;
  }

  /** Whether a statement failed, so that the connection cannot be used for others. */
  get hasFailed(): boolean {
    return this.#failed;
  }

  /** The slots of the sources that were written. */
  get written(): readonly number[] {
    return [...this.#written];
  }

  async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#run(statement, values)).rows;
  }

  async change(statement: Statement, values: readonly Value[]): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  send(statement: Statement, values: readonly Value[]): Promise<void> {
    if (this.#isEnded) return Promise.reject(transactionEndedError());
    const sent = this.#run(statement, values);
    // It is reported by `settle`.
    sent.catch(() => undefined);
    this.#sent.push(sent);
    return Promise.resolve();
  }

  noteWrite(...sources: readonly Source[]): void {
    for (const source of sources) this.#written.add(toSlot(source));
  }

  async readCached<Value>({ cache, source, read }: PostgresLookup<Value>): Promise<Value | undefined> {
    const known = await this.#learn();
    const slots = toSlots([source]);
    // Uncommitted rows must not be cached.
    if (slots.some((slot) => this.#written.has(slot))) return read();
    const cached = cache.latest(source);
    const lastWrite = this.#changes.findLastWrite(slots);
    if (cached !== undefined && lastWrite <= Number(cached.version) && lastWrite <= known) return cached.value;
    const value = await read();
    if (value !== undefined) cache.set(source, known, value);
    return value;
  }

  findVersion(): Promise<number> {
    return Promise.resolve(uncacheable);
  }

  /**
   * Waits for the statements that were sent, and ends the use of the session.
   *
   * @throws StorageError or the database's error if any of them failed.
   */
  async settle(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#sent);
  }

  /** Ends the use of the session, whatever became of its statements. */
  end(): void {
    this.#isEnded = true;
  }

  /** Others wait for this transaction's locks, so nothing is committed that it does not see. */
  #learn(): Promise<number> {
    return (this.#known ??= this.#changes.refresh().then(() => this.#changes.latest));
  }

  async #run(statement: Statement, values: readonly Value[]): ReturnType<typeof send> {
    if (this.#isEnded) throw transactionEndedError();
    try {
      return await run(this.#client, statement, values);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }
}
