import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { PostgresStorage } from '../../../../../src/service/platform/database/postgres/postgres-storage.ts';
import type { ReadTransaction, Storage } from '../../../../../src/service/platform/database/storage.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';
import { Records } from '../../../../support/records.ts';

/** The descriptions of flows by name; each is the number of the write that it is from. */
type State = Readonly<Record<string, string>>;

const flows = ['web', 'api', 'cli'] as const;
const lookups = ['find', 'list', 'find and list', 'list and find'] as const;
const process = fc.nat({ max: 1 });
const read = fc.nat({ max: 3 });

/** What happens next. Two lookups begin at the same time. */
const look = fc.record({ kind: fc.constantFrom(...lookups), read, flow: fc.constantFrom(...flows) });
const step = fc.oneof(
  { weight: 6, arbitrary: look },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('look during a write'), look, process }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write'), process, flow: fc.constantFrom(...flows) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end'), read }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look while writing'), process }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Look = typeof look extends fc.Arbitrary<infer Value> ? Value : never;
/** What one or several lookups found. */
type Lookup = (transaction: ReadTransaction) => Promise<readonly State[]>;

describe('reads in two processes, with writes between their lookups', () => {
  let database: TestDatabase;
  let processes: readonly Storage[];
  let organizations = 0;

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    processes = [open(), open()];
  });
  afterEach(async () => {
    for (const storage of processes) await storage.close();
    await database.drop();
  });

  const open = (): Storage =>
    new PostgresStorage(new Connections(parseDatabaseUrl(database.url)), storageDependencies());
  const at = (index: number): Storage => {
    const found = processes[index];
    if (found === undefined) throw new RangeError(`there is no process ${index}`);
    return found;
  };

  it('see one state each, which is not older than their begin', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }), async (steps) => {
        const org = `acme-${(organizations += 1)}`;
        await new Records(at(0)).createOrganization(org, 1);
        const states: State[] = [{}];
        const write = async (index: number, flow: string): Promise<void> => {
          const rest = { template: [], visibility: undefined, repoUrl: undefined, createdAt: 1, lastModifiedAt: 1 };
          const description = String(states.length);
          await at(index).transaction(org, (transaction) =>
            transaction.flows.save({ org, name: flow, description, ...rest }),
          );
          states.push({ ...states.at(-1), [flow]: description });
        };
        const list = async (transaction: ReadTransaction): Promise<State> => {
          const listed = await transaction.flows.list(org, {}, { offset: 0, limit: 10 });
          return Object.fromEntries(listed.map(({ name, description }) => [name, description]));
        };
        const find = async (transaction: ReadTransaction, flow: string): Promise<State> => {
          const found = await transaction.flows.find(org, flow);
          return { [flow]: found?.description ?? 'missing' };
        };
        const toLookup =
          (kind: (typeof lookups)[number], flow: string): Lookup =>
          (transaction) => {
            const kinds = kind.split(' and ');
            return Promise.all(kinds.map((each) => (each === 'list' ? list(transaction) : find(transaction, flow))));
          };
        const isSeen = (state: State, seen: State): boolean =>
          Object.entries(seen).every(([flow, description]) => (state[flow] ?? 'missing') === description);
        const running = new Map<number, { readonly read: SteppedRead; readonly from: number }>();
        const end = async (index: number): Promise<void> => {
          const ending = running.get(index);
          running.delete(index);
          if (ending === undefined) return;
          const seen = await ending.read.end();
          const possible = states.slice(ending.from);
          expect(possible.filter((state) => seen.every((each) => isSeen(state, each)))).not.toEqual([]);
        };
        const takeLook = async (next: Look): Promise<void> => {
          const storage = at(next.read % 2);
          const known = running.get(next.read) ?? { read: new SteppedRead(storage), from: states.length - 1 };
          running.set(next.read, known);
          await known.read.look(toLookup(next.kind, next.flow));
        };
        const take = async (next: Step): Promise<void> => {
          if (next.kind === 'write') await write(next.process, next.flow);
          else if (next.kind === 'look during a write')
            await Promise.all([write(next.process, next.look.flow), takeLook(next.look)]);
          else if (next.kind === 'end') await end(next.read);
          else if (next.kind === 'look while writing') {
            const seen = await at(next.process).transaction(org, (transaction) =>
              Promise.all(flows.map((flow) => find(transaction, flow))),
            );
            expect(seen.every((found) => isSeen(states.at(-1) ?? {}, found))).toBe(true);
          } else await takeLook(next);
        };
        for (const flow of flows) await write(0, flow);
        for (const index of [0, 1]) await take({ kind: 'look while writing', process: index });
        try {
          for (const each of steps) await take(each);
          for (const index of [...running.keys()]) await end(index);
        } finally {
          // The storage cannot be closed before.
          await Promise.allSettled([...running.values()].map((left) => left.read.end()));
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** A read that makes one lookup after the other when it is told to. If it is run again, it makes all of them again. */
class SteppedRead {
  readonly #lookups: (Lookup | 'end')[] = [];
  readonly #seen: Promise<readonly State[]>;
  #onLookup = Promise.withResolvers<undefined>();
  #onLooked = Promise.withResolvers<undefined>();

  constructor(storage: Storage) {
    this.#seen = storage.read(async (transaction) => {
      const seen: (readonly State[])[] = [];
      for (;;) {
        while (seen.length === this.#lookups.length) await this.#onLookup.promise;
        const next = this.#lookups[seen.length];
        if (next === undefined || next === 'end') return seen.flat();
        seen.push(await next(transaction));
        if (seen.length === this.#lookups.length) this.#onLooked.resolve(undefined);
      }
    });
    this.#seen.catch((error: unknown) => {
      this.#onLooked.reject(error);
    });
  }

  /** Makes a lookup, and waits for its result. */
  async look(lookup: Lookup): Promise<void> {
    this.#onLooked = Promise.withResolvers();
    this.#tell(lookup);
    await this.#onLooked.promise;
  }

  /** Ends the read. Returns what it saw. */
  end(): Promise<readonly State[]> {
    this.#tell('end');
    return this.#seen;
  }

  #tell(next: Lookup | 'end'): void {
    this.#lookups.push(next);
    this.#onLookup.resolve(undefined);
    this.#onLookup = Promise.withResolvers();
  }
}
