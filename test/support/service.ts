import { afterAll, beforeAll, expect } from '@jest/globals';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { parseApiKey } from '../../src/service/account/api-key.ts';
import type { StorageDependencies } from '../../src/service/platform/database/storage.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { startLocalService } from '../../tools/local-service.ts';
import { createTestStorage, sqliteStorage, type TestStorage } from './test-storage.ts';

/** Settings that a test can change. */
export interface TestServiceSettings {
  readonly org?: string;
  /** Where the data is. Default: a storage of its own, which is removed when the service stops. */
  readonly storage?: TestStorage;
  /** The data folder of a service on SQLite, for tests of the folder itself. */
  readonly dataFolder?: string;
  readonly options?: Partial<ServiceOptions>;
  readonly sources?: Partial<StorageDependencies>;
}

/** A real service in this process, with an organization, an administrator's key, and the admin API. */
export interface TestService {
  readonly url: string;
  /** Ends in `/api/v2`. */
  readonly baseUrl: string;
  /** Ends in `/admin/v1`; opened by `adminKey`. */
  readonly adminUrl: string;
  readonly adminKey: string;
  readonly org: string;
  /** A key of the role admin in `org`. */
  readonly apiKey: string;
  readonly storage: TestStorage;
  /** What the service logged about defects and errors. */
  readonly errors: readonly string[];
  /** Creates an organization, and returns a key with the role admin in it. */
  createOrganization(name: string): Promise<string>;
  /** The same service with another organization, for a test that shares a service with others. */
  openOrganization(): Promise<TestService>;
  /** The key of the role admin that an organization was created with. */
  keyOf(org: string): string;
  createKey(role: 'admin' | 'member' | 'snapshotter' | 'reader', org?: string): Promise<string>;
  stop(): Promise<void>;
}

/** The key of the admin API of a test service. */
const adminKey = 'the-administration-key-of-a-test';

/** A test works in the service's process, so the event loop waits for it, too. */
const patient = { delay: 0 };

/** Stops a service in which nothing may have failed unnoticed. */
export async function stopWithoutErrors(service: TestService): Promise<void> {
  expect(service.errors).toEqual([]);
  await service.stop();
}

/**
 * Starts one service for all tests of a file.
 *
 * @returns what opens an organization of its own in it for a test
 */
export function shareTestService(settings: TestServiceSettings = {}): () => Promise<TestService> {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(settings);
  });
  afterAll(() => stopWithoutErrors(service));
  return () => service.openOrganization();
}

/** Starts a service on a free port of the loopback interface. The caller must stop it. */
export async function startTestService(settings: TestServiceSettings = {}): Promise<TestService> {
  const { org = 'acme', options, sources } = settings;
  const own = settings.dataFolder === undefined ? settings.storage : sqliteStorage(settings.dataFolder);
  const storage = own ?? (await createTestStorage());
  const apiKey = `first0key_${'k'.repeat(43)}`;
  const service = await startLocalService(
    { ...storage.options, adminKey, first: { org, key: parseApiKey(apiKey) }, load: patient, ...options },
    sources,
  );
  const keys = new Map([[org, apiKey]]);
  const keyOf = (owner: string): string => keys.get(owner) ?? '';
  const createKey = async (role: string, owner: string): Promise<string> => {
    // A different user in every organization, because the name of a user means the same person everywhere.
    const path = `${service.baseUrl}/organizations/${owner}/members/${role}-of-${owner}`;
    await send('PUT', path, keyOf(owner), { role });
    return textOf(await send('POST', `${path}/api-keys`, keyOf(owner), {}), 'key');
  };
  const createOrganization = async (name: string, admin = `admin-of-${name}`): Promise<string> => {
    const path = `${service.adminUrl}/organizations`;
    const created = await send('POST', path, adminKey, { name, admin });
    const key = textOf(valueAt(created, 'api_key'), 'key');
    keys.set(name, key);
    return key;
  };
  const open = (org: string): TestService => ({
    url: service.url,
    baseUrl: service.baseUrl,
    adminUrl: service.adminUrl,
    adminKey,
    org,
    apiKey: keyOf(org),
    storage,
    errors: service.errors,
    createOrganization,
    openOrganization: async () => {
      const name = `${settings.org ?? 'acme'}-${keys.size}`;
      await createOrganization(name, 'admin');
      return open(name);
    },
    createKey: (role, owner = org) => createKey(role, owner),
    keyOf,
    stop: async () => {
      await service.stop();
      if (own === undefined) await storage.remove();
    },
  });
  return open(org);
}

async function send(method: string, url: string, key: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status >= 300) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

function textOf(answer: unknown, key: string): string {
  const value: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, key) : undefined;
  if (typeof value !== 'string') throw new TypeError(`the response has no ${key}`);
  return value;
}
