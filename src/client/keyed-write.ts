import { createHash } from 'node:crypto';
import type { Endpoint, RecordPlace } from '../contract/endpoint.ts';
import { idempotencyDataKey } from '../contract/idempotency.ts';
import { isMapping, valueAt } from '../runtime/untrusted-data.ts';
import { idempotencyKey, type WriteContent, type WriteIdentity } from './idempotency-key.ts';
import type { FilePart } from './request-body.ts';

// Loaded with the first write: Node's `crypto` takes milliseconds to load, which steps that only read need not pay.
export { WriteAttempts } from './write-attempts.ts';

/** What a request sends. */
interface WriteCall extends Omit<WriteContent, 'file'> {
  readonly file?: FilePart | undefined;
}

interface KeySource {
  /** Undefined if no step sends the request. */
  readonly identity: WriteIdentity | undefined;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Whether the record of an earlier attempt no longer counts, so that the same evidence is recorded once more. */
  readonly recordsAgain: boolean;
}

/**
 * The idempotency key of a request. If the endpoint appends a record, the same step with the same content has the same
 * key in every attempt of the run, so that the same evidence is recorded once, as long as it counts. Otherwise only the
 * retries of one execution share the key, so that a step that runs again sets the state again. Nothing that GitHub sets
 * identifies an execution: two calls of a reusable workflow have the same `GITHUB_JOB`, two uses of a composite action in
 * a job the same `GITHUB_ACTION`, and another step may have changed the state in between.
 */
export async function createKey(endpoint: Endpoint, call: WriteCall, source: KeySource): Promise<string> {
  const { identity = {}, random, recordsAgain } = source;
  const { file } = call;
  const digested = file === undefined ? undefined : ([file.filename, await digestFile(file)] as const);
  const isOfRun = identity.runId !== undefined && endpoint.repetition.effect === 'appends' && !recordsAgain;
  const execution = isOfRun ? undefined : randomDigits(random);
  return idempotencyKey(endpoint, identity, { ...call, file: digested }, execution);
}

/** The SHA-256 of a file in hex digits. */
async function digestFile(file: FilePart): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of file.open()) sum.update(chunk);
  return sum.digest('hex');
}

function randomDigits(random: () => number): string {
  return Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
}

const keyedPlaces: readonly (RecordPlace | undefined)[] = ['attestation list', 'artifact'];

/** The document with its key, if records of this kind are found by it. */
export function withRecordedKey({ repetition }: Endpoint, document: unknown, key: string): unknown {
  if (repetition.effect !== 'appends' || !keyedPlaces.includes(repetition.recordedIn) || !isMapping(document)) {
    return document;
  }
  const data = valueAt(document, 'user_data');
  return { ...document, user_data: { ...(isMapping(data) ? data : {}), [idempotencyDataKey]: key } };
}
