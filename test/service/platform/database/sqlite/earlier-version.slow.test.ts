import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { attachmentPath } from '../../../../../src/service/platform/attachments/files/attachment-layout.ts';
import { schemaVersion } from '../../../../../src/service/platform/database/sqlite/migrations.ts';
import {
  earlierAttachment,
  expectMoreEvidence,
  expectSameVerdicts,
  readFixture,
} from '../../../../support/earlier-version.ts';
import { sqliteStorage } from '../../../../support/test-storage.ts';
import { expectExactUsage } from '../../../../support/usage.ts';

const earlierVersion = 17;
const killedMigration = join(import.meta.dirname, '../../../../support/killed-migration.ts');

describe('a data folder that was written by an earlier version', () => {
  let dataFolder: string;
  let path: string;
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-earlier-'));
    path = join(dataFolder, 'compliance.sqlite');
    await writeFile(path, readFixture('compliance.sqlite'));
    const digest = createHash('sha256').update(earlierAttachment).digest('hex');
    const attachment = attachmentPath(join(dataFolder, 'attachments'), digest);
    await mkdir(dirname(attachment), { recursive: true });
    await writeFile(attachment, earlierAttachment);
  });
  afterEach(async () => {
    await rm(dataFolder, { recursive: true });
  });

  const readVersion = (): unknown => {
    const database = new DatabaseSync(path);
    const row = database.prepare('PRAGMA user_version').get();
    database.close();
    return row?.['user_version'];
  };

  it('is migrated, and judged as before, also when it is opened again', async () => {
    expect(readVersion()).toBe(earlierVersion);
    await expectSameVerdicts({ dataFolder });
    expect(readVersion()).toBe(schemaVersion);
    await expectSameVerdicts({ dataFolder });
    await expectExactUsage(sqliteStorage(dataFolder).query);
    await expectMoreEvidence({ dataFolder });
    await expectExactUsage(sqliteStorage(dataFolder).query);
  });

  it('is migrated by the next start if the process was killed within a migration', async () => {
    for (let version = earlierVersion + 1; version <= schemaVersion; version += 1) {
      const { signal, stderr } = spawnSync(process.execPath, [killedMigration, path, String(version)]);
      expect([signal, String(stderr)]).toEqual(['SIGKILL', '']);
      expect(readVersion()).toBe(version - 1);
    }
    await expectSameVerdicts({ dataFolder });
    expect(readVersion()).toBe(schemaVersion);
  });
});
