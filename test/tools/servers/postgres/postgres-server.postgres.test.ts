import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { QueryResultRow } from 'pg';
import { startPostgresPair } from '../../../../tools/servers/postgres/postgres-pair.ts';
import { type PostgresServer, startPostgres } from '../../../../tools/servers/postgres/postgres-server.ts';
import { describeWithOwnPostgres } from '../../../support/own-servers.ts';
import { itWithSmallDisk, mountSmallDisk } from '../../../support/small-disk.ts';
import { withAdministrator } from '../../../support/test-servers.ts';

async function rows(server: PostgresServer, sql: string): Promise<readonly QueryResultRow[]> {
  return withAdministrator(server.url, async (client) => (await client.query<QueryResultRow>(sql)).rows);
}

describeWithOwnPostgres('a server of its own', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: 20 } });
    await rows(server, 'CREATE TABLE kept AS SELECT 1 AS number');
  });
  afterAll(() => server.remove());

  it('listens only on the loopback interface, and has the settings that it was made with', async () => {
    expect(await rows(server, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await rows(server, 'SHOW unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
    expect(await rows(server, 'SHOW max_connections')).toEqual([{ max_connections: '20' }]);
  });

  it('sorts strings by language, so that a query that must sort by bytes has to say so', async () => {
    expect(await rows(server, "SELECT v FROM (VALUES ('a'), ('B')) AS x (v) ORDER BY v")).toEqual([
      { v: 'a' },
      { v: 'B' },
    ]);
  });

  it.each([
    ['is stopped', () => server.stop()],
    ['is stopped at once', () => server.stop('immediate')],
    ['is killed', () => server.kill()],
  ])('refuses connections when it %s, and has its data when it is started again', async (_what, end) => {
    await end();
    expect(server.isRunning).toBe(false);
    await expect(rows(server, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await rows(server, 'SELECT number FROM kept')).toEqual([{ number: 1 }]);
  });

  it('answers nothing while it is frozen', async () => {
    await withAdministrator(server.url, async (client) => {
      server.freeze();
      const answers: unknown[] = [];
      const query = client.query('SELECT 2').then(() => answers.push('answered'));
      await new Promise((resolve) => setImmediate(resolve));
      expect(answers).toEqual([]);
      server.thaw();
      await query;
    });
  });

  it('says why it does not start', async () => {
    await server.stop();
    await expect(server.start({ max_connections: 'many' })).rejects.toThrow(
      'invalid value for parameter "max_connections": "many"',
    );
    await server.start();
  });
});

describeWithOwnPostgres('other servers', () => {
  it('write to the disk, if they are durable, before they acknowledge a commit', async () => {
    const server = await startPostgres({ durable: true });
    expect(await rows(server, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await rows(server, 'SHOW full_page_writes')).toEqual([{ full_page_writes: 'on' }]);
    await server.remove();
    expect(existsSync(server.dataFolder)).toBe(false);
  });

  itWithSmallDisk('fail when the disk is full, and work again when it is not', async () => {
    const disk = mountSmallDisk(128 * 1024 * 1024);
    if (disk === undefined) throw new Error('This user can mount disks');
    const server = await startPostgres({ parent: disk.path, settings: { max_wal_size: '32MB', min_wal_size: '32MB' } });
    await rows(server, 'CREATE TABLE kept (text text)');
    disk.fill();
    const fill = 'INSERT INTO kept SELECT repeat(md5(n::text), 100) FROM generate_series(1, 20000) AS n';
    await expect(rows(server, fill)).rejects.toThrow('No space left on device');
    rmSync(join(disk.path, 'filling'));
    await server.stop('immediate');
    await server.start();
    expect(await rows(server, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 0 }]);
    await server.remove();
    disk.remove();
  });

  it('have a synchronous standby, with all that was acknowledged when the primary is killed', async () => {
    const pair = await startPostgresPair();
    const { primary, standby } = pair;
    await rows(primary, 'CREATE TABLE kept AS SELECT 1 AS number');
    expect(await rows(primary, 'SELECT sync_state FROM pg_stat_replication')).toEqual([{ sync_state: 'sync' }]);
    await primary.kill();
    await expect(rows(standby, 'INSERT INTO kept VALUES (2)')).rejects.toThrow('read-only transaction');
    await standby.promote();
    await rows(standby, 'INSERT INTO kept VALUES (2)');
    expect(await rows(standby, 'SELECT number FROM kept')).toEqual([{ number: 1 }, { number: 2 }]);

    await standby.stop();
    const next = await standby.createStandby();
    await standby.start({ synchronous_standby_names: next.name });
    await next.start();
    await rows(standby, 'INSERT INTO kept VALUES (3)');
    expect(await rows(next, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 3 }]);
    await next.remove();
    await pair.remove();
  });
});
