import { hash } from 'node:crypto';
import type { Endpoint } from '../contract/endpoint.ts';
import { withoutFields } from '../contract/idempotency.ts';
import { endpointLabel } from './service-error.ts';

/** The step of a GitHub run that sends a request. What GitHub did not set is undefined. */
export interface WriteIdentity {
  /** `owner/name`. */
  readonly repository?: string | undefined;
  readonly runId?: string | undefined;
  /** The job's key in the workflow. */
  readonly job?: string | undefined;
  /** The matrix values of the job; undefined outside a matrix. */
  readonly matrix?: unknown;
  /** GitHub's id of the step (`GITHUB_ACTION`). */
  readonly step?: string | undefined;
}

/** The parts of a request that determine its idempotency key. */
export interface WriteContent {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly document?: unknown;
  /** The name of the file, and the SHA-256 of its content in hex digits. */
  readonly file?: readonly [name: string, digest: string] | undefined;
}

/**
 * The idempotency key of a request. It begins with the id of the run, which grows, so that keys of the same time are
 * neighbours in the index of the service.
 *
 * @param execution random for each call, if only its retries share the key; undefined if the same step with the same
 * content has the same key in every attempt of the run
 */
export function idempotencyKey(
  endpoint: Endpoint,
  { repository, runId, job, matrix, step }: WriteIdentity,
  content: WriteContent,
  execution: string | undefined,
): string {
  const label = endpointLabel(endpoint);
  const digest = sha256([label, repository, runId, execution, job, matrix, step, contentDigest(endpoint, content)]);
  return /^\d{1,20}$/u.test(runId ?? '') ? `${runId}-${digest}` : digest;
}

/** Whether a step of this run can have sent a request with the key. */
export function isKeyOfRun(key: string, runId: string): boolean {
  return key.startsWith(`${runId}-`);
}

/**
 * The digest of what the service compares when it gets a key again. The order of keys counts, because the service, too,
 * compares the document as it was sent.
 */
function contentDigest({ repetition }: Endpoint, { parameters, query = {}, document, file }: WriteContent): string {
  const volatile = repetition.effect === 'appends' ? repetition.volatile : [];
  return sha256([parameters, query, withoutFields(document, volatile), file]);
}

/** In base64url: 43 characters. */
function sha256(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url');
}
