import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordArtifact } from '../../../../src/service/application/artifacts.ts';
import { recordAttestation } from '../../../../src/service/application/attestations.ts';
import type { KeyedRequest } from '../../../../src/service/application/carry-out-once.ts';
import { beginTrail } from '../../../../src/service/application/trails.ts';
import { Connections } from '../../../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../src/service/storage/postgres/database-url.ts';
import { PostgresStorage } from '../../../../src/service/storage/postgres/postgres-storage.ts';
import { borrowTestDatabase, type BorrowedDatabase } from '../../../support/postgres.ts';
import { Records } from '../../../support/records.ts';
import { SentStatements } from '../../../support/sent-statements.ts';
import { commitOf, sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';

const orgs = ['acme', 'beta'];
/** The numbers of the writes of each organization. */
const numbers = [1, 2, 3, 4, 5, 6, 7, 8];

/** What every transaction sends: its locks, and what it asks and says about changes. */
const frame = ['transactions.tryLocks', 'changes.find', 'transactions.record'];
const trailReads = ['remembered_answers.find', 'trails.find'];
const answerWrites = ['remembered_answers.save', 'remembered_answers.deleteOldest'];

describe('writes of a pipeline that wait, in PostgreSQL', () => {
  let database: BorrowedDatabase;
  let records: Records;
  let storage: PostgresStorage;
  let sent: SentStatements;

  beforeEach(async () => {
    database = await borrowTestDatabase();
    const connections = new Connections(parseDatabaseUrl(database.url));
    storage = new PostgresStorage(connections, { ...storageDependencies(), monotonic: () => 0 });
    records = new Records(storage);
    // Writes use caches after the first read.
    await records.hasOrganization('acme');
    for (const org of orgs) {
      await records.createOrganization(org, 1);
      const rest = { description: '', template: [], visibility: undefined, repoUrl: undefined };
      await records.saveFlow({ org, name: 'web', ...rest }, 2);
      // It caches what all of them read: the flow, and whether there are policies.
      await writeArtifact(org, 0);
    }
    sent = new SentStatements(connections);
  });
  afterEach(async () => {
    await storage.close();
    await database.giveBack();
  });

  const keyed = <Result>(org: string, scope: string, number: number): KeyedRequest<Result> => ({
    ...{ org, scope, key: `key ${number}`, digest: `digest ${number}` },
    toAnswer: () => ({ status: 201, body: '"OK"' }),
  });
  const writeArtifact = (org: string, number: number): Promise<unknown> =>
    recordArtifact(
      records.at(10),
      {
        ...{ org, flow: 'web', id: `artifact-${number}`, createdAt: 10, reportedBy: 'ann' },
        report: sampleArtifact({ trail_name: `trail-${number}` }),
      },
      keyed(org, 'artifacts', number),
    );
  const writeTrail = (org: string, number: number, trail = number): Promise<unknown> =>
    beginTrail(
      records.at(10),
      {
        ...{ org, flow: 'web', name: `trail-${trail}`, template: undefined },
        report: { description: `from ${number}`, git_commit_info: { sha1: commitOf('1') } },
      },
      keyed(org, 'trails', number),
    );
  const writeAttestation = (org: string, number: number): Promise<unknown> =>
    recordAttestation(
      records.at(10),
      {
        ...{ org, flow: 'web', trail: `trail-${number}`, id: `attestation-${number}`, name: 'unit', type: 'generic' },
        ...{ verdict: 'compliant', reason: '', faults: [], createdAt: 10, reportedBy: 'ann' },
        document: sampleAttestation('OK', { attestation_name: 'unit' }),
      },
      keyed(org, 'attestations', number),
    );
  const writeAll = (...writes: readonly ((org: string, number: number) => Promise<unknown>)[]): Promise<unknown> =>
    Promise.all(numbers.flatMap((number) => orgs.flatMap((org) => writes.map((write) => write(org, number)))));

  it.each([
    [
      'reports of artifacts',
      writeArtifact,
      ['artifacts.findRequestDigest', 'trails.insertMissing', 'artifacts.insert'],
    ],
    ['attestations', writeAttestation, ['attestations.findConditions', 'trails.insertMissing', 'attestations.insert']],
    ['new trails', writeTrail, [...trailReads, 'trails.save', ...answerWrites]],
  ])('%s take three round trips together, and as many statements as one of them', async (_, write, statements) => {
    await writeAll(write);
    expect(sent.roundTrips).toBe(3);
    expect(sent.names.toSorted()).toEqual([...frame, ...statements].toSorted());
  });

  it('updates of trails do, too', async () => {
    await writeAll(writeTrail);
    sent.clear();
    await writeAll((org, number) => writeTrail(org, number + 100, number));
    expect(sent.roundTrips).toBe(3);
    const statements = [...trailReads, 'trails.save', 'trails.addUpdate', ...answerWrites];
    expect(sent.names.toSorted()).toEqual([...frame, ...statements].toSorted());
  });

  it('different ones share them', async () => {
    await writeAll(writeArtifact, writeAttestation);
    expect(sent.roundTrips).toBe(3);
    const evidence = ['attestations.findConditions', 'attestations.insert'];
    const reports = ['artifacts.findRequestDigest', 'artifacts.insert'];
    expect(sent.names.toSorted()).toEqual([...frame, ...evidence, ...reports, 'trails.insertMissing'].toSorted());
  });
});
