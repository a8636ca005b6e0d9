import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  busyTimeout,
  openDatabase,
  translateError,
} from '../../../../../src/service/platform/database/sqlite/database.ts';
import { lockFolder } from '../../../../../src/service/platform/database/sqlite/folder-lock.ts';
import { SqliteStorage } from '../../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { WriteQueue } from '../../../../../src/service/platform/database/sqlite/write-queue.ts';
import { Records } from '../../../../support/records.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';
import { createDataFolder } from '../../../../support/test-storage.ts';
import { describeAccounts } from '../accounts-acceptance.ts';
import { describeAttestationList } from '../attestation-list-acceptance.ts';
import { describeBroadcasts } from '../broadcasts-acceptance.ts';
import { describeEnvironments } from '../environments-acceptance.ts';
import { describeGithub } from '../github-acceptance.ts';
import { describeLogins } from '../login-acceptance.ts';
import { describeLookups } from '../lookups-acceptance.ts';
import { describeNotifications } from '../notifications-acceptance.ts';
import { describePages } from '../pages-acceptance.ts';
import { describeIdempotencyKeys } from '../remembered-answers-acceptance.ts';
import { describeStorage, type OpenStorage, type StorageUnderTest } from '../storage-acceptance.ts';
import { describeTrailVerdicts } from '../trail-verdicts-acceptance.ts';
import { describeTrails } from '../trails-acceptance.ts';
import { describeTransactions } from '../transactions-acceptance.ts';
import { describeWaitingWrites } from '../waiting-writes-acceptance.ts';

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'compliance-storage-'));

const openTestStorage = async (): Promise<StorageUnderTest> => {
  const folder = await createDataFolder();
  let storage = new SqliteStorage(folder, storageDependencies());
  const opened = (): OpenStorage => ({ records: new Records(storage) });
  return {
    ...opened(),
    reopen: async () => {
      await storage.close();
      storage = new SqliteStorage(folder, storageDependencies());
      return opened();
    },
    remove: async () => {
      await storage.close();
      await rm(folder, { recursive: true });
    },
  };
};

describeGithub('what GitHub waits for, in the SQLite storage', openTestStorage);
describeTrails('trails and flows of the SQLite storage', openTestStorage);
describeTransactions('transactions of the SQLite storage', openTestStorage);
describeStorage('the SQLite storage', openTestStorage);
describeAccounts('the accounts of the SQLite storage', openTestStorage);
describeAttestationList('the list of attestations of the SQLite storage', openTestStorage);
describeEnvironments('the environments of the SQLite storage', openTestStorage);
describeLogins('the logins of the SQLite storage', openTestStorage);
describeIdempotencyKeys('the idempotency keys of the SQLite storage', openTestStorage);
describeBroadcasts('the broadcasts of the SQLite storage', openTestStorage);
describeNotifications('the notifications of the SQLite storage', openTestStorage);
describeTrailVerdicts('the verdicts on trails in the SQLite storage', openTestStorage);
describePages('what the pages read from the SQLite storage', openTestStorage);
describeWaitingWrites('requests that wait for the SQLite storage', openTestStorage);
describeLookups('lookups in the SQLite storage', openTestStorage);

