import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Flow } from '../../../../src/service/domain/records.ts';
import { Connections } from '../../../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../src/service/storage/postgres/database-url.ts';
import { PostgresStorage } from '../../../../src/service/storage/postgres/postgres-storage.ts';
import {
  allOrganizations,
  type ReadTransaction,
  type WriteTransaction,
} from '../../../../src/service/storage/storage.ts';
import { borrowTestDatabase, type BorrowedDatabase } from '../../../support/postgres.ts';
import { countTransactions, waitForOrganizationLock } from '../../../support/postgres-transactions.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';

const orgs = ['acme', 'beta', 'core'];

describe('works of several organizations in PostgreSQL', () => {
  let database: BorrowedDatabase;
  let connections: Connections;
  let storage: PostgresStorage;
  /** Another process. */
  let other: PostgresStorage;
  /** Added to the time that passes. */
  let skipped: number;
  let steps: string[];

  const open = (used = new Connections(parseDatabaseUrl(database.url))): PostgresStorage =>
    new PostgresStorage(used, { ...storageDependencies(), monotonic: () => skipped });
  beforeEach(async () => {
    database = await borrowTestDatabase();
    skipped = 0;
    steps = [];
    connections = new Connections(parseDatabaseUrl(database.url));
    storage = open(connections);
    other = open();
    for (const org of orgs) await storage.transaction(org, ({ organizations }) => organizations.insert(org, 1));
  });
  afterEach(async () => {
    await storage.close();
    await other.close();
    await database.giveBack();
  });

  const nothing = (): Promise<void> => Promise.resolve();
  const saveFlow = async ({ flows }: WriteTransaction, org: string, name: string): Promise<void> => {
    const rest = { description: '', template: [], visibility: undefined, repoUrl: undefined };
    await flows.save({ org, name, ...rest, createdAt: 1, lastModifiedAt: 1 });
  };
  /** Records a flow, which takes this long. */
  const write = (org: string, name = 'web', milliseconds = 0): Promise<void> =>
    storage.transaction(
      org,
      async (transaction) => {
        steps.push(`${org} ${name}`);
        skipped += milliseconds;
        await saveFlow(transaction, org, name);
      },
      nothing,
    );
  const recorded = (): Promise<readonly string[]> =>
    storage.read(async ({ flows }) => {
      const found: string[] = [];
      for (const org of orgs) {
        for (const { name } of await flows.list(org, {}, { offset: 0, limit: 100 })) found.push(`${org} ${name}`);
      }
      return found;
    });

  it('share a transaction if they are prepared', async () => {
    expect(await countTransactions(connections, () => Promise.all(orgs.map((org) => write(org))))).toBe(1);
    expect(await recorded()).toEqual(['acme web', 'beta web', 'core web']);
  });

  it('do not share it with works that are not prepared, and may be long', async () => {
    const long = (): Promise<void> =>
      storage.transaction('beta', (transaction) => saveFlow(transaction, 'beta', 'api'));
    const all = [write('acme'), write('beta'), long(), write('core')];
    expect(await countTransactions(connections, () => Promise.all(all))).toBe(2);
    expect(await recorded()).toEqual(['acme web', 'beta api', 'beta web', 'core web']);
  });

  it('take turns, so that one with many works does not delay the others', async () => {
    const many = ['one', 'two', 'three', 'four', 'five'].map((name) => write('acme', name, 5));
    await Promise.all([...many, write('beta', 'web', 5), write('core', 'web', 5)]);
    expect(steps.slice(0, 3)).toEqual(['acme one', 'beta web', 'core web']);
    expect(steps.slice(3)).toEqual(['acme two', 'acme three', 'acme four', 'acme five']);
  });

  it('do not wait for one that another process has locked', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let locked: () => void = () => undefined;
    const hasLocked = new Promise<void>((resolve) => (locked = resolve));
    const holding = other.transaction('beta', async () => {
      locked();
      await held;
    });
    await hasLocked;
    const waiting = write('beta');
    await Promise.all([write('acme'), write('core')]);
    // From now on, the others do not even try.
    await Promise.all([write('acme', 'api'), write('core', 'api')]);
    expect(await recorded()).toEqual(['acme api', 'acme web', 'core api', 'core web']);
    release();
    await Promise.all([holding, waiting]);
    expect(await recorded()).toContain('beta web');
  });

  it('see what another process has changed while they waited for it', async () => {
    await write('acme');
    const find = ({ flows }: ReadTransaction): Promise<Flow | undefined> => flows.find('acme', 'web');
    expect(await storage.read(find)).toMatchObject({ description: '' });
    let looking: Promise<Flow | undefined> | undefined;
    await other.transaction('acme', async (transaction) => {
      looking = storage.transaction('acme', find);
      expect(await waitForOrganizationLock(database.url)).toBe(true);
      const flow = await find(transaction);
      if (flow !== undefined) await transaction.flows.save({ ...flow, description: 'changed' });
    });
    expect(await looking).toMatchObject({ description: 'changed' });
  });

  it('are recorded if one of them fails, which is run again alone', async () => {
    const failing = storage.transaction('beta', () => Promise.reject(new RangeError('on purpose')), nothing);
    const refused = write('core', '\0');
    const outcomes = await Promise.allSettled([write('acme'), failing, refused, write('core')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await expect(failing).rejects.toThrow(RangeError);
    await expect(refused).rejects.toMatchObject({ code: '22021' });
    expect(await recorded()).toEqual(['acme web', 'core web']);
  });

  it.each([
    ['failed', () => storage.transaction('beta', () => Promise.reject(new Error('on purpose')), nothing)],
    ['was refused by the database', () => write('beta', '\0')],
    [
      'could not be prepared',
      () => storage.transaction('beta', nothing, () => Promise.reject(new Error('on purpose'))),
    ],
    ['took long', () => write('beta', 'slow', 60)],
  ])('do not wait for one that recently %s', async (_, keepWaiting) => {
    const countAll = (): Promise<number> =>
      countTransactions(connections, () => Promise.all(orgs.map((org) => write(org))));
    await keepWaiting().catch(() => undefined);
    expect(await countAll()).toBe(2);
    skipped += 11_000;
    expect(await countAll()).toBe(1);
  });

  it('do not keep apart those that failed only because of another one', async () => {
    const look = (): Promise<number> => storage.transaction('core', ({ flows }) => flows.count('core', {}), nothing);
    const outcomes = await Promise.allSettled([write('acme'), write('beta', '\0'), look()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await countTransactions(connections, () => Promise.all([write('acme'), write('core')]))).toBe(1);
  });

  it('end if those of two processes, and of all organizations, wait for each other', async () => {
    const names = Array.from({ length: 12 }, (_, number) => `flow-${10 + number}`);
    const writes = names.map((name) =>
      Promise.all([
        ...orgs.map((org) => write(org, name)),
        ...orgs
          .toReversed()
          .map((org) =>
            other.transaction(org, (transaction) => saveFlow(transaction, org, `${name}-of-other`), nothing),
          ),
        other.transaction(allOrganizations, (transaction) => saveFlow(transaction, 'acme', `${name}-of-all`)),
      ]),
    );
    await Promise.all(writes);
    expect(await recorded()).toHaveLength(12 * 7);
  });
});
