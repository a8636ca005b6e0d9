import { parentPort, workerData } from 'node:worker_threads';
import { readPolicy } from '../../domain/policy/read-policy.ts';

/* The worker thread of `policy-file-reader.ts`: receives the bytes of a file and posts the parsed policy. */

if (workerData instanceof Uint8Array) parentPort?.postMessage(readPolicy(workerData));
