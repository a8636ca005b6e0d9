import { randomUUID } from 'node:crypto';
import type { After, Now } from '../../../runtime/clock.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { RecordCaches } from '../record-caches.ts';
import { StorageError } from '../storage-error.ts';
import type { Preparation, ReadTransaction, Storage, TransactionScope, WriteTransaction } from '../storage.ts';
import { ChangeLog } from './change-log.ts';
import { CommitWatch } from './commit-watch.ts';
import { silentAfter, type Connections } from './connections.ts';
import { isConflict, isSlow, translatePostgresError } from './postgres-errors.ts';
import { ReadGroups } from './read-groups.ts';
import { createReaders, createWriters } from './repositories.ts';
import { ReadSession, RepeatReadError } from './session.ts';
import { WriteGroups } from './write-groups.ts';

/** The dependencies of a PostgreSQL storage. */
export interface PostgresStorageDependencies {
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** How often the known changes are deleted, in milliseconds. They are kept for at least this long. */
const forgetInterval = 120_000;

/** How many times a read may use cached values that turn out to be outdated; then it uses none. */
const maximumStaleReads = 3;
/** How many times a read is run at most. The server ends a read that deadlocks with a migration. */
const maximumReads = 8;

/** The size of a table's row with one number, in bytes. */
const bytesPerRow = 36;

/** The storage of several machines: a PostgreSQL database, used by any number of processes. */
export class PostgresStorage implements Storage {
  readonly #connections: Connections;
  readonly #changes: ChangeLog;
  readonly #caches = new RecordCaches();
  readonly #reads: ReadGroups;
  /** The reads that have begun and not ended. */
  readonly #reading = new Set<Promise<unknown>>();
  readonly #groups: WriteGroups;
  readonly #commits: CommitWatch;
  readonly #dependencies: PostgresStorageDependencies;
  #cancelForgetting: () => void = () => undefined;

  constructor(connections: Connections, dependencies: PostgresStorageDependencies) {
    this.#connections = connections;
    this.#dependencies = dependencies;
    this.#changes = new ChangeLog(connections);
    this.#reads = new ReadGroups(connections, this.#changes, dependencies.after);
    this.#commits = new CommitWatch({ after: dependencies.after, probe: () => this.probe() });
    this.#groups = new WriteGroups({
      connections,
      changes: this.#changes,
      commits: this.#commits,
      createTransaction: (session) => createWriters(session, this.#caches),
      elapsed: dependencies.monotonic,
      after: dependencies.after,
      sleep: (milliseconds) => new Promise((resolve) => dependencies.after(milliseconds, resolve)),
      newToken: randomUUID,
    });
    this.#scheduleForgetting(undefined);
  }

  async read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    const reading = this.#readAgainIfNeeded(work);
    this.#reading.add(reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(reading);
    }
  }

  async #readAgainIfNeeded<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    const { monotonic } = this.#dependencies;
    // Later, another attempt would take as long.
    const latest = monotonic() + silentAfter;
    for (let attempt = 1; ; attempt += 1) {
      const mode = { usesCaches: attempt <= maximumStaleReads, isAlone: attempt > 1 };
      const session = new ReadSession(this.#reads, this.#changes, mode);
      try {
        return await work(createReaders(session, this.#caches));
      } catch (error) {
        const canRunAgain = error instanceof RepeatReadError || isConflict(error);
        if (!canRunAgain || attempt === maximumReads || monotonic() > latest) throw toFault(error);
      } finally {
        session.end();
      }
    }
  }

  transaction<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
    prepare?: Preparation,
  ): Promise<Result> {
    return this.#groups.write(scope, work, prepare);
  }

  onCommit(listener: () => void): void {
    this.#groups.onCommit(listener);
  }

  async probe(bytes = 0): Promise<void> {
    const client = await this.#connections.acquire();
    try {
      await this.#commits.confirm(client, client.query('UPDATE probes SET probed_at = now()'));
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
    // A read may still wait for a connection.
    await Promise.all([this.#groups.drain(), Promise.allSettled(this.#reading)]);
    await this.#changes.close();
    await this.#connections.close();
  }

  /** @param position the position of the change log one interval ago */
  #scheduleForgetting(position: bigint | undefined): void {
    const { after, log } = this.#dependencies;
    this.#cancelForgetting = after(forgetInterval, () => {
      this.#scheduleForgetting(this.#changes.position);
      if (position === undefined) return;
      this.#changes.forget(position).catch((error: unknown) => {
        log.info(`old entries of the change log were not deleted: ${errorMessage(error)}`);
      });
    });
  }
}

/** The fault because of which a read was to be run again, if there was one. */
function toFault(error: unknown): unknown {
  return error instanceof RepeatReadError && error.cause instanceof StorageError ? error.cause : error;
}

/**
 * Writes this many bytes to the disk, and removes them again; the file of a table is removed when it is rolled back.
 */
function requireRoom(bytes: number): string {
  const rows = Math.ceil(bytes / bytesPerRow);
  return `BEGIN; CREATE UNLOGGED TABLE probed_room AS SELECT generate_series(1, ${rows}) AS number; ROLLBACK`;
}
