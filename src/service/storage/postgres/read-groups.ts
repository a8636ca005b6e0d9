import type { PoolClient } from 'pg';
import type { After } from '../../../runtime/clock.ts';
import type { Row } from '../rows.ts';
import type { ChangeLog } from './change-log.ts';
import type { Connections } from './connections.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { SharedStatements, type SharedValue, type SharedStatement } from './shared-statements.ts';
import { SoftLimit } from './soft-limit.ts';
import { runStatement, transactionEndedError, type Statement, type Value } from './statements.ts';

/** How many reads share a transaction at most: a slow statement delays the statements of the other reads after it. */
const maximumMembers = 32;

/**
 * With two groups at the same time, the database is busy while this process handles the results of the other one. More
 * would have fewer members each, and take longer together. The wait is in milliseconds.
 */
const groupLimit = { usual: 2, maximumWait: 5 };

/**
 * Groups reads that begin at the same time. Those of a group share a connection, a transaction and so a state of the
 * data, which is not older than the begin of any of them. If the begin or a statement fails, the reads of its group must be
 * run again, each alone.
 */
export class ReadGroups {
  readonly #connections: Connections;
  readonly #changes: ChangeLog;
  readonly #limit: SoftLimit;
  /** The group that has not begun. */
  #next: ReadGroup | undefined;

  constructor(connections: Connections, changes: ChangeLog, after: After) {
    this.#connections = connections;
    this.#changes = changes;
    this.#limit = new SoftLimit(groupLimit, after);
  }

  /**
   * Enters a group that has not begun. Call its `leave` in the end.
   *
   * @param isAlone whether no other read may enter it
   */
  enter(isAlone: boolean): ReadGroup {
    if (isAlone) return this.#create();
    if (this.#next === undefined || this.#next.size === maximumMembers) this.#next = this.#create();
    else this.#next.add();
    return this.#next;
  }

  #create(): ReadGroup {
    const close = (): void => {
      if (this.#next === group) this.#next = undefined;
    };
    const group: ReadGroup = new ReadGroup(
      () => this.#begin(close),
      () => {
        this.#limit.leave();
      },
    );
    return group;
  }

  /** @param close is called before the begin */
  async #begin(close: () => void): Promise<BegunTransaction> {
    let client: PoolClient;
    try {
      // Reads that begin in the same turn of the event loop, or wait for a connection, share it.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#limit.enter();
      client = await this.#connections.acquire();
    } finally {
      close();
    }
    // What is known now is committed, so the transaction sees it.
    const known = this.#changes.latest;
    const begun = Promise.all([
      client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY'),
      this.#changes.learnIn(client),
    ]);
    return { client, known: begun.then(() => known) };
  }
}

/** A transaction whose begin was sent. */
interface BegunTransaction {
  readonly client: PoolClient;
  /** Resolves when the transaction has begun; see `ReadGroup.known`. */
  readonly known: Promise<number>;
}

/** Reads that share a transaction. Their first statements are sent with its begin. */
export class ReadGroup {
  readonly #transaction: Promise<BegunTransaction>;
  readonly #lookups = new SharedStatements((statement, columns) => this.query(statement, columns));
  readonly #onEnd: () => void;
  /** Resolves when it has a connection. Rejects with a StorageError if there is none. */
  readonly connected: Promise<unknown>;
  /**
   * A number of changes of the log. The transaction sees all of them, and all others that it sees are in the log, too, when
   * this resolves.
   */
  readonly known: Promise<number>;
  /** The number of reads that have entered. */
  #size = 1;
  /** The number of reads that have not left. */
  #members = 1;
  /** The number of statements without an answer; the begin counts as one. */
  #unanswered = 1;
  /** Whether a statement failed: the others fail, too, whatever they are. */
  #hasFailed = false;
  #hasEnded = false;

  /**
   * @param begin begins its transaction
   * @param onEnd is called when the last read has ended, whether the transaction began or not
   */
  constructor(begin: () => Promise<BegunTransaction>, onEnd: () => void) {
    this.connected = this.#transaction = begin();
    this.known = this.#learn();
    this.known.catch(() => undefined);
    this.#onEnd = onEnd;
  }

  async #learn(): Promise<number> {
    const { known } = await this.#transaction;
    try {
      return await known;
    } catch (error) {
      this.#hasFailed = true;
      throw translatePostgresError(error);
    } finally {
      this.#unanswered -= 1;
    }
  }

  /** Runs a statement; see `Session.query`. Its rows may be used when `known` has resolved, too. */
  async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const { client } = await this.#transaction;
    if (this.#hasEnded) throw transactionEndedError();
    this.#unanswered += 1;
    try {
      return (await runStatement(client, statement, values)).rows;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      this.#unanswered -= 1;
    }
  }

  /** Returns the rows of a lookup, which shares a statement with those of the other reads; see `query`. */
  async lookUp(statement: SharedStatement, values: readonly SharedValue[]): Promise<readonly Row[]> {
    await this.#transaction;
    return this.#lookups.run(statement, values);
  }

  /** The number of reads that have entered. */
  get size(): number {
    return this.#size;
  }

  /** Enters another read. */
  add(): void {
    this.#size += 1;
    this.#members += 1;
  }

  /** Ends a read. The last one ends the transaction. The results do not depend on how that goes. */
  leave(): void {
    this.#members -= 1;
    if (this.#members > 0) return;
    void this.#end();
  }

  async #end(): Promise<void> {
    // A read that failed may have left lookups behind, which must not be sent after the end of the transaction.
    this.#lookups.send();
    const transaction = await this.#transaction.catch(() => undefined);
    this.#hasEnded = true;
    if (transaction !== undefined) void this.#release(transaction.client);
    this.#onEnd();
  }

  /**
   * Ends the transaction, and gives the connection back before the answer, so that the next transaction's begin can be
   * sent with the end. If the end fails, the connection is lost, which the pool and the next transaction notice. Statements
   * that reads have left behind are waited for, because they may take long or fail.
   */
  async #release(client: PoolClient): Promise<void> {
    if (!this.#hasFailed) {
      const ended = client.query('COMMIT').catch(() => {
        this.#hasFailed = true;
      });
      if (this.#unanswered > 0) await ended;
    }
    client.release(this.#hasFailed);
  }
}
