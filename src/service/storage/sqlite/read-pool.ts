import type { ReadTransaction } from '../storage.ts';
import { translateError } from './database.ts';
import type { Session } from './session.ts';

/** A read-only connection with its repositories. */
export interface Reader {
  readonly session: Session;
  readonly transaction: ReadTransaction;
}

/**
 * The maximum number of concurrent reads. Most reads end in the turn of the event loop in which they begin, so one
 * connection serves nearly all of them.
 */
const maximumReaders = 4;

/** A pool of read-only connections. A read waits if none is free. */
export class ReadPool {
  readonly #open: () => Reader;
  readonly #free: Reader[] = [];
  readonly #readers: Reader[] = [];
  readonly #waiting: ((reader: Reader) => void)[] = [];

  /** Opens the first connection immediately, so that an error is reported at the start of the service. */
  constructor(open: () => Reader) {
    this.#open = open;
    const first = open();
    this.#readers.push(first);
    this.#free.push(first);
  }

  /** Runs work in a read of its own. It sees the state at its first statement. */
  async run<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    const reader = this.#acquire() ?? (await this.#wait());
    const { session, transaction } = reader;
    try {
      return await session.use(async () => {
        await session.execute(() => {
          session.database.exec('BEGIN');
        });
        return work(transaction);
      });
    } finally {
      endRead(session);
      this.#release(reader);
    }
  }

  close(): void {
    for (const { session } of this.#readers) session.database.close();
  }

  #acquire(): Reader | undefined {
    const free = this.#free.pop();
    if (free !== undefined || this.#readers.length >= maximumReaders) return free;
    try {
      const reader = this.#open();
      this.#readers.push(reader);
      return reader;
    } catch (error) {
      throw translateError(error);
    }
  }

  #wait(): Promise<Reader> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #release(reader: Reader): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(reader);
    else next(reader);
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
