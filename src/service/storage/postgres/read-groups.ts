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
 * data, which is not older than the begin of any of them. If a statement fails, the reads of its group must be run again,
 * each alone.
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
  async #begin(close: () => void): Promise<PoolClient> {
    let client: PoolClient;
    try {
      // Reads that begin in the same turn of the event loop, or wait for a connection, share it.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#limit.enter();
      client = await this.#connections.acquire();
    } finally {
      close();
    }
    try {
      const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await Promise.all([begun, this.#changes.learnIn(client)]);
      return client;
    } catch (error) {
      client.release(true);
      throw translatePostgresError(error);
    }
  }
}

/** Reads that share a transaction. */
export class ReadGroup {
  readonly #client: Promise<PoolClient>;
  readonly #lookups = new SharedStatements((statement, columns) => this.query(statement, columns));
  readonly #onEnd: () => void;
  /** The number of reads that have entered. */
  #size = 1;
  /** The number of reads that have not left. */
  #members = 1;
  #hasFailed = false;
  #hasEnded = false;

  /**
   * @param begin begins its transaction
   * @param onEnd is called when the last read has ended, whether the transaction began or not
   */
  constructor(begin: () => Promise<PoolClient>, onEnd: () => void) {
    this.#client = begin();
    this.#client.catch(() => undefined);
    this.#onEnd = onEnd;
  }

  /** Resolves when the transaction has begun; all changes that it sees are known then. */
  get begun(): Promise<unknown> {
    return this.#client;
  }

  /** Runs a statement; see `Session.query`. */
  async query(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const client = await this.#client;
    if (this.#hasEnded) throw transactionEndedError();
    return (await runStatement(client, statement, values)).rows;
  }

  /** Returns the rows of a lookup, which shares a statement with those of the other reads; see `Session.lookUp`. */
  lookUp(statement: SharedStatement, values: readonly SharedValue[]): Promise<readonly Row[]> {
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

  /** Call it if a statement failed: the others fail, too, whatever they are. */
  fail(): void {
    this.#hasFailed = true;
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
    const client = await this.#client.catch(() => undefined);
    this.#hasEnded = true;
    // The next group need not wait until the database has confirmed the end of this one.
    this.#onEnd();
    if (client !== undefined) await endTransaction(client, this.#hasFailed);
  }
}

/** Never rejects. */
async function endTransaction(client: PoolClient, isBroken: boolean): Promise<void> {
  let canBeUsed = !isBroken;
  try {
    if (canBeUsed) await client.query('COMMIT');
  } catch {
    canBeUsed = false;
  }
  client.release(!canBeUsed);
}
