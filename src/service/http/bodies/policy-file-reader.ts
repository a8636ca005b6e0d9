import { Worker } from 'node:worker_threads';
import { readPolicy, type PolicyReading } from '../../domain/policy/read-policy.ts';
import type { ReceivedFile } from '../../storage/attachments.ts';
import { SerialQueue } from './serial-queue.ts';

/** Larger files are parsed in a worker thread, so that other requests do not wait. In bytes. */
const largeFile = 32 * 1024;

/** Memory limits of the worker, in MiB; it holds a text of 10 MiB several times. */
const memory = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 };

/** Parses policy files without blocking the event loop, one large file at a time. */
export class PolicyFileReader {
  readonly #largeFiles = new SerialQueue();

  /** Like `readPolicy`. A large file is loaded when its turn comes, so that only one is in memory. */
  async read({ size, bytes }: Pick<ReceivedFile, 'size' | 'bytes'>): Promise<PolicyReading> {
    if (size <= largeFile) return readPolicy(await bytes());
    return this.#largeFiles.run(async () => readInWorker(await bytes()));
  }
}

function readInWorker(bytes: Uint8Array): Promise<PolicyReading> {
  const worker = new Worker(new URL('./policy-file-worker.ts', import.meta.url), {
    workerData: bytes,
    resourceLimits: memory,
    // Without the flags of the service.
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    worker.once('message', (reading: PolicyReading) => {
      resolve(reading);
    });
    worker.once('error', (error: Error & { readonly code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ faults: ['takes too much memory to parse'] });
      else reject(error);
    });
    worker.once('exit', () => {
      reject(new Error('the worker thread for policy files exited without a result'));
    });
  });
}
