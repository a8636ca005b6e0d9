import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../../src/service/storage/sqlite/database.ts';
import { toSource } from '../../../../src/service/storage/sources.ts';
import { WrittenSources } from '../../../../src/service/storage/sqlite/written-sources.ts';

describe('written sources', () => {
  let folder: string;
  let database: DatabaseSync;
  let told: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-storage-'));
    database = openDatabase(folder);
    database.exec(`INSERT INTO organizations VALUES ('acme', 1), ('other', 1)`);
    told = [];
    new WrittenSources(database).onWrite((source) => told.push(source));
  });
  afterEach(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  const addMembers = `INSERT INTO members (org, user, role, created_at)
    VALUES ('acme', 'ann', 'admin', 1), ('other', 'ann', 'admin', 1)`;
  const [ann, elsewhere] = [toSource('members', 'acme', 'ann'), toSource('members', 'other', 'ann')];

  it('are reported for every inserted, updated or deleted row', () => {
    database.exec(addMembers);
    expect(told.splice(0)).toEqual([ann, elsewhere]);
    database.exec(`UPDATE members SET role = 'reader' WHERE org = 'acme'`);
    expect(new Set(told.splice(0))).toEqual(new Set([ann]));
    database.exec(`DELETE FROM members WHERE org = 'other'`);
    expect(told.splice(0)).toEqual([elsewhere]);
  });

  it('are reported under the old and the new key of an updated row', () => {
    database.exec(addMembers);
    told = [];
    database.exec(`UPDATE members SET user = 'bob' WHERE org = 'acme'`);
    expect(told).toEqual([ann, toSource('members', 'acme', 'bob')]);
  });

  it('are reported for upserts and for writes that are rolled back', () => {
    database.exec(addMembers);
    told = [];
    database.exec(`BEGIN; ${addMembers} ON CONFLICT DO UPDATE SET role = 'reader'; ROLLBACK`);
    expect(new Set(told)).toEqual(new Set([ann, elsewhere]));
  });

  it('are reported for watched tables only, and leave nothing in the file', () => {
    database.exec(`INSERT INTO organizations VALUES ('third', 1)`);
    expect(told).toEqual([]);
    const triggers = database
      .prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name != 'audit_events'`)
      .all();
    expect(triggers).toEqual([]);
  });
});