describe('the SQLite database', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('syncs every commit to the disk', () => {
    const database = openDatabase(folder);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(database.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 });
    database.close();
  });

  it('keeps the events of the audit log, whatever code writes', () => {
    const database = openDatabase(folder);
    database.exec(`INSERT INTO organizations VALUES ('acme', 1);
      INSERT INTO audit_events VALUES ('acme', 1, 'login', 1, 'ann', 'key one', '{}')`);
    const replacement = `REPLACE INTO audit_events VALUES ('acme', 1, 'login', 1, 'eve', 'key one', '{}')`;
    for (const statement of ['DELETE FROM audit_events', `UPDATE audit_events SET actor = 'eve'`, replacement]) {
      expect(() => {
        database.exec(statement);
      }).toThrow('the audit log only grows');
    }
    database.close();
  });

  it('has the organization as the first column of every key', () => {
    const database = openDatabase(folder);
    const keys = database
      .prepare(
        `SELECT t.name AS "table", c.name AS first FROM sqlite_schema t, pragma_table_info(t.name) c
          WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.pk = 1`,
      )
      .all();
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter(({ first }) => first !== 'org')).toEqual([]);
    database.close();
  });

  it('refuses a file that a later version of the service wrote', () => {
    const database = openDatabase(folder);
    database.exec('PRAGMA user_version = 999');
    database.close();
    expect(() => openDatabase(folder)).toThrow(/has version 999, .* start a newer version of the service/);
  });

  it('is locked by one process at a time, and unlocked afterwards', () => {
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(/in use by another process; stop it, or choose another folder/);
    release();
    lockFolder(folder)();
  });

  it('reports a full disk, rolls the write back, and accepts the next one', async () => {
    const database = new DatabaseSync(join(folder, 'small.sqlite'));
    database.exec('PRAGMA page_size = 512; CREATE TABLE texts (text); PRAGMA max_page_count = 10');
    const queue = new WriteQueue(database);
    const insert = (length: number): Promise<unknown> =>
      queue.write(() => database.prepare('INSERT INTO texts VALUES (?)').run('x'.repeat(length)));
    const outcomes = await Promise.allSettled([insert(10), insert(50_000), insert(10)]);
    const full = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }): unknown => reason);
    expect(full.length).toBeGreaterThan(0);
    for (const error of full) expect(error).toMatchObject({ name: 'StorageError', reason: 'full' });
    await insert(10);
    const kept = outcomes.length - full.length + 1;
    expect(database.prepare('SELECT count(*) AS kept FROM texts WHERE length(text) = 10').get()).toEqual({ kept });
    expect(database.prepare('SELECT count(*) AS large FROM texts WHERE length(text) > 10').get()).toEqual({ large: 0 });
    database.close();
  });

  it('waits for another process that has locked the file, while other work goes on, and then reports it', async () => {
    const path = join(folder, 'held.sqlite');
    const [holder, database] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: busyTimeout })];
    let time = 0;
    const queue = new WriteQueue(database, { elapsed: () => time });
    holder.exec('BEGIN EXCLUSIVE');
    const write = queue.write(() => 'done');
    await setImmediate();
    holder.exec('COMMIT');
    await expect(write).resolves.toBe('done');
    holder.exec('BEGIN EXCLUSIVE');
    const late = queue.write(() => 'done');
    await setImmediate();
    time = busyTimeout;
    const busy = { name: 'StorageError', reason: 'busy' };
    await expect(late).rejects.toMatchObject(busy);
    // It is still locked, so nothing else waits again.
    await expect(queue.write(() => 'done')).rejects.toMatchObject(busy);
    holder.exec('COMMIT');
    await expect(queue.write(() => 'done')).resolves.toBe('done');
    holder.close();
    database.close();
  });

  it('commits the writes of one turn together', async () => {
    const database = new DatabaseSync(join(folder, 'group.sqlite'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number)');
    const other = new DatabaseSync(join(folder, 'group.sqlite'));
    const seen = (): number => other.prepare('SELECT * FROM numbers').all().length;
    const queue = new WriteQueue(database);
    const writes = [1, 2, 3].map((number) =>
      queue.write(() => {
        database.prepare('INSERT INTO numbers VALUES (?)').run(number);
        return seen();
      }),
    );
    expect(await Promise.all(writes)).toEqual([0, 0, 0]);
    expect(seen()).toBe(3);
    other.close();
    database.close();
  });

  it('leaves other errors unchanged', () => {
    const error = new Error('another');
    expect(translateError(error)).toBe(error);
    expect(translateError('thrown')).toBe('thrown');
  });
});
