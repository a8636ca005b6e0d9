import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listFlowOverviews, listTrailStates } from '../../../src/service/application/trail-states.ts';
import { Connections } from '../../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../src/service/storage/postgres/database-url.ts';
import { PostgresStorage } from '../../../src/service/storage/postgres/postgres-storage.ts';
import { borrowTestDatabase, type BorrowedDatabase } from '../../support/postgres.ts';
import { Records } from '../../support/records.ts';
import { SentStatements } from '../../support/sent-statements.ts';
import { storageDependencies } from '../../support/storage-dependencies.ts';

describe('the states of ten trails in PostgreSQL', () => {
  let database: BorrowedDatabase;
  let storage: PostgresStorage;
  let records: Records;
  let sent: SentStatements;

  beforeEach(async () => {
    database = await borrowTestDatabase();
    const connections = new Connections(parseDatabaseUrl(database.url));
    storage = new PostgresStorage(connections, storageDependencies());
    records = new Records(storage);
    await records.createOrganization('acme', 1);
    const flow = { org: 'acme', name: 'web', description: '', template: ['unit'], repoUrl: undefined };
    await records.saveFlow({ ...flow, visibility: undefined }, 2);
    for (let number = 1; number <= 10; number += 1) {
      const trail = { org: 'acme', flow: 'web', name: `build-${number}`, report: {}, template: undefined };
      await records.beginTrail(trail, 2 + number);
    }
    sent = new SentStatements(connections);
  });
  afterEach(async () => {
    await storage.close();
    await database.giveBack();
  });

  /** How often the statements were sent that find the templates and the evidence of trails. */
  const countLookups = (): readonly number[] =>
    ['trails.listTemplates', 'attestations.listCurrent'].map((name) => sent.names.filter((one) => one === name).length);

  it('are found with as many lookups as that of one, for the page of a flow', async () => {
    const query = { org: 'acme', flow: 'web', offset: 0, limit: 25, state: 'INCOMPLETE' } as const;
    expect((await listTrailStates(records.at(20), query))?.trails).toHaveLength(10);
    expect(countLookups()).toEqual([1, 1]);
  });

  it('are found with as many lookups as that of one, for the list of flows', async () => {
    const { flows } = await listFlowOverviews(records.at(20), { org: 'acme', offset: 0, limit: 20, trails: 10 });
    expect(flows.map(({ trails }) => trails.length)).toEqual([10]);
    expect(countLookups()).toEqual([1, 1]);
  });
});
