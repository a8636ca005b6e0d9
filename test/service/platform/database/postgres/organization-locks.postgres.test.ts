import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Flow } from '../../../../../src/service/flow/flow.ts';
import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { PostgresStorage } from '../../../../../src/service/platform/database/postgres/postgres-storage.ts';
import {
  allOrganizations,
  type ReadTransaction,
  type WriteTransaction,
} from '../../../../../src/service/platform/database/storage.ts';
import { type BorrowedDatabase, borrowTestDatabase } from '../../../../support/postgres.ts';
import { waitForOrganizationLock } from '../../../../support/postgres-transactions.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';

const orgs = ['acme', 'beta', 'core'];

describe('transactions of several organizations in PostgreSQL', () => {
  let database: BorrowedDatabase;
  let connections: Connections;
  let storage: PostgresStorage;
  /** Another process. */
  let other: PostgresStorage;

  beforeEach(async () => {
    database = await borrowTestDatabase();
    const open = (): Connections => new Connections(parseDatabaseUrl(database.url));
    connections = open();
    storage = new PostgresStorage(connections, storageDependencies());
    other = new PostgresStorage(open(), storageDependencies());
    for (const org of orgs) await storage.transaction(org, ({ organizations }) => organizations.insert(org, 1));
  });
  afterEach(async () => {
    await storage.close();
    await other.close();
    await database.giveBack();
  });

  const saveFlow = async ({ flows }: WriteTransaction, org: string, name: string): Promise<void> => {
    const rest = { description: '', template: [], visibility: undefined, repoUrl: undefined };
    await flows.save({ org, name, ...rest, lastModifiedAt: 1 });
  };
  const write = (org: string, name = 'web', by = storage): Promise<void> =>
    by.transaction(org, (transaction) => saveFlow(transaction, org, name));
  const recorded = (): Promise<readonly string[]> =>
    storage.read(async ({ flows }) => {
      const found: string[] = [];
      for (const org of orgs) {
        for (const { name } of await flows.list(org, {}, { offset: 0, limit: 100 })) found.push(`${org} ${name}`);
      }
      return found;
    });

  it('do not wait for one that another process has locked', async () => {
    const [held, locked] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const holding = other.transaction('beta', async () => {
      locked.resolve(undefined);
      await held.promise;
    });
    await locked.promise;
    const waiting = write('beta');
    await Promise.all([write('acme'), write('core')]);
    expect(await recorded()).toEqual(['acme web', 'core web']);
    held.resolve(undefined);
    await Promise.all([holding, waiting]);
    expect(await recorded()).toContain('beta web');
  });

  it('take one connection for each organization, however many of them wait', async () => {
    const [held, locked] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const holding = storage.transaction('beta', async () => {
      locked.resolve(undefined);
      await held.promise;
    });
    await locked.promise;
    const acquired = jest.spyOn(connections, 'acquire');
    const waiting = Array.from({ length: 30 }, (_, number) => write('beta', `flow-${number}`));
    await write('acme');
    expect(await recorded()).toEqual(['acme web']);
    expect(acquired).toHaveBeenCalledTimes(2);
    held.resolve(undefined);
    await Promise.all([holding, ...waiting]);
    expect(await recorded()).toHaveLength(31);
  });

  it('see what another process has changed while they waited for it', async () => {
    await write('acme');
    const find = ({ flows }: ReadTransaction): Promise<Flow | undefined> => flows.find('acme', 'web');
    expect(await storage.read(find)).toMatchObject({ description: '' });
    let looking: Promise<Flow | undefined> | undefined;
    await other.transaction('acme', async (transaction) => {
      looking = storage.transaction('acme', find);
      expect(await waitForOrganizationLock(database.url)).toBe(true);
      const flow = await find(transaction);
      if (flow !== undefined) await transaction.flows.save({ ...flow, description: 'changed' });
    });
    expect(await looking).toMatchObject({ description: 'changed' });
  });

  it('are recorded if others of the same organization fail', async () => {
    const failing = storage.transaction('core', () => Promise.reject(new RangeError('on purpose')));
    const outcomes = await Promise.allSettled([write('core', 'api'), failing, write('core', '\0'), write('core')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await expect(failing).rejects.toThrow(RangeError);
    expect(outcomes[2]).toMatchObject({ reason: { code: '22021' } });
    expect(await recorded()).toEqual(['core api', 'core web']);
  });

  it('fail if a statement failed that their work did not wait for', async () => {
    const careless = storage.transaction('acme', async (transaction) => {
      await saveFlow(transaction, 'acme', 'web');
      await saveFlow(transaction, 'acme', '\0').catch(() => undefined);
    });
    await expect(careless).rejects.toMatchObject({ code: '22021' });
    expect(await recorded()).toEqual([]);
  });

  it('end if those of two processes, and of all organizations, wait for each other', async () => {
    const names = Array.from({ length: 12 }, (_, number) => `flow-${10 + number}`);
    const writes = names.map((name) =>
      Promise.all([
        ...orgs.map((org) => write(org, name)),
        ...orgs.toReversed().map((org) => write(org, `${name}-of-other`, other)),
        other.transaction(allOrganizations, (transaction) => saveFlow(transaction, 'acme', `${name}-of-all`)),
      ]),
    );
    await Promise.all(writes);
    expect(await recorded()).toHaveLength(12 * 7);
  });
});
