import { parentPort, workerData } from 'node:worker_threads';
import { isMapping } from '../../../../runtime/untrusted-data.ts';
import { yamlParsers } from './yaml-file-reader.ts';

/* The worker thread of `yaml-file-reader.ts`: receives the kind and the bytes of a file, and posts what it contains. */

const received: unknown = workerData;
if (isMapping(received)) {
  const { kind, bytes } = received;
  if ((kind === 'policy' || kind === 'template') && bytes instanceof Uint8Array) {
    parentPort?.postMessage(yamlParsers[kind](bytes));
  }
}
