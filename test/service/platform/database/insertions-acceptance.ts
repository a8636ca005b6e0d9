import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LatestAttestation } from '../../../../src/service/attestation/attestation-records.ts';
import {
  allOrganizations,
  type Storage,
  type WriteTransaction,
} from '../../../../src/service/platform/database/storage.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

const maximumNames = 2;

/** An attestation that is inserted unless it is a repetition or one name too many. */
interface Insertion {
  readonly flow: string;
  readonly scopes: readonly string[];
  readonly evidence: string;
  readonly key: string | undefined;
  readonly countsFor?: readonly string[] | undefined;
}

const insertions = fc.array(
  fc.record({
    flow: fc.constantFrom('web', 'api'),
    scopes: fc.subarray(['trail/a', 'trail/b', 'trail/c'], { minLength: 1 }),
    evidence: fc.constantFrom('unit', 'sonar', 'scan'),
    key: fc.option(fc.constantFrom('one', 'two', 'three'), { nil: undefined }),
    countsFor: fc.constantFrom(undefined, [], ['staging']),
  }),
  { minLength: 1, maxLength: 20 },
);

interface Place extends Insertion {
  readonly org: string;
}

/** What decides about an insertion. */
interface Conditions {
  readonly requestDigest: string | undefined;
  readonly isAnyScopeFull: boolean;
  readonly latest: LatestAttestation | undefined;
}

/** An insertion in one of three organizations. */
const attempt = fc.record({
  place: fc.constantFrom(0, 1, 2),
  end: fc.oneof(
    { weight: 6, arbitrary: fc.constant('succeeds') },
    { weight: 1, arbitrary: fc.constantFrom('rejects', 'is refused') },
  ),
});

const anyPlace = { flow: 'web', scopes: ['trail/a'], evidence: 'unit', key: undefined, countsFor: undefined };

/** The number of an attestation that was recorded before. */
const first = -1;

/** What every storage adapter must do for concurrent insertions of attestations. */
export function describeInsertions(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let organizations = 0;
    beforeEach(async () => {
      tested = await open();
    });
    afterEach(() => tested.remove());

    const createOrganization = async (): Promise<string> => {
      const org = `acme-${(organizations += 1)}`;
      await tested.records.createOrganizationWithFlows(org, ['web', 'api']);
      return org;
    };

    it('sees what those before it inserted', async () => {
      await fc.assert(
        fc.asyncProperty(insertions, async (all) => {
          const org = await createOrganization();
          /** What each of them saw, in the order in which they were committed. */
          const seen = new Map<number, { readonly insertion: Insertion; readonly conditions: Conditions }>();
          let runs = 0;
          await Promise.all(
            all.map((insertion, number) => {
              const place = { ...insertion, org };
              const work = async (transaction: WriteTransaction): Promise<void> => {
                const conditions = await findConditions(transaction, place);
                runs += 1;
                seen.delete(number);
                seen.set(number, { insertion, conditions });
                if (isInserted(conditions)) await insert(transaction, place, conditions, number);
              };
              return tested.records.storage.transaction(org, work);
            }),
          );
          expect(runs).toBe(all.length);
          const model = new Model();
          for (const [number, { insertion, conditions }] of seen) {
            expect(conditions).toEqual(model.conditions(insertion));
            if (isInserted(conditions)) model.insert(insertion, number);
          }
        }),
        { numRuns: 15 },
      );
    });

    it('is recorded once if it succeeds, whatever happens to others of the same and of other organizations', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 20, size: 'max' }), async (all) => {
          // Each call may use another process.
          const storage = (): Storage => tested.records.storage;
          const orgs = [await createOrganization(), await createOrganization(), await createOrganization()];
          const placeIn = (org: string): Place => ({ ...anyPlace, org });
          const add = (org: string, number: number) => async (transaction: WriteTransaction) =>
            insert(transaction, placeIn(org), await findConditions(transaction, placeIn(org)), number);
          for (const org of orgs) await storage().transaction(org, add(org, first));
          const outcomes = await Promise.allSettled(
            all.map(({ place, end }, number) => {
              const org = orgs[place] ?? '';
              const work = async (transaction: WriteTransaction): Promise<void> => {
                // The database refuses a second attestation with the same id.
                await add(org, end === 'is refused' ? first : number)(transaction);
                if (end === 'rejects') throw new Error('on purpose');
              };
              return storage().transaction(org, work);
            }),
          );
          expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
            all.map(({ end }) => end === 'succeeds'),
          );
          for (const [place, org] of orgs.entries()) {
            const numbers = all.flatMap((each, number) =>
              each.place === place && each.end === 'succeeds' ? number : [],
            );
            const recorded = await storage().read(({ attestations }) =>
              attestations.listByTrail({ org, flow: 'web' }, 'main', 100),
            );
            expect(recorded.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)).toEqual([first, ...numbers]);
            expect(recorded.map(({ sequence }) => sequence).toReversed()).toEqual(
              recorded.map((_, index) => index + 1),
            );
          }
        }),
        { numRuns: 10 },
      );
    });

    it('takes neither the place nor all names of evidence that counts for other environments', async () => {
      const org = await createOrganization();
      const add = (evidence: string, number: number, countsFor?: readonly string[]): Promise<Conditions> =>
        tested.records.storage.transaction(org, async (transaction) => {
          const place = { ...anyPlace, org, evidence, countsFor };
          const conditions = await findConditions(transaction, place);
          if (!conditions.isAnyScopeFull) await insert(transaction, place, conditions, number);
          return conditions;
        });
      await add('unit', 1);
      await add('unit', 2, []);
      await add('unit', 3, ['staging']);
      await add('unit', 4, []);
      await add('scan', 5, []);
      expect((await add('more', 6, [])).isAnyScopeFull).toBe(true);
      expect((await add('more', 7)).isAnyScopeFull).toBe(false);
      const current = await tested.records.storage.read(({ attestations }) =>
        attestations.listCurrent({ org, flow: 'web' }, ['trail/a']),
      );
      const found = current.get('trail/a')?.map(({ name: of, createdAt, countsFor }) => [createdAt, of, countsFor]);
      expect(found?.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
        [1, 'unit', undefined],
        [3, 'unit', ['staging']],
        [4, 'unit', []],
        [5, 'scan', []],
        [7, 'more', undefined],
      ]);
    });

    it('sees nothing of another organization in a transaction of all', async () => {
      const rest = { flow: 'web', evidence: 'unit', key: undefined, countsFor: undefined };
      const places = [
        { ...rest, org: await createOrganization(), scopes: ['trail/a'] },
        { ...rest, org: await createOrganization(), scopes: ['trail/b'] },
      ];
      const seen = await tested.records.storage.transaction(allOrganizations, async (transaction) => {
        for (const [number, place] of places.entries()) {
          await insert(transaction, place, await findConditions(transaction, place), number);
        }
        return Promise.all(places.map((place) => findConditions(transaction, place)));
      });
      expect(seen.map(({ latest }) => latest)).toEqual([
        { sequence: 1, createdAt: 0 },
        { sequence: 1, createdAt: 1 },
      ]);
    });
  });
}

