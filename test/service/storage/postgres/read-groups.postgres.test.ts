import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

  const saveFlow = (name: string): Promise<unknown> =>
    new Records(storage).saveFlow(
      { org: 'acme', name, description: '', template: [], visibility: undefined, repoUrl: undefined },
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
    // The first one does not wait for the others.
    expect(acquired).toHaveBeenCalledTimes(2);
  });

  it('use several transactions if they are many', async () => {
    const acquired = jest.spyOn(connections, 'acquire');
    await Promise.all(Array.from({ length: 40 }, () => findFlow('web')));
    expect(acquired).toHaveBeenCalledTimes(4);
  });

  it('see everything that was committed before they began', async () => {
    for (let number = 1; number <= 20; number += 1) {
      const earlier = findFlow('web');
      await saveFlow(`flow-${number}`);
      const [found] = await Promise.all([findFlow(`flow-${number}`), earlier]);
      expect(found?.name).toBe(`flow-${number}`);
    }
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

  it('do not disturb others if they fail before their lookups are sent', async () => {
    const failing = storage.read(async ({ flows, artifacts }) => {
      await flows.count('acme', {});
      // PostgreSQL refuses this character; nothing waits for the answer.
      artifacts.findLatest({ org: 'acme', flow: 'web' }, '\0').catch(() => undefined);
      throw new Error('found no report');
    });
    await expect(failing).rejects.toThrow('found no report');
    for (let number = 1; number <= 20; number += 1) expect((await findFlow('web'))?.name).toBe('web');
  });
});
