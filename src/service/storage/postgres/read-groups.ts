import type { PoolClient } from 'pg';
import type { ChangeLog } from './change-log.ts';
import type { Connections } from './connections.ts';
import { translatePostgresError } from './postgres-errors.ts';

/** How many reads share a transaction at most: a slow statement delays the statements of the other reads after it. */
const maximumMembers = 16;

/**
 * Groups reads that begin at the same time. Those of a group share a connection, a transaction and so a state of the
 * data, which is not older than the begin of any of them. If a statement fails, the reads of its group must be run again,
 * each alone.
 */
export class ReadGroups {
  readonly #connections: Connections;
  readonly #changes: ChangeLog;
  /** The group that has not begun. */
  #next: ReadGroup | undefined;

  constructor(connections: Connections, changes: ChangeLog) {
    this.#connections = connections;
    this.#changes = changes;
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
    const group: ReadGroup = new ReadGroup(() =>
      this.#begin(() => {
        if (this.#next === group) this.#next = undefined;
      }),
    );
    return group;
  }

  /** @param close is called before the begin */
  async #begin(close: () => void): Promise<PoolClient> {
    let client: PoolClient;
    try {
      // Reads that begin in the same turn of the event loop, or wait for a connection, share it.
      await new Promise((resolve) => setImmediate(resolve));
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
  /** Its connection, after the begin; all changes that it sees are known then. */
  readonly client: Promise<PoolClient>;
  #size = 1;
  #members = 1;
  #hasFailed = false;

  /** @param begin begins its transaction */
  constructor(begin: () => Promise<PoolClient>) {
    this.client = begin();
    this.client.catch(() => undefined);
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
    this.client.then(
      (client) => {
        endTransaction(client, this.#hasFailed);
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
