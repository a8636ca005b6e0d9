import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createKey, type CreateKeyCommand } from '../../../src/service/commands/create-key.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { sampleFlow } from '../../support/service-samples.ts';
import { storageDependencies } from '../../support/storage-dependencies.ts';
import { withAdministrator } from '../../support/test-servers.ts';

describe('the command that creates a key, with PostgreSQL', () => {
  let parent: string;
  let database: TestDatabase;
  let service: TestService;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'compliance-recovery-'));
    database = await createTestDatabase({ isMigrated: true });
    service = await startTestService({ options: { database: { url: database.url } } });
  });
  afterEach(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
    await database.drop();
    await rm(parent, { recursive: true });
  });

  const create = async (change: Partial<CreateKeyCommand> = {}, isInteractive = true): Promise<string> => {
    const lines: string[] = [];
    await createKey.carryOut(
      { dataFolder: join(parent, 'data'), database: { url: database.url }, org: 'acme', user: undefined, ...change },
      { ...storageDependencies(), isInteractive, writeLine: (line) => lines.push(line) },
    );
    return lines.join('\n');
  };
  const query = (statement: string): Promise<unknown> =>
    withAdministrator(database.url, (client) => client.query(statement));
  const saveFlow = async (key: string): Promise<number> =>
    (await call(service, { method: 'PUT', path: '/flows/acme', json: sampleFlow(), key })).status;

  it('restores access while services are running, and prints the key or writes it to a new data folder', async () => {
    const key = /^API key of acme \(shown only once\): (\S+)$/mu.exec(await create())?.[1] ?? '';
    expect(await saveFlow(key)).toBe(201);
    const path = join(parent, 'data', 'api-key-of-acme.txt');
    expect(await create({}, false)).toContain(`the API key of acme is in ${path}`);
    expect(await saveFlow((await readFile(path, 'utf8')).trim())).toBe(200);
  });

  it('refuses an unknown organization', async () => {
    await expect(create({ org: 'nobody' })).rejects.toThrow('the database has no organization nobody; set --org');
  });

  it('works with the tables of the next release, and does not change those of an earlier one', async () => {
    await query('INSERT INTO schema_versions (version) SELECT max(version) + 1 FROM schema_versions');
    expect(await create()).toContain('API key of acme');
    await query('INSERT INTO schema_versions (version) SELECT max(version) + 1 FROM schema_versions');
    await expect(create()).rejects.toThrow(/has version \d+, but this service supports only versions up to \d+/u);
    await query('DELETE FROM schema_versions');
    await expect(create()).rejects.toThrow(/has no tables of the service, and this command needs version \d+; start/u);
  });

  it('does not create the tables', async () => {
    const empty = await createTestDatabase();
    await expect(create({ database: { url: empty.url } })).rejects.toThrow(/has no tables of the service/u);
    const { rowCount } = await withAdministrator(empty.url, (client) =>
      client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'"),
    );
    expect(rowCount).toBe(0);
    await empty.drop();
  });
});
