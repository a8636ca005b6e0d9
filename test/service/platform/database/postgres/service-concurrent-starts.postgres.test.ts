import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { scripts } from '../../../../../src/service/platform/database/postgres/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { ServiceProcesses } from '../../../../support/service-processes.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';

describe('processes that are started at once on an empty database', () => {
  let database: TestDatabase;
  let processes: ServiceProcesses;

  beforeEach(async () => {
    database = await createTestDatabase();
    processes = new ServiceProcesses(database.url);
  });
  afterEach(async () => {
    await processes.remove();
    await database.drop();
  });

  const count = async (table: string): Promise<unknown> =>
    withAdministrator(database.url, async (client) => {
      const { rows } = await client.query<{ count: unknown }>(`SELECT count(*)::int AS count FROM ${table}`);
      return rows[0]?.count;
    });

  it.each([2, 5])(
    'all start, create one organization, and show one first key (%d of them)',
    async (number) => {
      const started = await Promise.all(Array.from({ length: number }, () => processes.start([])));
      expect([await count('organizations'), await count('api_keys'), await count('schema_versions')]).toEqual([
        1,
        1,
        scripts.length,
      ]);
      const outputs = started.map((service) => service.output());
      const keyFiles = outputs.flatMap((output) => / is in (\S+); store/u.exec(output)?.[1] ?? []);
      expect(keyFiles).toHaveLength(1);
      expect(outputs.filter((output) => output.includes(`from version 0 to ${scripts.length}`))).toHaveLength(1);
      const key = (await readFile(keyFiles[0] ?? '', 'utf8')).trim();
      for (const { baseUrl } of started) {
        const ready = await fetch(new URL('/ready', baseUrl));
        expect([ready.status, await ready.text()]).toEqual([200, 'OK']);
        const members = await fetch(`${baseUrl}/organizations/acme/members`, {
          headers: { authorization: `Bearer ${key}` },
        });
        expect([members.status, await members.text()]).toEqual([200, expect.stringContaining('"admin"')]);
      }
    },
    60_000,
  );
});
