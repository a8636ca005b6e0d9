import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../../src/runtime/clock.ts';
import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { PostgresStorage } from '../../../../../src/service/platform/database/postgres/postgres-storage.ts';
import { allOrganizations, type WriteTransaction } from '../../../../../src/service/platform/database/storage.ts';
import { StorageError } from '../../../../../src/service/platform/database/storage-error.ts';
import { type CommitCutter, startCommitCutter } from '../../../../support/commit-cutter.ts';
import { type BorrowedDatabase, borrowTestDatabase } from '../../../../support/postgres.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';

const orgs = ['acme', 'beta', 'core'];

/** How much faster the storage waits: it asks for the outcome of a lost commit for ten seconds. */
const speed = 20;

describe('attestations of several organizations in PostgreSQL, while connections and the database fail', () => {
  let database: BorrowedDatabase;
  let cutter: CommitCutter;
  /** Its connections can be cut, and wait for a lock only shortly. */
  let storage: PostgresStorage;
  /** Another process. */
  let other: PostgresStorage;

  beforeEach(async () => {
    database = await borrowTestDatabase();
    cutter = await startCommitCutter(new URL(database.url));
    const url = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String(cutter.port);
    const connections = new Connections(parseDatabaseUrl(url.href), { maximum: 8, limits: { lock_timeout: 300 } });
    // Time passes only while it waits, so that no work takes long.
    let now = 0;
    storage = new PostgresStorage(connections, {
      ...storageDependencies(),
      monotonic: () => now,
      after: (milliseconds, fire) =>
        systemClock.after(milliseconds / speed, () => {
          now += milliseconds;
          fire();
        }),
    });
    other = new PostgresStorage(new Connections(parseDatabaseUrl(database.url)), storageDependencies());
    for (const org of orgs) {
      await other.transaction(org, async ({ organizations, flows }) => {
        await organizations.insert(org, 1);
        const rest = { description: '', template: [], visibility: undefined, repoUrl: undefined };
        await flows.save({ org, name: 'web', ...rest, lastModifiedAt: 1 });
      });
    }
  });
  afterEach(async () => {
    cutter.refuse(false);
    await storage.close();
    await other.close();
    await cutter.close();
    await database.giveBack();
  });

  const insert = async ({ trails, attestations }: WriteTransaction, org: string, trail: string): Promise<void> => {
    const latest = await attestations.findLatest({ org, flow: 'web' });
    await trails.insertMissing({ org, flow: 'web', name: trail, createdAt: 2, report: {} });
    await attestations.insert({
      ...{ org, flow: 'web', trail, id: `${org}-${trail}`, name: 'unit', type: 'generic', verdict: 'compliant' },
      ...{ reason: '', faults: [], createdAt: 2, reportedBy: 'ann', documentJson: '{}', isStepBack: false },
      ...{ scopes: ['trail/a'], evidence: 'unit', requestKey: undefined, sequence: (latest?.sequence ?? 0) + 1 },
    });
  };
  /** @param meanwhile is called after the insertion */
  const attest = (
    org: string,
    trail: string,
    { by = storage, meanwhile = (): void => undefined } = {},
  ): Promise<void> =>
    by.transaction(org, async (transaction) => {
      await insert(transaction, org, trail);
      meanwhile();
      await transaction.attestations.listCurrent({ org, flow: 'web' }, ['trail/a']);
    });
  const attestAll = (trail: string): Promise<readonly PromiseSettledResult<void>[]> =>
    Promise.allSettled(orgs.map((org) => attest(org, trail)));
  const statusOf = (outcomes: readonly PromiseSettledResult<unknown>[]): readonly string[] =>
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.status : nameOf(outcome.reason)));
  const nameOf = (error: unknown): string =>
    error instanceof StorageError ? `${error.name} ${error.reason}` : String(error);
  /** The trails of each organization's attestations in the order of their sequence numbers, which have no gaps. */
  const recorded = (): Promise<readonly (readonly string[])[]> =>
    other.read(async ({ attestationSeries }) => {
      const found: (readonly string[])[] = [];
      for (const org of orgs) {
        const all = await attestationSeries.listRange({ org, flow: 'web' }, { first: 0, last: 100 });
        expect(all.map(({ sequence }) => sequence).toReversed()).toEqual(all.map((_, index) => index + 1));
        found.push(all.map(({ trail }) => trail).toReversed());
      }
      return found;
    });
  const three = <Item>(item: Item): readonly Item[] => orgs.map(() => item);

  it('are refused if the connection is lost before their end', async () => {
    const outcomes = await Promise.allSettled([
      attest('acme', 'one', {
        meanwhile: () => {
          cutter.reset();
        },
      }),
    ]);
    expect(statusOf(outcomes)).toEqual(['StorageError unreachable']);
    expect(await recorded()).toEqual(three([]));
  });

  it('are refused if a transaction of all organizations takes too long, and recorded after it', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const holding = other.transaction(allOrganizations, () => {
      begin();
      return held;
    });
    await begun;
    expect(statusOf(await attestAll('one'))).toEqual(three('StorageError slow'));
    release();
    await holding;
    expect(await recorded()).toEqual(three([]));
    expect(statusOf(await attestAll('two'))).toEqual(three('fulfilled'));
    expect(await recorded()).toEqual(three(['two']));
  });

  it('are recorded if one of them waits for a row too long', async () => {
    await withAdministrator(database.url, async (client) => {
      await client.query("BEGIN; INSERT INTO trails (org, flow, name, created_at) VALUES ('beta', 'web', 'one', 1)");
      expect(statusOf(await attestAll('one'))).toEqual(['fulfilled', 'StorageError slow', 'fulfilled']);
      await client.query('ROLLBACK');
    });
    expect(await recorded()).toEqual([['one'], [], ['one']]);
    expect(statusOf(await attestAll('two'))).toEqual(three('fulfilled'));
  });
});
