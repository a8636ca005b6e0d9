import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { everyEndpoint } from '../../../../support/every-endpoint.ts';
import { prepareEverything } from '../../../../support/prepare-organization.ts';
import { startTestService, type TestService } from '../../../../support/service.ts';
import { call } from '../../../../support/service-call.ts';

describe('a service whose database is migrated by a later release', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** Sends a request of every endpoint, and returns the statuses. */
  async function sendEverything(): Promise<readonly unknown[]> {
    await prepareEverything(service, service.org, service.apiKey);
    const statuses = [];
    for (const { endpoint, request } of everyEndpoint) {
      statuses.push([endpoint.title, (await call(service, request(service.org))).status]);
    }
    return statuses;
  }

  it('runs the statements that it has prepared after every table got another column', async () => {
    await sendEverything();
    const before = await sendEverything();
    const tables = await service.storage.query(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
    );
    const alterAll = async (change: string): Promise<void> => {
      for (const { name } of tables) await service.storage.query(`ALTER TABLE "${String(name)}" ${change}`);
    };
    await alterAll('ADD COLUMN added_later text');
    expect(await sendEverything()).toEqual(before);
    // The next test gets the database as it was.
    await alterAll('DROP COLUMN added_later');
    expect(service.errors).toEqual([]);
  });
});
