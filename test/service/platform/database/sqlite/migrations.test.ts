import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashSecret } from '../../../../../src/service/account/api-key.ts';
import { steps } from '../../../../../src/service/platform/database/sqlite/migrations.ts';
import { SqliteStorage } from '../../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { Records } from '../../../../support/records.ts';
import { sampleAttestation } from '../../../../support/service-samples.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';

describe('a database of the first version', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-migration-'));
    const database = new DatabaseSync(join(folder, 'compliance.sqlite'));
    database.exec(steps[0] ?? '');
    database.exec(`
      INSERT INTO organizations VALUES ('acme', 1);
      INSERT INTO flows VALUES ('acme', 'web', 'The shop', NULL, '["sonar"]', NULL, 2, 2);
      INSERT INTO flows VALUES ('acme', 'api', '', NULL, '[]', NULL, 2, 2);
      INSERT INTO trails VALUES ('acme', 'web', 'main', 3), ('acme', 'api', 'main', 3);
      PRAGMA user_version = 1;
    `);
    const addKey = database.prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?)');
    const [secret, other] = [hashSecret('secret'), hashSecret('other')];
    addKey.run('acme', 'old1', 'ann', 'reader', secret, 5, null);
    addKey.run('acme', 'new1', 'ann', 'admin', other, 6, null);
    addKey.run('acme', 'gone', 'bob', 'admin', other, 7, 8);
    addKey.run('acme', 'ci01', 'ci', 'admin', other, 5, null);
    addKey.run('acme', 'ci02', 'ci', 'snapshotter', other, 6, null);
    addKey.run('acme', 'ci03', 'ci', 'member', other, 7, null);
    addKey.run('acme', 'ci04', 'ci-admin', 'reader', other, 8, null);
    addKey.run('acme', 'long', 'x'.repeat(64), 'reader', other, 8, null);
    addKey.run('acme', 'last', 'x'.repeat(64), 'member', other, 9, null);
    const attest = database.prepare(`INSERT INTO attestations
      VALUES ('acme', ?, ?, 'main', ?, 'sonar', 'sonar', 'compliant', 'it is OK', ?, 'ann', NULL, NULL, NULL, ?)`);
    // The clock ran backwards in between.
    for (const [flow, sequence, time] of [
      ['web', 1, 10],
      ['web', 2, 30],
      ['web', 3, 20],
      ['api', 1, 15],
    ] as const) {
      attest.run(flow, sequence, `${flow}-${sequence}`, time, JSON.stringify(sampleAttestation('OK')));
    }
    database.close();
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('is migrated with all its data', async () => {
    const storage = new SqliteStorage(folder, storageDependencies());
    const records = new Records(storage);
    expect(await records.findKey('old1')).toEqual({
      ...{ org: 'acme', id: 'old1', ownerKind: 'user', owner: 'ann-reader', description: '', isLimitedToOrg: false },
      ...{ secretHash: hashSecret('secret'), createdAt: 5, expiresAt: expect.any(Number) },
    });
    expect(await records.findKey('gone')).toMatchObject({ revokedAt: 8 });
    const describeKey = async (id: string): Promise<readonly unknown[]> => {
      const owner = (await records.findKey(id))?.owner ?? '';
      return [id, owner, await records.findRole('acme', 'user', owner)];
    };
    const ids = ['old1', 'new1', 'ci01', 'ci02', 'ci03', 'ci04', 'long', 'last'];
    expect(await Promise.all(ids.map(describeKey))).toEqual([
      ['old1', 'ann-reader', 'reader'],
      ['new1', 'ann', 'admin'],
      // The name exists: both keys get the lower role.
      ['ci01', 'ci-admin', 'reader'],
      ['ci02', 'ci-snapshotter', 'snapshotter'],
      ['ci03', 'ci', 'member'],
      ['ci04', 'ci-admin', 'reader'],
      ['long', `${'x'.repeat(52)}-reader`, 'reader'],
      ['last', 'x'.repeat(64), 'member'],
    ]);
    expect(await records.findRole('acme', 'user', 'bob')).toBeUndefined();
    expect(await records.findFlow('acme', 'web')).toMatchObject({ description: 'The shop', template: ['sonar'] });
    const listTimes = async (flow: string): Promise<unknown> => {
      const page = await records.listAttestations({
        ...{ org: 'acme', flow, part: { offset: 0, limit: 9 }, now: 100 },
      });
      return page?.attestations.map(({ createdAt }) => createdAt);
    };
    expect(await listTimes('web')).toEqual([30, 30, 10]);
    expect(await listTimes('api')).toEqual([15]);
    await storage.close();
    // Opened again it stays as it is.
    const again = new SqliteStorage(folder, storageDependencies());
    // Its attestations have no idempotency keys, and do not conflict.
    expect(await again.read(({ attestations }) => attestations.findRequestDigest('acme', ''))).toBeUndefined();
    await again.close();
  });
});

