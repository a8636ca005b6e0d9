import { parentPort, workerData } from 'node:worker_threads';
import { readPolicy } from '../../domain/policy/read-policy.ts';

/* The thread of `policy-file-reader.ts`: gets the bytes of a file and answers what was read. */

if (workerData instanceof Uint8Array) parentPort?.postMessage(readPolicy(workerData));
