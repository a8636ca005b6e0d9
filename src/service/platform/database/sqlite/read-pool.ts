import { createReaders, type ReadTransaction } from '../storage.ts';
import { translateError } from './database.ts';
import type { Session } from './session.ts';

/**
 * The maximum number of concurrent reads. Most reads end in the turn of the event loop in which they begin, so one
 * connection serves nearly all of them.
 */
const maximumReaders = 4;

/** A pool of read-only connections. A read waits if none is free. */
export class ReadPool {
  readonly #open: () => Session;
  readonly #free: Session[] = [];
  readonly #sessions: Session[] = [];
  readonly #waiting: ((session: Session) => void)[] = [];

  /** Opens the first connection immediately, so that an error is reported at the start of the service. */
  constructor(open: () => Session) {
    this.#open = open;
    const first = open();
    this.#sessions.push(first);
    this.#free.push(first);
  }

  /** Runs work in a read of its own. It sees the state at its first statement. */
  async run<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    const session = this.#acquire() ?? (await this.#wait());
    try {
      beginRead(session);
      return await session.use(() => work(createReaders(session)));
    } finally {
      endRead(session);
      this.#release(session);
    }
  }

  /** Closes the pool after the reads that have begun. None may begin any more. */
  async end(): Promise<void> {
    const running = this.#sessions.length - this.#free.length;
    await Promise.all(Array.from({ length: running }, () => this.#wait()));
    for (const { database } of this.#sessions) database.close();
  }

  #acquire(): Session | undefined {
    const free = this.#free.pop();
    if (free !== undefined || this.#sessions.length >= maximumReaders) return free;
    try {
      const session = this.#open();
      this.#sessions.push(session);
      return session;
    } catch (error) {
      throw translateError(error);
    }
  }

  #wait(): Promise<Session> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #release(session: Session): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(session);
    else next(session);
  }
}

/** @throws StorageError if the database fails */
function beginRead({ database }: Session): void {
  try {
    database.exec('BEGIN');
  } catch (error) {
    throw translateError(error);
  }
}

/** Ends a read. Its result does not depend on it. */
function endRead({ database }: Session): void {
  try {
    if (database.isTransaction) database.exec('COMMIT');
  } catch {
    // The next read fails to begin, and reports the error.
  }
}
