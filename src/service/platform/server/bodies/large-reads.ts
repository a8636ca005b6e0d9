import { Piscina } from 'piscina';
import { ApiError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';
import { SerialQueue } from './serial-queue.ts';

/** Smaller contents are read in the main thread, in bytes. */
const largeContent = 256 * 1024;

/** The most reads of large contents of one organization that wait; each holds memory only when its turn comes. */
const maximumWaiting = 16;

/** Memory limits of the worker, in MiB: enough for the largest contents of two reports of 16 MiB. */
const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** Calls a function of the module of views with a plain value. */
export type Compute = <Input, Result>(view: (input: Input) => Result, input: Input) => Promise<Result>;

export interface LargeRead {
  readonly org: string;
  readonly bytes: number;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Reads large contents one after the other, and works on them in one worker thread, so that other requests do not wait.
 * Work for clients that have left is dropped.
 */
export class LargeReads {
  readonly #pool: Piscina;
  readonly #queue = new SerialQueue();
  /** By organization; one signal for each read. */
  readonly #waiting = new Map<string, Set<AbortSignal>>();

  /** @param views the URL of the module whose exported functions are called */
  constructor(views: URL) {
    this.#pool = new Piscina({
      ...{ filename: views.href, minThreads: 0, maxThreads: 1, maxQueue: 1, idleTimeout: 10_000 },
      // Without the flags of the service.
      ...{ resourceLimits: memory, execArgv: [] },
    });
  }

  /**
   * Reads contents, which must not be loaded before.
   *
   * @throws ApiError 503 if too many reads of the organization wait, or the client has left
   */
  async run<Result>(request: LargeRead, read: (compute: Compute) => Promise<Result>): Promise<Result> {
    try {
      if (request.bytes > largeContent) return await this.#runInTurn(request, read);
      return await read((view, input) => Promise.resolve(view(input)));
    } catch (error) {
      // Not logged as an error, because no client receives the answer.
      throw request.signal.aborted ? overloaded() : error;
    }
  }

  async #runInTurn<Result>({ org, signal }: LargeRead, read: (compute: Compute) => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(org) ?? new Set();
    if ([...waiting].filter(({ aborted }) => !aborted).length >= maximumWaiting) throw overloaded();
    this.#waiting.set(org, waiting.add(signal));
    try {
      return await this.#queue.run(() => {
        signal.throwIfAborted();
        return read((view, input) => this.#compute(view, input, signal));
      });
    } finally {
      waiting.delete(signal);
      if (waiting.size === 0) this.#waiting.delete(org);
    }
  }

  async #compute<Input, Result>(view: (input: Input) => Result, input: Input, signal: AbortSignal): Promise<Result> {
    const result: unknown = await this.#pool.run(input, { name: view.name, signal });
    // The worker called the function of this name.
    return result as Result;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const overloaded = (): ApiError => new ApiError(httpErrors.overloaded, { headers: { 'retry-after': '2' } });
