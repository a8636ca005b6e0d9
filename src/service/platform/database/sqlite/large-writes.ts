import type { SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Database, Statement, StatementResult, Value } from '../database.ts';
import { translateError } from './database.ts';
import { toSqliteValue } from './session.ts';

export interface StatementRequest {
  readonly sqlite: string;
  readonly values: readonly SQLInputValue[];
}

export interface StatementAnswer extends StatementResult {
  /** An error loses its other properties between threads. */
  readonly fault?: { readonly message: string; readonly errcode: unknown };
}

/** The thread ends after this many milliseconds without a transaction, because it holds memory. */
const idleMilliseconds = 10_000;

/**
 * Runs transactions in a worker thread with a connection of its own. A large one would block the event loop for
 * hundreds of milliseconds, most of them in its commit. Small ones are not run here, because each statement takes a
 * message to the thread and one back.
 */
export class LargeWrites {
  readonly #path: string;
  #thread: WriterThread | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs a transaction and commits it. No other connection may be writing, and only one may run at a time. */
  async run<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    clearTimeout(this.#idle);
    if (this.#thread?.hasEnded !== false) this.#thread = new WriterThread(this.#path);
    const thread = this.#thread;
    try {
      await thread.execute({ sqlite: 'BEGIN IMMEDIATE' });
      const result = await work(thread);
      await thread.execute({ sqlite: 'COMMIT' });
      return result;
    } catch (error) {
      // If this fails, too, SQLite has rolled back, or does so when the thread ends.
      await thread.execute({ sqlite: 'ROLLBACK' }).catch(() => undefined);
      throw error;
    } finally {
      this.#idle = setTimeout(() => void this.close(), idleMilliseconds).unref();
    }
  }

  /** Ends the thread. No transaction may run any more. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }
}

/** A connection in a worker thread. Outside of a transaction, it refuses statements. */
class WriterThread implements Database {
  readonly #worker: Worker;
  /** The statements that were not answered; they are answered in their order. */
  readonly #waiting: PromiseWithResolvers<StatementAnswer>[] = [];
  hasEnded = false;

  constructor(path: string) {
    this.#worker = new Worker(new URL('./large-writes-worker.ts', import.meta.url), {
      workerData: path,
      // Without the flags of the service.
      execArgv: [],
    });
    this.#worker.on('message', (answer: StatementAnswer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on('error', (error) => {
      this.#fail(error);
    });
    this.#worker.on('exit', () => {
      this.#fail(new Error('the thread that writes has ended'));
    });
  }

  execute({ sqlite }: Pick<Statement, 'sqlite'>, values: readonly Value[] = []): Promise<StatementResult> {
    return this.#ask({ sqlite, values: values.map(toSqliteValue) });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask(request: StatementRequest): Promise<StatementAnswer> {
    if (this.hasEnded) throw new Error('the thread that writes has ended');
    const waiting = Promise.withResolvers<StatementAnswer>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(request);
    const answer = await waiting.promise;
    if (answer.fault === undefined) return answer;
    const { message, errcode } = answer.fault;
    throw translateError(Object.assign(new Error(message), { errcode }));
  }

  #fail(error: unknown): void {
    this.hasEnded = true;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
