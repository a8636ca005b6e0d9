import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connections } from '../../../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../src/service/storage/postgres/database-url.ts';
import { PostgresStorage } from '../../../../src/service/storage/postgres/postgres-storage.ts';
import type { WriteTransaction } from '../../../../src/service/storage/storage.ts';
import { borrowTestDatabase, type BorrowedDatabase } from '../../../support/postgres.ts';
import { SentStatements } from '../../../support/sent-statements.ts';
import { sampleArtifact } from '../../../support/service-samples.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';

const flow = { org: 'acme', flow: 'web' };
const template = { text: '', attestations: [], artifacts: [] };

describe('insertions of a transaction in PostgreSQL', () => {
  let database: BorrowedDatabase;
  let storage: PostgresStorage;
  let sent: SentStatements;

  beforeEach(async () => {
    database = await borrowTestDatabase();
    const connections = new Connections(parseDatabaseUrl(database.url));
    storage = new PostgresStorage(connections, storageDependencies());
    await storage.transaction('acme', async ({ organizations, flows }) => {
      await organizations.insert('acme', 1);
      const rest = { description: '', template: [], visibility: undefined, repoUrl: undefined };
      await flows.save({ org: 'acme', name: 'web', ...rest, createdAt: 1, lastModifiedAt: 1 });
    });
    sent = new SentStatements(connections);
  });
  afterEach(async () => {
    await storage.close();
    await database.giveBack();
  });

  /** The names of the statements that were sent to insert. */
  const inserted = (): readonly string[] => sent.names.filter((name) => /insert/iu.test(name));

  /** Inserts an attestation of a trail with its number, as current evidence of the flow's only place. */
  const insert = async ({ trails, attestations }: WriteTransaction, sequence: number, id = `id-${sequence}`) => {
    const trail = `trail-${sequence}`;
    await trails.insertMissing({ ...flow, name: trail, createdAt: sequence, report: {} });
    await attestations.insert({
      ...{
        ...flow,
        trail,
        id,
        name: 'unit',
        type: 'generic',
        verdict: 'compliant',
        reason: `"${sequence}" \\ {,}`,
        faults: [],
      },
      ...{ createdAt: sequence + 0.1, reportedBy: 'ann', documentJson: '{"a": ["\\\\"]}', isStepBack: false },
      ...{ scopes: ['trail/a'], evidence: 'unit', requestKey: undefined, sequence },
    });
  };

  /** Reports an artifact to another trail with the same number. */
  const report = async ({ trails, artifacts }: WriteTransaction, number: number) => {
    const trail = `build-${number}`;
    await trails.insertMissing({ ...flow, name: trail, createdAt: number, report: {} });
    const reported = sampleArtifact({ trail_name: trail });
    const artifact = { ...flow, id: `artifact-${number}`, createdAt: number, reportedBy: 'ann', report: reported };
    await artifacts.insert(artifact, JSON.stringify(reported));
  };

  it('share statements until something else is asked', async () => {
    const counts: number[] = [];
    await storage.transaction('acme', async (transaction) => {
      for (const sequence of [1, 2, 3]) await insert(transaction, sequence);
      counts.push(inserted().length);
      counts.push(await transaction.trails.count('acme', { flow: 'web' }));
      await insert(transaction, 4);
    });
    expect(counts).toEqual([0, 3]);
    const pair = ['trails.insertMissing', 'attestations.insert'];
    expect(inserted()).toEqual([...pair, ...pair]);
  });

  it('are seen by lookups of the same transaction, each with its own values', async () => {
    const found = await storage.transaction('acme', async (transaction) => {
      const { attestations } = transaction;
      await insert(transaction, 1);
      const before = await attestations.listCurrent(flow, ['trail/a']);
      await insert(transaction, 2);
      await insert(transaction, 3);
      return [before, await attestations.listCurrent(flow, ['trail/a'])];
    });
    expect(found.map((current) => current.get('trail/a'))).toMatchObject([
      [{ id: 'id-1', trail: 'trail-1', reason: String.raw`"1" \ {,}`, createdAt: 1.1 }],
      [{ id: 'id-3', trail: 'trail-3', reason: String.raw`"3" \ {,}`, createdAt: 3.1 }],
    ]);
    const bound = await storage.read(({ attestations }) => attestations.listBound(flow, ['trail/a'], 10));
    expect(bound.map(({ createdAt }) => createdAt)).toEqual([3.1, 2.1, 1.1]);
    const document = await storage.read(({ attestations }) => attestations.find('acme', 'web', 'trail-2', 'id-2'));
    expect(document).toMatchObject({ document: { a: ['\\'] } });
  });

  it('are not seen by lookups that were called before them', async () => {
    const found = await storage.transaction('acme', async (transaction) => {
      await insert(transaction, 1);
      const looking = transaction.attestations.listCurrent(flow, ['trail/a']);
      await insert(transaction, 2);
      return (await looking).get('trail/a');
    });
    expect(found).toMatchObject([{ id: 'id-1' }]);
  });

  it('are sent after the rows that they refer to, also if they are many and of several tables', async () => {
    await storage.transaction('acme', async (transaction) => {
      for (let number = 1; number <= 20; number += 1) {
        await insert(transaction, number);
        await report(transaction, number);
      }
    });
    const found = await storage.read(({ artifacts }) => artifacts.listReports(flow, { limit: 99, offset: 0 }));
    expect(found.map(({ createdAt }) => createdAt)).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
    const trails = 'trails.insertMissing';
    expect(inserted()).toEqual([trails, trails, 'attestations.insert', 'artifacts.insert']);
  });

  it('fail with the error of the database, and leave nothing', async () => {
    const failing = storage.transaction('acme', async (transaction) => {
      await insert(transaction, 1, 'same');
      await insert(transaction, 2, 'same');
    });
    await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'attestations_by_id' });
    expect(await storage.read(({ trails }) => trails.count('acme', { flow: 'web' }))).toBe(0);
  });

  it.each([
    ['is waited for', ({ trails }: WriteTransaction) => trails.count('acme', { flow: 'web' })],
    ['shares a statement', ({ attestations }: WriteTransaction) => attestations.listCurrent(flow, ['trail/a'])],
    ['is only sent', ({ trails }: WriteTransaction) => trails.saveTemplate({ ...flow, name: 'trail-1' }, template)],
  ])('fail with their own error, not with the one of a later statement, which %s', async (_, ask) => {
    const failing = storage.transaction('acme', async (transaction) => {
      await insert(transaction, 1, 'same');
      await insert(transaction, 2, 'same');
      await ask(transaction);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'attestations_by_id' });
  });

  it('are not sent after the end of their transaction', async () => {
    let late: Promise<void> | undefined;
    await storage.transaction('acme', async (transaction) => {
      await insert(transaction, 1);
      setImmediate(() => {
        late = insert(transaction, 2);
      });
    });
    while (late === undefined) await new Promise((resolve) => setImmediate(resolve));
    await expect(late).rejects.toThrow('the transaction has ended');
    expect(await storage.read(({ trails }) => trails.count('acme', { flow: 'web' }))).toBe(1);
  });
});
