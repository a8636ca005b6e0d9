import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { ChangeLog } from '../../../../src/service/storage/postgres/change-log.ts';
import { Connections } from '../../../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../src/service/storage/postgres/database-url.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.ts';

describe('the change log', () => {
  let database: TestDatabase;
  let connections: Connections;
  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    connections = new Connections(parseDatabaseUrl(database.url));
  });
  afterEach(async () => {
    await connections.close();
    await database.drop();
  });

  it('asks once for all calls of a turn, and again for those that come while it asks', async () => {
    const changes = new ChangeLog(connections);
    const opening = jest.spyOn(connections, 'open');
    await changes.refresh();
    const client = await opening.mock.results[0]?.value;
    if (!(client instanceof pg.Client)) throw new TypeError('no connection was opened');
    const asked = jest.spyOn(client, 'query');
    const first = Promise.all([changes.refresh(), Promise.resolve().then(() => changes.refresh())]);
    while (asked.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = changes.refresh();
    await first;
    expect(asked).toHaveBeenCalledTimes(1);
    await second;
    expect(asked).toHaveBeenCalledTimes(2);
    await changes.close();
  });

  it('trusts nothing that it knew before it lost its connection, also if that answered at the same time', async () => {
    const opened: Awaited<ReturnType<Connections['open']>>[] = [];
    const changes = new ChangeLog({
      acquire: () => connections.acquire(),
      open: async () => {
        const client = await connections.open();
        opened.push(client);
        return client;
      },
    });
    await changes.refresh();
    const [first] = opened;
    // The last answer is followed by the end of the connection before anyone could read it.
    first?.connection.once('readyForQuery', () => first.emit('error', new Error('the connection has ended')));
    await changes.refresh().catch(() => undefined);
    const known = changes.latest;
    await changes.refresh();
    expect(opened).toHaveLength(2);
    expect(changes.latest).toBeGreaterThan(known);
    await changes.close();
  });

  it('notices in a transaction that changes were deleted which it does not know', async () => {
    const changes = new ChangeLog(connections);
    const other = new ChangeLog(connections);
    await changes.refresh();
    const known = changes.latest;
    const client = await connections.acquire();
    const { rows } = await client.query<{ xid: string }>(
      "INSERT INTO written_sources VALUES (pg_current_xact_id(), '{1}', '') RETURNING xid::text AS xid",
    );
    // Not its own position, which waits for the transactions of all databases of the server.
    await other.forget(BigInt(rows[0]?.xid ?? 0) + 1n);
    const { rowCount: left } = await client.query('SELECT 1 FROM written_sources');
    await changes.learnIn(client);
    client.release();
    await changes.close();
    await other.close();
    expect(left).toBe(0);
    expect(changes.findLastWrite([1])).toBeGreaterThan(known);
  });

  it('refreshes if a transaction learns of so many changes that the next ones should not read them again', async () => {
    const changes = new ChangeLog(connections);
    await changes.refresh();
    const refreshed = jest.spyOn(changes, 'refresh');
    const client = await connections.acquire();
    const insert = `INSERT INTO written_sources VALUES (pg_current_xact_id(), '{1}', '')`;
    await client.query(insert);
    await changes.learnIn(client);
    expect(refreshed).not.toHaveBeenCalled();
    for (let number = 1; number <= 100; number += 1) await client.query(insert);
    await changes.learnIn(client);
    client.release();
    expect(refreshed).toHaveBeenCalledTimes(1);
    await changes.close();
  });

  it('finds few changes among many by their index, also if there were none when its statement was planned', async () => {
    const changes = new ChangeLog(connections);
    const client = await connections.acquire();
    await changes.learnIn(client);
    await client.query(`INSERT INTO written_sources
      SELECT (pg_current_xact_id()::text::bigint + number)::text::xid8, '{1}', '' FROM generate_series(1, 10000) AS number`);
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN EXECUTE "changes.find" ('1')`);
    client.release();
    await changes.close();
    const plan = rows.flatMap((row) => Object.values(row)).join('\n');
    expect(plan).toContain('written_sources_pkey');
    expect(plan).not.toMatch(/Seq Scan on written_sources w/u);
  });
});
