import type { PoolClient } from 'pg';
import { errorMessage } from '../../../../runtime/failure.ts';
import {
  concurrent,
  createReaders,
  type ReadTransaction,
  type Storage,
  type StorageDependencies,
  type TransactionScope,
  type WriteTransaction,
} from '../storage.ts';
import { StorageError } from '../storage-error.ts';
import { CommitWatch } from './commit-watch.ts';
import { type Connections, silentAfter } from './connections.ts';
import { isConflict, isSlow, translatePostgresError } from './postgres-errors.ts';
import { Session } from './session.ts';
import { probe, Transactions } from './transactions.ts';

type Dependencies = Pick<StorageDependencies, 'now' | 'randomBytes' | 'monotonic' | 'after' | 'log'>;

/** How often the tokens of old commits are deleted, in milliseconds. */
const forgetInterval = 120_000;

/** How many times a read is run at most, if the server ends it or its connection is lost. */
const maximumReads = 6;

/** The size of a table's row with one number, in bytes. */
const bytesPerRow = 36;

/** The storage of several machines: a PostgreSQL database, used by any number of processes. */
export class PostgresStorage implements Storage {
  readonly #connections: Connections;
  readonly #commits: CommitWatch;
  readonly #transactions: Transactions;
  readonly #dependencies: Dependencies;
  /** The reads and writes that have begun and not ended. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #latest = new Map<TransactionScope, Promise<unknown>>();
  readonly #listeners: (() => void)[] = [];
  #cancelForgetting: () => void = () => undefined;

  constructor(connections: Connections, dependencies: Dependencies) {
    const { after } = dependencies;
    this.#connections = connections;
    this.#dependencies = dependencies;
    this.#commits = new CommitWatch({ after, probe: () => this.probe() });
    this.#transactions = new Transactions({ ...dependencies, connections, commits: this.#commits });
    this.#scheduleForgetting();
  }

  read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    return this.#track(this.#readAgainIfNeeded(work));
  }

  async #readAgainIfNeeded<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    const { monotonic } = this.#dependencies;
    // Later, another attempt would take as long.
    const latest = monotonic() + silentAfter;
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#connections.acquire();
      const session = new Session(client);
      try {
        // Sent with the first statement, which fails, too, if this does.
        client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY').catch(() => undefined);
        return await work(createReaders(session));
      } catch (error) {
        const { failure } = session;
        const canRunAgain =
          isConflict(failure) || (failure instanceof StorageError && failure.reason === 'unreachable');
        if (!canRunAgain || attempt === maximumReads || monotonic() > latest) throw failure ?? error;
      } finally {
        session.end();
        void endRead(client, session);
      }
    }
  }

  /**
   * Writes of the same scope wait for each other before they take a connection, which others would lack while they wait
   * for the lock.
   */
  transaction<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
  ): Promise<Result> {
    const before = scope === concurrent ? undefined : this.#latest.get(scope);
    const writing = this.#track(this.#write(scope, work, before));
    const ended = writing.then(
      () => undefined,
      () => undefined,
    );
    if (scope !== concurrent) {
      this.#latest.set(scope, ended);
      void ended.then(() => {
        if (this.#latest.get(scope) === ended) this.#latest.delete(scope);
      });
    }
    return writing;
  }

  async #write<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
    before: Promise<unknown> | undefined,
  ): Promise<Result> {
    await before;
    try {
      const result = await this.#transactions.run(scope, work);
      for (const listener of this.#listeners) listener();
      return result;
    } catch (error) {
      throw translatePostgresError(error);
    }
  }

  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async probe(bytes = 0): Promise<void> {
    const client = await this.#connections.acquire();
    try {
      await this.#commits.confirm(client, client.query(probe));
      if (bytes > 0) await client.query(requireRoom(bytes));
      client.release();
    } catch (error) {
      client.release(true);
      const fault = translatePostgresError(error);
      // It waited for its turn: the probe of another process cannot commit.
      if (isSlow(fault)) this.#commits.noteStuck();
      throw fault;
    }
  }

  async close(): Promise<void> {
    this.#cancelForgetting();
    // They may still wait for a connection.
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#connections.close();
  }

  async #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  #scheduleForgetting(): void {
    const { after, log } = this.#dependencies;
    this.#cancelForgetting = after(forgetInterval, () => {
      this.#scheduleForgetting();
      this.#track(this.#transactions.forgetCommits()).catch((error: unknown) => {
        log.info(`the tokens of old commits were not deleted: ${errorMessage(error)}`);
      });
    });
  }
}

/** Ends the transaction of a read, after the statements that it has left behind. Its result does not depend on it. */
async function endRead(client: PoolClient, session: Session): Promise<void> {
  try {
    if (session.failure === undefined) await client.query('COMMIT');
    client.release(session.failure !== undefined);
  } catch {
    client.release(true);
  }
}

/**
 * Writes this many bytes to the disk, and removes them again; the file of a table is removed when it is rolled back.
 */
function requireRoom(bytes: number): string {
  const rows = Math.ceil(bytes / bytesPerRow);
  return `BEGIN; CREATE UNLOGGED TABLE probed_room AS SELECT generate_series(1, ${rows}) AS number; ROLLBACK`;
}
