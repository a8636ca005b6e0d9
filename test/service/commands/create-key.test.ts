import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createKey, type CreateKeyCommand } from '../../../src/service/commands/create-key.ts';
import { saveMember } from '../../support/administration.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { sampleFlow } from '../../support/service-samples.ts';
import { storageDependencies } from '../../support/storage-dependencies.ts';

describe('the command that creates a key', () => {
  let dataFolder: string;
  let service: TestService;
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-recovery-'));
    service = await startTestService({ dataFolder });
  });
  afterEach(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
    await rm(dataFolder, { recursive: true });
  });

  const create = async (change: Partial<CreateKeyCommand> = {}): Promise<string> => {
    const lines: string[] = [];
    await createKey.carryOut(
      { dataFolder, org: 'acme', user: undefined, ...change },
      { ...storageDependencies(), isInteractive: true, writeLine: (line) => lines.push(line) },
    );
    return /^API key of acme \(shown only once\): (\S+)$/m.exec(lines.join('\n'))?.[1] ?? '';
  };
  const saveFlow = async (key: string, org = 'acme'): Promise<number> =>
    (await call(service, { method: 'PUT', path: `/flows/${org}`, json: sampleFlow(), key })).status;
  const change = (statement: string): void => {
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    database.exec(statement);
    database.close();
  };
  const countKeys = (): unknown => {
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'), { readOnly: true });
    const row = database.prepare('SELECT count(*) AS count FROM api_keys').get();
    database.close();
    return row?.['count'];
  };
  const revokeFirst = async (): Promise<void> => {
    // The service does not revoke the last key of an admin.
    change("UPDATE api_keys SET revoked_at = 1 WHERE id = 'first0key'");
    expect(await saveFlow(service.apiKey)).toBe(401);
  };

  it('restores access to an organization whose last key was revoked, while the service runs', async () => {
    await revokeFirst();
    expect(await saveFlow(await create())).toBe(201);
    expect(await saveFlow(await create({ user: 'new-operator' }))).toBe(200);
  });

  it('does so while the service is stopped, too', async () => {
    await revokeFirst();
    await service.stop();
    const key = await create();
    service = await startTestService({ dataFolder });
    expect(await saveFlow(key)).toBe(201);
  });

  it('restores access after the last member was removed or lost the role, and to no organization of another admin', async () => {
    await service.createOrganization('other');
    change("UPDATE members SET role = 'reader' WHERE user = 'admin'");
    const key = await create();
    expect([await saveFlow(key), await saveFlow(key, 'other')]).toEqual([201, 403]);
    change("DELETE FROM members WHERE user = 'admin'");
    await saveMember(service, 'admin', 'admin', 'other');
    const second = await create();
    expect([await saveFlow(second), await saveFlow(second, 'other')]).toEqual([200, 403]);
  });

  it('changes no role, and creates no key for a user with another role', async () => {
    await saveMember(service, 'ann', 'reader');
    await expect(create({ user: 'ann' })).rejects.toThrow(
      'the user ann exists but is not an admin of acme; set --user to a new user',
    );
  });

  it('writes the key to a private file if there is no terminal, and overwrites none', async () => {
    const path = join(dataFolder, 'api-key-of-acme.txt');
    const lines: string[] = [];
    const createWithoutTerminal = (): Promise<void> =>
      createKey.carryOut(
        { dataFolder, org: 'acme', user: undefined },
        { ...storageDependencies(), isInteractive: false, writeLine: (line) => lines.push(line) },
      );
    await createWithoutTerminal();
    const key = await readFile(path, 'utf8');
    expect(await saveFlow(key.trim())).toBe(201);
    expect(lines).toEqual([
      `the API key of acme is in ${path}; store it where it is used, and delete the file`,
      'it expires in 365 days; create its successor before, with the API or create-key',
    ]);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    const keys = countKeys();
    await expect(createWithoutTerminal()).rejects.toThrow(
      `${path} still has an earlier API key of acme, and is not overwritten. Use that key; or, if`,
    );
    expect([await readFile(path, 'utf8'), countKeys()]).toEqual([key, keys]);
    await rm(path);
    await createWithoutTerminal();
    expect(await saveFlow((await readFile(path, 'utf8')).trim())).toBe(200);
  });

  it.each([
    [{ org: 'nobody' }, 'has no organization nobody'],
    [{ dataFolder: join(tmpdir(), 'compliance-no-such-folder') }, 'there is no database in'],
  ])('refuses %j', async (change, words) => {
    await expect(create(change)).rejects.toThrow(words);
  });

  it('does not change the tables of a running service of another version', async () => {
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    database.exec(`PRAGMA user_version = ${version - 1}`);
    await expect(create()).rejects.toThrow('run the command of the version that is running, or stop the service first');
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  });

  it('is a command of the service, with exit code 1 if it fails', async () => {
    const run = startServiceProcess(['create-key', '--org', 'nobody', '--data', dataFolder]);
    await expect(run).rejects.toThrow(/has no organization nobody/);
    await expect(startServiceProcess(['create-key'])).rejects.toThrow(/create-key requires --org[\s\S]*Usage:/);
    for (const words of [
      ['create-key', '--help'],
      ['help', 'create-key'],
    ])
      await expect(startServiceProcess(words)).rejects.toThrow(/^Usage: npm run service -- create-key/);
  });
});

describe('the options of create-key', () => {
  it('come from flags, else from the environment', () => {
    const environment = { COMPLIANCE_SERVICE_ORG: 'acme', COMPLIANCE_SERVICE_DATA: 'here' };
    expect(createKey.parse([], environment)).toEqual({ org: 'acme', user: undefined, dataFolder: 'here' });
    expect(createKey.parse(['--org', 'x', '--user', 'ann', '--data', 'there'], environment)).toEqual({
      ...{ org: 'x', user: 'ann', dataFolder: 'there' },
    });
    expect(createKey.parse(['--org', 'x'], {})).toMatchObject({ dataFolder: 'service-data' });
    const [first, second] = ['postgres://one/db', 'postgres://two/db'];
    const variables = { COMPLIANCE_SERVICE_DATABASE: first, COMPLIANCE_SERVICE_ATTACHMENTS: 's3://bucket?region=here' };
    expect(createKey.parse(['--org', 'x'], variables)).toMatchObject({ database: { url: first } });
    expect(createKey.parse(['--org', 'x', '--database', second], variables)).toMatchObject({
      database: { url: second },
    });
  });

  it.each([
    [[], 'create-key requires --org'],
    [['--org', 'a b'], '--org a b is not a valid name'],
    [['--org', 'a', '--user', 'a b'], '--user a b is not a valid name'],
    [['--org', 'a', '--database', 'mysql://here/db'], '--database is not the URL of a PostgreSQL database'],
    [['--org', 'a', '--role', 'reader'], "Unknown option '--role'"],
  ])('are rejected in %j, with the remedy', (words, message) => {
    expect(() => createKey.parse(words, {})).toThrow(message);
  });
});