describe('a database from before user names were global', () => {
  let folder: string;
  let database: DatabaseSync;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-migration-'));
    database = new DatabaseSync(join(folder, 'compliance.sqlite'));
    database.exec([...steps.slice(0, 4), 'PRAGMA user_version = 4;'].join('\n'));
    database.exec("INSERT INTO organizations VALUES ('acme', 1), ('other', 1)");
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  const addKey = (org: string, id: string, kind: string, owner: string): void => {
    database
      .prepare('INSERT INTO api_keys (org, id, owner_kind, owner, secret_hash, created_at) VALUES (?, ?, ?, ?, ?, 5)')
      .run(org, id, kind, owner, hashSecret(id));
  };

  it('lets keys that did not expire live another year, also if the clock is behind them', async () => {
    const add = database.prepare(`INSERT INTO api_keys (org, id, owner_kind, owner, secret_hash, created_at, expires_at)
      VALUES ('acme', ?, 'user', 'ann', x'00', ?, ?)`);
    add.run('old1', 5, null);
    add.run('new1', 9e9, null);
    add.run('ends', 5, 7.5);
    database.close();
    const storage = new SqliteStorage(folder, storageDependencies());
    const records = new Records(storage);
    const expiries = await Promise.all(['old1', 'new1', 'ends'].map((id) => records.findKey(id)));
    const inOneYear = 9e9 + 365 * 86_400;
    expect(expiries.map((key) => key?.expiresAt)).toEqual([inOneYear, inOneYear, 7.5]);
    await storage.close();
  });

  it('limits keys to their organization only if the name of their owner exists in several organizations', async () => {
    database.exec(`INSERT INTO members (org, user, role, created_at) VALUES
      ('acme', 'ann', 'admin', 1), ('other', 'ann', 'reader', 1), ('acme', 'bob', 'admin', 1), ('other', 'eve', 'admin', 1),
      ('acme', 'ci', 'admin', 1)`);
    addKey('acme', 'ann1', 'user', 'ann');
    addKey('other', 'ann2', 'user', 'ann');
    addKey('acme', 'bob1', 'user', 'bob');
    addKey('other', 'eve1', 'user', 'eve');
    // Eve is a member of acme no more, and may have been another person there.
    addKey('acme', 'eve2', 'user', 'eve');
    addKey('acme', 'ci01', 'user', 'ci');
    addKey('other', 'ci02', 'service account', 'ci');
    database.close();
    const storage = new SqliteStorage(folder, storageDependencies());
    const records = new Records(storage);
    const limited = async (id: string): Promise<boolean | undefined> => (await records.findKey(id))?.isLimitedToOrg;
    for (const id of ['ann1', 'ann2', 'eve1', 'eve2']) expect([id, await limited(id)]).toEqual([id, true]);
    for (const id of ['bob1', 'ci01', 'ci02']) expect([id, await limited(id)]).toEqual([id, false]);
    await storage.close();
  });

  it('marks authors as service accounts if no user can have been the author', async () => {
    addKey('acme', 'ci01', 'service account', 'ci');
    addKey('acme', 'ann1', 'user', 'ann');
    addKey('acme', 'bo01', 'service account', 'both');
    addKey('acme', 'bo02', 'user', 'both');
    addKey('other', 'ann2', 'service account', 'ann');
    database.exec(`INSERT INTO flows VALUES ('acme', 'web', '', NULL, '[]', NULL, 2, 2);
      INSERT INTO trails VALUES ('acme', 'web', 'main', 3);`);
    const attest = database.prepare(`INSERT INTO attestations
      VALUES ('acme', 'web', ?, 'main', ?, 'sonar', 'sonar', 'compliant', 'it is OK', ?, ?, NULL, NULL, NULL, ?)`);
    for (const [index, name] of ['ci', 'ann', 'both', 'gone'].entries()) {
      attest.run(index + 1, name, index, name, JSON.stringify(sampleAttestation('OK')));
    }
    for (const name of ['ci', 'ann']) {
      database.exec(`INSERT INTO policies VALUES ('acme', '${name}', '', 1, 1, '${name}', 1);
        INSERT INTO policy_versions VALUES ('acme', '${name}', 1, '', 1, '${name}', '[]', '');
        INSERT INTO policy_events VALUES ('acme', '${name}', 1, 'policy_created', 1, '${name}', 1, NULL);`);
    }
    database.close();
    const storage = new SqliteStorage(folder, storageDependencies());
    const records = new Records(storage);
    const query = { org: 'acme', flow: 'web', part: { offset: 0, limit: 9 }, now: 10 };
    const page = await records.listAttestations(query);
    expect(page?.attestations.map(({ reportedBy }) => reportedBy)).toEqual([
      'gone',
      'both',
      'ann',
      'service-account:ci',
    ]);
    await storage.close();
    const after = new DatabaseSync(join(folder, 'compliance.sqlite'), { readOnly: true });
    for (const [table, column] of [
      ['policies', 'created_by'],
      ['policy_versions', 'created_by'],
      ['policy_events', 'user'],
    ]) {
      const rows = after.prepare(`SELECT ${String(column)} AS actor FROM ${String(table)} ORDER BY 1`).all();
      expect(rows.map(({ actor }) => actor)).toEqual(['ann', 'service-account:ci']);
    }
    after.close();
  });
});
