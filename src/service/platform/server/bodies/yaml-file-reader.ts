import { Piscina } from 'piscina';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import type { ReceivedFile } from '../../attachments/attachments.ts';
import type { Faults } from '../../yaml/read-yaml-file.ts';
import { SerialQueue } from './serial-queue.ts';

/** Larger files are parsed in a worker thread, so that other requests do not wait. In bytes. */
const largeFile = 32 * 1024;

/** Memory limits of the worker, in MiB; it holds a text of 10 MiB several times. */
const memory = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 };

/** Parses YAML files of one kind without blocking the event loop, one large file at a time. */
export class YamlFileReader<Reading> {
  readonly #parse: (file: Uint8Array) => Reading;
  readonly #module: URL;
  readonly #largeFiles = new SerialQueue();

  /** @param module exports the parser, under its name */
  constructor(parse: (file: Uint8Array) => Reading, module: URL) {
    this.#parse = parse;
    this.#module = module;
  }

  /** Parses a file. A large one is loaded when its turn comes, so that only one is in memory. */
  async read({ size, bytes }: Pick<ReceivedFile, 'size' | 'bytes'>): Promise<Reading | { readonly faults: Faults }> {
    if (size <= largeFile) return this.#parse(await bytes());
    return this.#largeFiles.run(async () => this.#parseInWorker(await bytes()));
  }

  async #parseInWorker(bytes: Uint8Array): Promise<Reading | { readonly faults: Faults }> {
    // The pool serves one file, so that no owner has to close it.
    const pool = new Piscina({
      ...{ filename: this.#module.href, minThreads: 0, maxThreads: 1 },
      // Without the flags of the service.
      ...{ resourceLimits: memory, execArgv: [] },
    });
    try {
      const reading: unknown = await pool.run(bytes, { name: this.#parse.name });
      // The worker called the function of this name.
      return reading as Reading;
    } catch (error) {
      if (textAt(error, 'code') !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      return { faults: ['takes too much memory to parse'] };
    } finally {
      await pool.destroy();
    }
  }
}
