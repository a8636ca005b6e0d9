import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../attachments/files/data-folder.ts';
import {
  createWriters,
  type ReadTransaction,
  type Storage,
  type TransactionScope,
  type WriteTransaction,
} from '../storage.ts';
import { openDatabase, openReadOnly } from './database.ts';
import { createFileCheck } from './file-presence.ts';
import { schemaVersion } from './migrations.ts';
import { ReadPool } from './read-pool.ts';
import { Session } from './session.ts';
import { WriteQueue } from './write-queue.ts';

/**
 * The storage of one machine: an SQLite database in the data folder, used by one process. One connection writes, the
 * others read the committed state.
 */
export class SqliteStorage implements Storage {
  readonly #database: DatabaseSync;
  readonly #queue: WriteQueue;
  readonly #session: Session;
  readonly #reads: ReadPool;

  /** @throws StartError if the database cannot be opened. */
  constructor(folder: string) {
    this.#database = openDatabase(folder);
    const path = join(folder, databaseFile);
    this.#queue = new WriteQueue(this.#database, { requireFiles: createFileCheck([path, `${path}-wal`]) });
    this.#session = new Session(this.#database);
    this.#reads = new ReadPool(() => new Session(openReadOnly(folder)));
  }

  read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    return this.#reads.run(work);
  }

  /** All transactions run one after the other, whatever their scope. */
  transaction<Result>(
    _scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#queue.write(() => this.#session.use(() => work(createWriters(this.#session))));
  }

  onCommit(listener: () => void): void {
    this.#queue.onCommit(listener);
  }

  probe(): Promise<void> {
    // Writes a page with an unchanged value.
    return this.#queue.write(() => {
      this.#database.exec(`PRAGMA user_version = ${schemaVersion}`);
    });
  }

  async close(): Promise<void> {
    await this.#queue.drain();
    this.#reads.close();
    this.#database.close();
  }
}
