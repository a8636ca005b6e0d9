import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseFile } from '../../../../../src/service/platform/attachments/files/data-folder.ts';
import type { Database } from '../../../../../src/service/platform/database/database.ts';
import { openDatabase, openReadOnly } from '../../../../../src/service/platform/database/sqlite/database.ts';
import { LargeWrites } from '../../../../../src/service/platform/database/sqlite/large-writes.ts';
import { SqliteStorage } from '../../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { toRunningArtifacts } from '../../../../../src/service/snapshot/running-artifact.ts';
import { pod } from '../../../../support/environment-samples.ts';
import { Records } from '../../../../support/records.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';
import { createDataFolder } from '../../../../support/test-storage.ts';

let folder: string;
beforeEach(async () => {
  folder = await createDataFolder();
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const names = (): readonly unknown[] => {
  const database = openReadOnly(join(folder, databaseFile));
  const rows = database.prepare('SELECT org FROM organizations ORDER BY org').all();
  database.close();
  return rows.map(({ org }) => org);
};

describe('a transaction with a large text', () => {
  const report = (images: Readonly<Record<string, string>>) => ({
    ...{ org: 'acme', environment: 'prod', kind: 'K8S' as const },
    artifacts: toRunningArtifacts([pod('pod-1', images)], ['podName']),
  });
  const large = report({ ['x'.repeat(1024 * 1024)]: 'a'.repeat(64), web: 'b'.repeat(64) });
  const small = report({ web: 'b'.repeat(64) });

  it('is committed between the others, and one that was begun before the storage is closed', async () => {
    const storage = new SqliteStorage(folder, storageDependencies());
    const records = new Records(storage);
    await records.createOrganization('acme', 1);
    await records.saveEnvironment({ org: 'acme', name: 'prod', kind: 'K8S', user: 'ann' }, 2);
    const others = ['one', 'two', 'three'].map((name) => records.createOrganization(name, 1));
    expect(await records.recordReport(large, 3)).toEqual({ outcome: 'snapshot made' });
    // It is small, but is compared with a large one.
    expect(await records.recordReport(small, 4)).toEqual({ outcome: 'snapshot made' });
    expect(await records.recordReport(large, 5)).toEqual({ outcome: 'snapshot made' });
    await Promise.all(others);
    await records.savePolicy(
      {
        ...{ org: 'acme', name: 'strict', comment: '', text: 'x', user: 'ann' },
        rules: { _schema: 'x', artifacts: {} },
      },
      7,
    );
    const changed = records.attachPolicies({ org: 'acme', environment: 'prod', policies: ['strict'], user: 'ann' }, 8);
    await storage.close();
    expect(await changed).toBe('changed');
    // The thread has closed its connection, too.
    expect(existsSync(join(folder, `${databaseFile}-wal`))).toBe(false);
    expect(names()).toEqual(['acme', 'one', 'three', 'two']);
    const again = new SqliteStorage(folder, storageDependencies());
    const part = { offset: 0, limit: 10, ascending: true };
    const found = await new Records(again).listSnapshots({ org: 'acme', environment: 'prod', part, now: 9 });
    expect(found?.map(({ from, compliant }) => [from, compliant])).toEqual([
      ...[3, 4, 5].map((from) => [from, null]),
      [8, true],
    ]);
    await again.close();
  });
});

describe('the thread for large writes', () => {
  let writes: LargeWrites;
  beforeEach(() => {
    openDatabase(folder).close();
    writes = new LargeWrites(join(folder, databaseFile));
  });
  afterEach(() => writes.close());

  const insertion = {
    ...{ name: 'test.insert', postgres: '' },
    sqlite: 'INSERT INTO organizations (org, created_at) VALUES (?, 1)',
  };
  const insert = async (database: Database, name: string): Promise<number> =>
    (await database.execute(insertion, [name])).changes;

  it('rolls back a transaction that fails, and keeps the code of an error of SQLite', async () => {
    const failed = writes.run(async (database) => {
      expect(await insert(database, 'acme')).toBe(1);
      return insert(database, 'acme');
    });
    await expect(failed).rejects.toMatchObject({
      errcode: 1555,
      message: expect.stringContaining('UNIQUE') as unknown,
    });
    await writes.run((database) => insert(database, 'other'));
    expect(names()).toEqual(['other']);
  });

  it('reports what is wrong with the files', async () => {
    await writeFile(join(folder, databaseFile), 'not a database');
    const failed = writes.run((database) => insert(database, 'acme'));
    await expect(failed).rejects.toMatchObject({ name: 'StorageError', reason: 'damaged' });
  });

  it('takes no statement outside of a transaction', async () => {
    const { database } = await writes.run((open) => Promise.resolve({ database: open }));
    await expect(insert(database, 'late')).rejects.toThrow('the transaction has ended');
    expect(names()).toEqual([]);
  });

  it('may die in a transaction, of which nothing is kept', async () => {
    const failed = writes.run(async (database) => {
      await insert(database, 'lost');
      await writes.close();
      await insert(database, 'lost, too');
    });
    await expect(failed).rejects.toThrow('the thread that writes has ended');
    await writes.run((database) => insert(database, 'kept'));
    expect(names()).toEqual(['kept']);
  });
});
