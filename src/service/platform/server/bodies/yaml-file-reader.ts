import { Worker } from 'node:worker_threads';
import { readPolicy } from '../../../policy/read-policy.ts';
import { readTemplate } from '../../../template/read-template.ts';
import type { ReceivedFile } from '../../attachments/attachments.ts';
import { SerialQueue } from './serial-queue.ts';

export const yamlParsers = { policy: readPolicy, template: readTemplate } as const;

export type YamlFileKind = keyof typeof yamlParsers;

/** A parsed file, or its faults. */
export type FileReading<Kind extends YamlFileKind> = ReturnType<(typeof yamlParsers)[Kind]>;

/** Larger files are parsed in a worker thread, so that other requests do not wait. In bytes. */
const largeFile = 32 * 1024;

/** Memory limits of the worker, in MiB; it holds a text of 10 MiB several times. */
const memory = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 };

/** Parses YAML files of one kind without blocking the event loop, one large file at a time. */
export class YamlFileReader<Kind extends YamlFileKind> {
  readonly #kind: Kind;
  readonly #largeFiles = new SerialQueue();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Parses a file. A large one is loaded when its turn comes, so that only one is in memory. */
  async read({ size, bytes }: Pick<ReceivedFile, 'size' | 'bytes'>): Promise<FileReading<Kind>> {
    const parse: (file: Uint8Array) => ReturnType<(typeof yamlParsers)[YamlFileKind]> = yamlParsers[this.#kind];
    // Each parser returns the reading of its kind, which the compiler cannot infer.
    if (size <= largeFile) return parse(await bytes()) as FileReading<Kind>;
    return this.#largeFiles.run(async () => readInWorker(this.#kind, await bytes()));
  }
}

function readInWorker<Kind extends YamlFileKind>(kind: Kind, bytes: Uint8Array): Promise<FileReading<Kind>> {
  const worker = new Worker(new URL('./yaml-file-worker.ts', import.meta.url), {
    workerData: { kind, bytes },
    resourceLimits: memory,
    // Without the flags of the service.
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    worker.once('message', (reading: FileReading<Kind>) => {
      resolve(reading);
    });
    worker.once('error', (error: Error & { readonly code?: string }) => {
      const faults = { faults: ['takes too much memory to parse'] } as const;
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(faults as unknown as FileReading<Kind>);
      else reject(error);
    });
    worker.once('exit', () => {
      reject(new Error('the worker thread for YAML files exited without a result'));
    });
  });
}
