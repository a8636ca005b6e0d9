import { chmod, mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { prepareDataFolder } from '../../../../../src/service/platform/attachments/files/data-folder.ts';
import { openDatabase } from '../../../../../src/service/platform/database/sqlite/database.ts';
import { lockFolder } from '../../../../../src/service/platform/database/sqlite/folder-lock.ts';
import { SqliteStorage } from '../../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { itWithPosixFiles } from '../../../../support/platform.ts';
import { Records } from '../../../../support/records.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';

describe('the data folder', () => {
  let parent: string;
  let folder: string;
  let told: string[];
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'compliance-data-folder-'));
    folder = join(parent, 'some', 'data');
    told = [];
  });
  afterEach(async () => {
    await rm(parent, { recursive: true });
  });

  const prepare = (): Promise<void> => prepareDataFolder(folder, (line) => told.push(line));
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

  itWithPosixFiles('is made for its owner alone, and so is every file of the database and of the claim', async () => {
    await prepare();
    const release = lockFolder(folder);
    const storage = new SqliteStorage(folder, storageDependencies());
    const records = new Records(storage);
    await records.createOrganization('acme', 1);
    expect(await modeOf(folder)).toBe('700');
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining(['compliance.sqlite', 'compliance.sqlite-wal', 'claim.sqlite']));
    for (const name of names) expect([name, await modeOf(join(folder, name))]).toEqual([name, '600']);
    expect(told).toEqual([]);
    await storage.close();
    release();
  });

  it('may be made by several processes at once, whose database is elsewhere', async () => {
    await Promise.all(Array.from({ length: 4 }, prepare));
    expect(await readdir(folder)).toEqual([]);
    expect(told).toEqual([]);
  });

  itWithPosixFiles('is narrowed when others can use it, and with it all that is in it, and says so once', async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'compliance.sqlite'), '');
    await chmod(folder, 0o755);
    await prepare();
    expect(await modeOf(folder)).toBe('700');
    expect(told).toEqual([
      `other users of this machine could access ${folder}; now only the user that runs the service can`,
    ]);
    await prepare();
    expect(told).toHaveLength(1);
  });

  it('can be a folder with only a new API key, because the database may be elsewhere', async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'api-key-of-acme.txt'), 'a key');
    await prepare();
    expect(await readdir(folder)).toEqual(['api-key-of-acme.txt']);
  });

  it('cannot be a folder with other files, whose permissions are not changed', async () => {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const mode = await modeOf(folder);
    await writeFile(join(folder, 'thesis.txt'), 'mine');
    await expect(prepare()).rejects.toThrow(
      `the folder ${folder} has files that do not belong to a service (thesis.txt); choose an empty folder`,
    );
    expect(await modeOf(folder)).toBe(mode);
  });

  it('can be the mount point of a new disk', async () => {
    await mkdir(join(folder, 'lost+found'), { recursive: true });
    await prepare();
    expect(await readdir(folder)).toEqual(['lost+found']);
  });

  it('cannot be a file, or be inside a file', async () => {
    await writeFile(join(parent, 'some'), '');
    await expect(prepare()).rejects.toThrow(`${folder} does not exist, or a part of its path is not a folder`);
    folder = join(parent, 'some');
    await expect(prepare()).rejects.toThrow(`${folder} does not exist, or a part of its path is not a folder`);
  });

  describe('with a database that cannot be used', () => {
    beforeEach(prepare);
    const path = (): string => join(folder, 'compliance.sqlite');
    const fill = (...statements: string[]): void => {
      const database = new DatabaseSync(path());
      for (const statement of statements) database.exec(statement);
      database.close();
    };

    it.each([
      ['is no database', () => writeFile(path(), 'not a database '.repeat(1000))],
      [
        'is cut off',
        async () => {
          openDatabase(folder).close();
          await truncate(path(), 20_000);
        },
      ],
    ])('says what to do when it %s', async (_how, damage) => {
      await damage();
      expect(() => openDatabase(folder)).toThrow(
        `${path()} is damaged, or is not a database of this service; restore a backup`,
      );
    });

    it('refuses the database of another program', () => {
      fill('CREATE TABLE songs (title)');
      expect(() => openDatabase(folder)).toThrow(`the database ${path()} belongs to another program`);
    });

    it('refuses the database of a newer service', () => {
      openDatabase(folder).close();
      fill('PRAGMA user_version = 999');
      expect(() => openDatabase(folder)).toThrow(
        /the database .*compliance\.sqlite has version 999, .* start a newer/u,
      );
    });

    it('does not delete the log of a database that was moved away', async () => {
      await writeFile(`${path()}-wal`, 'writes');
      expect(() => openDatabase(folder)).toThrow(
        `${path()} is missing or empty, but its write-ahead log ${path()}-wal holds writes; put the database back`,
      );
      expect(await readdir(folder)).toEqual(['compliance.sqlite-wal']);
    });
  });
});