async function findConditions({ attestations }: WriteTransaction, place: Place): Promise<Conditions> {
  const { org, flow, scopes, evidence, key, countsFor } = place;
  const [requestDigest, isAnyScopeFull, latest] = await Promise.all([
    key === undefined ? undefined : attestations.findRequestDigest(org, key),
    attestations.isAnyScopeFull({ org, flow }, { scopes, evidence, countsFor, maximumNames }),
    attestations.findLatest({ org, flow }),
  ]);
  return { requestDigest, isAnyScopeFull, latest };
}

function isInserted({ requestDigest, isAnyScopeFull }: Conditions): boolean {
  return requestDigest === undefined && !isAnyScopeFull;
}

async function insert(
  { trails, attestations }: WriteTransaction,
  { org, flow, scopes, evidence, key, countsFor }: Place,
  { latest }: Conditions,
  number: number,
): Promise<void> {
  await trails.insertMissing({ org, flow, name: 'main', createdAt: 5, report: {} });
  await attestations.insert({
    ...{ org, flow, trail: 'main', id: `${org}-${number}`, name: evidence, type: 'generic', verdict: 'compliant' },
    ...{
      reason: '',
      faults: [],
      createdAt: number,
      reportedBy: 'ann',
      documentJson: '{}',
      isStepBack: false,
      scopes,
      evidence,
      countsFor,
    },
    requestKey: key === undefined ? undefined : { key, digest: `digest of ${key}` },
    sequence: (latest?.sequence ?? 0) + 1,
  });
}

/** Evidence that counts for other environments has names of its own. */
function toNames(flow: string, scope: string, countsFor: readonly string[] | undefined): string {
  return JSON.stringify([flow, scope, countsFor]);
}

/** What is inserted, one after the other. */
class Model {
  readonly #keys = new Set<string | undefined>();
  readonly #names = new Map<string, Set<string>>();
  readonly #latest = new Map<string, LatestAttestation>();

  conditions({ flow, scopes, evidence, key, countsFor }: Insertion): Conditions {
    const names = scopes.map((scope) => this.#names.get(toNames(flow, scope, countsFor)) ?? new Set<string>());
    return {
      requestDigest: key !== undefined && this.#keys.has(key) ? `digest of ${key}` : undefined,
      isAnyScopeFull: names.some((known) => known.size >= maximumNames && !known.has(evidence)),
      latest: this.#latest.get(flow),
    };
  }

  insert({ flow, scopes, evidence, key, countsFor }: Insertion, createdAt: number): void {
    this.#keys.add(key);
    for (const scope of scopes) {
      const of = toNames(flow, scope, countsFor);
      this.#names.set(of, new Set([...(this.#names.get(of) ?? []), evidence]));
    }
    this.#latest.set(flow, { sequence: (this.#latest.get(flow)?.sequence ?? 0) + 1, createdAt });
  }
}
