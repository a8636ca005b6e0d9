import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { Flow } from '../../../../src/service/domain/records.ts';
import { Connections } from '../../../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../src/service/storage/postgres/database-url.ts';
import { PostgresStorage } from '../../../../src/service/storage/postgres/postgres-storage.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { Records } from '../../../support/records.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';

describe('reads of a PostgreSQL storage that begin at the same time', () => {
  let database: TestDatabase;
  let connections: Connections;
  let storage: PostgresStorage;

  const open = (): PostgresStorage => new PostgresStorage(connections, storageDependencies());
  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    connections = new Connections(parseDatabaseUrl(database.url));
    storage = open();
    await new Records(storage).createOrganization('acme', 1);
    await saveFlow('web');
  });
  afterEach(async () => {
    await storage.close();
    await database.drop();
  });

  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const saveFlow = (name: string, description = ''): Promise<unknown> =>
    new Records(storage).saveFlow(
      { org: 'acme', name, description, template: [], visibility: undefined, repoUrl: undefined },
      2,
    );
  const findFlow = (name: string): Promise<Flow | undefined> =>
    storage.read(async ({ flows }) => {
      // Two statements, one after the other.
      await flows.count('acme', {});
      return flows.find('acme', name);
    });

  it('share a transaction', async () => {
    const acquired = jest.spyOn(connections, 'acquire');
    const found = await Promise.all(['web', 'api', 'web'].map(findFlow));
    expect(found.map((flow) => flow?.name)).toEqual(['web', undefined, 'web']);
    expect(acquired).toHaveBeenCalledTimes(1);
  });

  it('use several transactions if they are many', async () => {
    const acquired = jest.spyOn(connections, 'acquire');
    await Promise.all(Array.from({ length: 70 }, () => findFlow('web')));
    expect(acquired).toHaveBeenCalledTimes(3);
  });

  it('see everything that was committed before they began', async () => {
    for (let number = 1; number <= 20; number += 1) {
      const earlier = findFlow('web');
      await saveFlow(`flow-${number}`);
      const [found] = await Promise.all([findFlow(`flow-${number}`), earlier]);
      expect(found?.name).toBe(`flow-${number}`);
    }
  });

  it('use no value that was cached from a later state, also if they are told late what theirs is', async () => {
    await findFlow('web');
    const acquire = connections.acquire.bind(connections);
    const [seen, told] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    jest.spyOn(connections, 'acquire').mockImplementationOnce(async () => {
      const client = await acquire();
      const query = client.query.bind(client);
      const ask = async (...parameters: readonly unknown[]): Promise<unknown> => {
        const answer: unknown = await Reflect.apply(query, client, parameters);
        if (nameOf(parameters[0]) === 'changes.find') {
          seen.resolve(undefined);
          await told.promise;
        }
        return answer;
      };
      jest.spyOn(client, 'query').mockImplementation((...parameters: unknown[]): unknown => ask(...parameters));
      return client;
    });
    const reading = storage.read(({ flows }) =>
      Promise.all([flows.list('acme', {}, { offset: 0, limit: 1 }), flows.find('acme', 'web')]),
    );
    await seen.promise;
    await saveFlow('web', 'changed');
    expect(await findFlow('web')).toMatchObject({ description: 'changed' });
    told.resolve(undefined);
    const [[listed], found] = await reading;
    expect([listed?.description, found?.description]).toEqual(['', '']);
  });

  it('end before the storage is closed, also if they wait for others', async () => {
    const found = Promise.all(Array.from({ length: 60 }, () => findFlow('web')));
    await storage.close();
    expect(await found).toHaveLength(60);
    connections = new Connections(parseDatabaseUrl(database.url));
    storage = open();
  });

  it('do not fail because another one does', async () => {
    // PostgreSQL refuses this character.
    const [good, bad, other] = await Promise.allSettled(['web', '\0', 'web'].map(findFlow));
    expect(good).toMatchObject({ status: 'fulfilled', value: { name: 'web' } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: '22021' } });
    expect(other).toMatchObject({ status: 'fulfilled', value: { name: 'web' } });
    expect((await findFlow('web'))?.name).toBe('web');
  });

  it.each([
    // It has not been handed to the group, or it waits for others to share its statement.
    { turns: 0, isSent: false },
    { turns: 20, isSent: true },
  ])('send nothing after their transaction, if they fail $turns turns after a lookup', async ({ turns, isSent }) => {
    const acquire = connections.acquire.bind(connections);
    let sent: jest.SpiedFunction<PoolClient['query']> | undefined;
    jest.spyOn(connections, 'acquire').mockImplementation(async () => {
      const client = await acquire();
      sent = jest.spyOn(client, 'query');
      return client;
    });
    const failing = storage.read(async ({ flows, artifacts }) => {
      await flows.count('acme', {});
      artifacts.findLatest({ org: 'acme', flow: 'web' }, 'f'.repeat(64)).catch(() => undefined);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      throw new Error('found no report');
    });
    await expect(failing).rejects.toThrow('found no report');
    await settle();
    const names = sent?.mock.calls.map(([statement]: readonly unknown[]) => nameOf(statement)) ?? [];
    const lookup = isSent ? ['artifacts.findLatest'] : [];
    expect(names.slice(2)).toEqual(['flows.count', ...lookup, 'COMMIT']);
  });
});

function nameOf(statement: unknown): unknown {
  return typeof statement === 'object' && statement !== null && 'name' in statement ? statement.name : statement;
}
