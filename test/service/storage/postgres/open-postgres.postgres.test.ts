import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Client } from 'pg';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { openPostgres } from '../../../../src/service/storage/postgres/open-postgres.ts';
import { allOrganizations, type Storage } from '../../../../src/service/storage/storage.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.ts';

const closers: (() => Promise<void> | void)[] = [];
let database: TestDatabase;
let client: Client;

async function open(): Promise<Storage> {
  const { storage } = await openPostgres(
    { kind: 'postgres', url: database.url, temporaryFolder: tmpdir(), attachments: undefined },
    {
      now: () => systemClock.now(),
      after: (wait, fire) => systemClock.after(wait, fire),
      randomBytes: (size) => randomBytes(size),
      log: { info: () => undefined, error: () => undefined },
    },
    closers,
  );
  return storage;
}

beforeEach(async () => {
  database = await createTestDatabase({ isMigrated: true });
  client = new Client({ connectionString: database.url });
  await client.connect();
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await client.end();
  await database.drop();
});

describe('a database that was restored from a dump', () => {
  /** Its change log has ids of transactions of its former server, which had run more of them. */
  beforeEach(async () => {
    await client.query(`INSERT INTO written_sources (xid, slots, token)
      SELECT (pg_current_xact_id()::text::bigint + n)::text::xid8, '{}', n::text FROM generate_series(0, 500) n`);
    await client.query(`UPDATE written_sources_state
      SET forgotten_before = (pg_current_xact_id()::text::bigint + 400)::text::xid8`);
  });

  it('can be written to', async () => {
    const storage = await open();
    await storage.transaction(allOrganizations, ({ organizations }) => organizations.insert('acme', 1));
    await expect(storage.read(({ organizations }) => organizations.exists('acme'))).resolves.toBe(true);
  });

  it('has a change log of its own', async () => {
    await open();
    const { rows } = await client.query(`SELECT
      (SELECT count(*)::integer FROM written_sources WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())) AS foreign_changes,
      (SELECT forgotten_before <= pg_snapshot_xmax(pg_current_snapshot()) FROM written_sources_state) AS is_known`);
    expect(rows).toEqual([{ foreign_changes: 0, is_known: true }]);
  });
});
