import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../attachments/files/data-folder.ts';
import { StartError } from '../start-error.ts';
import {
  createReaders,
  type ReadTransaction,
  runWriting,
  type Storage,
  type StorageDependencies,
  type TransactionOptions,
  type TransactionScope,
  type WriteTransaction,
} from '../storage.ts';
import { isFull, storageError } from '../storage-faults.ts';
import { openDatabase, openReadOnly, openWithoutLog, translateError } from './database.ts';
import { createFileCheck } from './file-presence.ts';
import { LargeWrites } from './large-writes.ts';
import { schemaVersion } from './migrations.ts';
import { LargeTextError, requireSmallText, Session } from './session.ts';
import { WriteQueue } from './write-queue.ts';

type Sources = Pick<StorageDependencies, 'now' | 'randomBytes'>;

/**
 * The storage of one machine: an SQLite database in the data folder, used by one process. One connection writes at a
 * time, another reads the committed state. If the disk is full at the start, it only reads until there is room to
 * write.
 */
export class SqliteStorage implements Storage {
  readonly #folder: string;
  readonly #sources: Sources;
  readonly #onWritable: () => Promise<void>;
  readonly #listeners: (() => void)[] = [];
  #writer: Writer | undefined;
  #opening: Promise<Writer> | undefined;
  #reader: Reader;

  /**
   * @param onWritable called before the first write, if the disk was full at the start
   * @throws StartError if the database cannot be opened.
   */
  constructor(folder: string, sources: Sources, onWritable = (): Promise<void> => Promise.resolve()) {
    this.#folder = folder;
    this.#sources = sources;
    this.#onWritable = onWritable;
    try {
      this.#writer = new Writer(folder, this.#listeners);
      this.#reader = new Reader(openReadOnly(join(folder, databaseFile)));
    } catch (error) {
      if (this.#writer !== undefined || !isFull(error)) throw error;
      this.#reader = new Reader(openWithoutLog(folder, error));
    }
  }

  get isWritable(): boolean {
    return this.#writer !== undefined;
  }

  read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    return this.#reader.run(work);
  }

  /** All transactions run one after the other, whatever their scope; large ones in a worker thread. */
  async transaction<Result>(
    _scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
    { largestText = 0 }: TransactionOptions = {},
  ): Promise<Result> {
    const { queue, session, largeWrites } = this.#writer ?? (await this.#requireWriter());
    try {
      requireSmallText(largestText);
      return await queue.write(() => session.use(() => runWriting(session, this.#sources, work)));
    } catch (error) {
      if (!(error instanceof LargeTextError)) throw error;
      return queue.write(() => largeWrites.run((database) => runWriting(database, this.#sources, work)), true);
    }
  }

  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async probe(): Promise<void> {
    const { queue, database } = this.#writer ?? (await this.#requireWriter());
    // Writes a page with an unchanged value.
    await queue.write(() => {
      database.exec(`PRAGMA user_version = ${schemaVersion}`);
    });
  }

  /** @throws StorageError if the disk is still full */
  #requireWriter(): Promise<Writer> {
    this.#opening ??= this.#openAgain().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openAgain(): Promise<Writer> {
    let writer: Writer | undefined;
    try {
      writer = new Writer(this.#folder, this.#listeners);
      const reader = new Reader(openReadOnly(join(this.#folder, databaseFile)));
      const before = this.#reader;
      this.#reader = reader;
      // This reader ignores the write-ahead log: a checkpoint could change the database while it reads.
      await before.end();
      await this.#onWritable();
      this.#writer = writer;
      return writer;
    } catch (error) {
      await writer?.close();
      throw error instanceof StartError && isFull(error) ? storageError('full', error) : error;
    }
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#writer?.queue.drain();
    await this.#reader.end();
    await this.#writer?.close();
  }
}

/** The connections that write, one at a time: in this thread, and in one of its own for large writes. */
class Writer {
  readonly database: DatabaseSync;
  readonly queue: WriteQueue;
  readonly session: Session;
  readonly largeWrites: LargeWrites;

  /** @throws StartError */
  constructor(folder: string, listeners: readonly (() => void)[]) {
    this.database = openDatabase(folder);
    const path = join(folder, databaseFile);
    const requireFiles = createFileCheck([path, `${path}-wal`]);
    const onCommit = (): void => {
      for (const listener of listeners) listener();
    };
    this.queue = new WriteQueue(this.database, { requireFiles, onCommit });
    this.session = new Session(this.database, false);
    this.largeWrites = new LargeWrites(path);
  }

  /** The last connection to be closed removes the log. */
  async close(): Promise<void> {
    await this.largeWrites.close();
    this.database.close();
  }
}

/**
 * Runs reads one after the other, on one connection. More connections would not help: the work of a read awaits only its
 * own statements, which are synchronous. It must not begin another read, which would wait for it.
 */
class Reader {
  readonly #session: Session;
  readonly #transaction: ReadTransaction;
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: DatabaseSync) {
    this.#session = new Session(database);
    this.#transaction = createReaders(this.#session);
  }

  /** Runs work in a read of its own. It sees the state at its first statement. */
  run<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    const reading = this.#last.then(() => this.#read(work));
    this.#last = reading.catch(() => undefined);
    return reading;
  }

  async #read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    const { database } = this.#session;
    try {
      database.exec('BEGIN');
    } catch (error) {
      throw translateError(error);
    }
    try {
      return await this.#session.use(() => work(this.#transaction));
    } finally {
      try {
        if (database.isTransaction) database.exec('COMMIT');
      } catch {
        // The next read fails to begin, and reports the error.
      }
    }
  }

  /** Closes the connection after the reads that have begun. None may begin any more. */
  async end(): Promise<void> {
    await this.#last;
    this.#session.database.close();
  }
}
