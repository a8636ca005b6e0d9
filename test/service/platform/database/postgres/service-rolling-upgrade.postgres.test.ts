import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate, scripts } from '../../../../../src/service/platform/database/postgres/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { type ServiceInstance, startInstance } from '../../../../support/service-instances.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';
import { prepareLoad, WritingLoad } from '../../../../support/writing-load.ts';

/** The scripts of a later release: a new table, and a column more in all others. */
const nextScripts = [
  ...scripts,
  `CREATE TABLE added (org text PRIMARY KEY);
  DO $$ DECLARE changed text; BEGIN
    FOR changed IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'added' LOOP
      EXECUTE format('ALTER TABLE %I ADD COLUMN added text', changed);
    END LOOP;
  END $$`,
];

const [current, next] = [scripts.length, nextScripts.length];

describe('a rolling upgrade', () => {
  let database: TestDatabase;
  let services: ServiceInstance[];

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.stop();
    await database.drop();
  });

  const start = async (): Promise<ServiceInstance> => {
    const service = await startInstance({ url: database.url });
    services.push(service);
    return service;
  };
  const migrateTo = (steps: readonly string[]): ReturnType<typeof migrate> =>
    withAdministrator(database.url, (client) => migrate(client, 'the test database', steps));

  it('changes no answer of running services, and lets more of this version start', async () => {
    const [one, two] = [await start(), await start()];
    const load = new WritingLoad([one.baseUrl, two.baseUrl]);
    try {
      await prepareLoad(one.baseUrl);
      load.start();
      await load.proceed(60);
      expect(await migrateTo(nextScripts)).toEqual({ from: current, to: next });
      await load.proceed(60);
      const three = await start();
      await load.stop();
      expect(load.refusals).toEqual(new Map());
      for (const { baseUrl } of [one, two, three]) await load.expectRecords(baseUrl);
      for (const { errors } of services) expect(errors).toEqual([]);
    } finally {
      await load.abandon();
    }
  }, 60_000);

  it('is refused by services that are older by two releases', async () => {
    await migrateTo([...nextScripts, 'CREATE TABLE later (org text)']);
    await expect(start()).rejects.toThrow(
      `has version ${next + 1}, but this service supports only versions up to ${next}; start a newer version of the service`,
    );
  });

  it('is carried out once by processes that begin it at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 5 }, () => migrateTo(nextScripts)));
    expect(results.filter(({ from }) => from === current)).toEqual([{ from: current, to: next }]);
    expect(results.filter(({ from }) => from === next)).toHaveLength(4);
  });
});
