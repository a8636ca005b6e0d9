import { tmpdir } from 'node:os';
import { type After, systemClock } from '../../src/runtime/clock.ts';
import { parseApiKey } from '../../src/service/account/api-key.ts';
import type { DatabaseOptions } from '../../src/service/platform/database/postgres/open-postgres.ts';
import type { StorageDependencies } from '../../src/service/platform/database/storage.ts';
import { startLocalService } from '../../tools/local-service.ts';
import { attestationForm, sampleAttestation } from './service-samples.ts';

/** The organization of services that share a database, and the key of its admin. */
export const sharedOrg = 'acme';
export const sharedKey = `first0key_${'k'.repeat(43)}`;

/** A service of this process, or of another one, that shares its database with others. */
export interface ServiceInstance {
  readonly url: string;
  /** Ends in `/api/v2`. */
  readonly baseUrl: string;
  /** What it logged about errors. */
  readonly errors: readonly string[];
  stop(): Promise<void>;
}

/** Shortens delays of 5 seconds and more, such as those before retries, to a twentieth. */
const hurriedAfter: After = (milliseconds, fire) =>
  systemClock.after(milliseconds >= 5000 ? milliseconds / 20 : milliseconds, fire);

/** Starts a service in this process. The caller must stop it. */
export function startInstance(
  database: DatabaseOptions,
  sources: Partial<StorageDependencies> = {},
): Promise<ServiceInstance> {
  const first = { org: sharedOrg, key: parseApiKey(sharedKey) };
  return startLocalService(
    { dataFolder: tmpdir(), database, first, allowPrivateTargets: true },
    { after: hurriedAfter, ...sources },
  );
}

/** A response whose body was read. */
export interface InstanceAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What is sent. */
interface InstanceRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

/** Sends a request with the admin's key. */
export async function ask(
  baseUrl: string,
  path: string,
  { headers, ...rest }: InstanceRequest = {},
): Promise<InstanceAnswer> {
  const response = await fetch(baseUrl + path, {
    ...rest,
    headers: { ...headers, authorization: `Bearer ${sharedKey}` },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends a document with the admin's key. */
export function sendJson(
  baseUrl: string,
  method: string,
  path: string,
  document: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<InstanceAnswer> {
  const all = { 'content-type': 'application/json', ...headers };
  return ask(baseUrl, path, { method, headers: all, body: JSON.stringify(document) });
}

/**
 * Attests with the trail's name as the idempotency key.
 *
 * @param content of the attached file; undefined for none
 */
export function attestTrail(
  { baseUrl }: Pick<ServiceInstance, 'baseUrl'>,
  trail: string,
  content?: string | Buffer<ArrayBuffer>,
): Promise<InstanceAnswer> {
  return ask(baseUrl, `/attestations/acme/web/trail/${trail}/sonar`, {
    method: 'POST',
    headers: { 'idempotency-key': `"${trail}"` },
    body: attestationForm(sampleAttestation('OK'), content === undefined ? undefined : { content }),
  });
}

/**
 * Asks a service whether it is ready.
 *
 * @returns `OK`, or the reason that it gives with the status 503 and `Retry-After`
 */
export async function readiness({ url }: Pick<ServiceInstance, 'url'>): Promise<string> {
  const { status, headers, text } = await ask(url, '/ready');
  if (status === 200) return text;
  if (status !== 503 || headers.get('retry-after') !== '10') return `${status} without Retry-After: ${text}`;
  return /the storage is ([\w-]+)/u.exec(text)?.[1] ?? text;
}
