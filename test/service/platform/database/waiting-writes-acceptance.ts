import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordArtifact } from '../../../../src/service/artifact/artifact-use-cases.ts';
import { recordAttestation } from '../../../../src/service/attestation/attestation-use-cases.ts';
import type { Storage } from '../../../../src/service/platform/database/storage.ts';
import { type KeyedRequest, RepeatedRequest } from '../../../../src/service/platform/idempotency/carry-out-once.ts';
import type { UseCaseDependencies } from '../../../../src/service/platform/judging/use-case-dependencies.ts';
import { beginTrail } from '../../../../src/service/trail/trail-use-cases.ts';
import { sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** A request of a pipeline, in one of two organizations. */
const request = fc.record({
  place: fc.constantFrom(0, 1),
  kind: fc.constantFrom('trail', 'artifact', 'attestation'),
  flow: fc.oneof({ weight: 8, arbitrary: fc.constantFrom('web', 'api') }, fc.constant('none')),
  trail: fc.constantFrom('a', 'b', 'c'),
  key: fc.option(fc.constantFrom('one', 'two', 'three', 'four')),
  digest: fc.constantFrom('first', 'second'),
});

type PipelineRequest = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** What a request led to. */
interface Outcome extends PipelineRequest {
  readonly org: string;
  readonly number: number;
  readonly result: unknown;
}

/** What every storage adapter must do for the requests of pipelines that wait for each other. */
export function describeWaitingWrites(name: string, open: () => Promise<StorageUnderTest>): void {
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

    it('are carried out one after the other', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40, size: 'max' }), async (all) => {
          const orgs = [await createOrganization(), await createOrganization()];
          let runs = 0;
          const outcomes = await Promise.all(
            all.map(async (each, number) => {
              const org = orgs[each.place] ?? '';
              // Each call may use another process.
              const storage = countRuns(tested.records.storage, () => (runs += 1));
              const result = await send({ ...tested.records.at(10), storage }, { ...each, org, number });
              return { ...each, org, number, result };
            }),
          );
          expect(runs).toBe(all.length);
          for (const org of orgs) {
            const own = outcomes.filter((outcome) => outcome.org === org);
            expectOnce(own);
            await expectRecords(tested.records.storage, own);
          }
        }),
        { numRuns: 15 },
      );
    });

    it('are carried out if others fail, of the same or of another organization', async () => {
      const fails = fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true));
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(request, fails), { minLength: 1, maxLength: 20 }), async (all) => {
          const orgs = [await createOrganization(), await createOrganization()];
          const failing = { kind: 'artifact', flow: 'web', key: null } as const;
          const first = { ...failing, place: 0, trail: 'a', digest: 'first', number: -1 } as const;
          for (const org of orgs) await send(tested.records.at(10), { ...first, org });
          const settled = await Promise.allSettled(
            all.map(async ([each, isFailing], number) => {
              const org = orgs[each.place] ?? '';
              // The database refuses a second report with the same id.
              const sent = isFailing ? { ...each, ...failing, org, number: -1 } : { ...each, org, number };
              const result = await send(tested.records.at(10), sent);
              return { ...each, org, number, result };
            }),
          );
          expect(settled.map(({ status }) => status === 'rejected')).toEqual(all.map(([, isFailing]) => isFailing));
          const outcomes = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
          for (const org of orgs) {
            const own = outcomes.filter((outcome) => outcome.org === org);
            expectOnce(own);
            await expectRecords(tested.records.storage, [{ ...first, org, result: 'recorded' }, ...own]);
          }
        }),
        { numRuns: 10 },
      );
    });
  });
}

/** Calls back whenever the work of a transaction is run. */
function countRuns(storage: Storage, count: () => void): Storage {
  return {
    read: (work) => storage.read(work),
    transaction: (scope, work) =>
      storage.transaction(scope, (transaction) => {
        count();
        return work(transaction);
      }),
    onCommit: (listener) => {
      storage.onCommit(listener);
    },
    probe: (bytes) => storage.probe(bytes),
    close: () => storage.close(),
  };
}

function send(dependencies: UseCaseDependencies, sent: Omit<Outcome, 'result'>): Promise<unknown> {
  const { org, flow, trail, number, kind } = sent;
  const at = { org, flow, createdAt: number, reportedBy: 'ann' };
  if (kind === 'artifact') {
    const reported = sampleArtifact({ trail_name: trail, git_commit: toCommit(number) });
    const artifact = { ...at, id: `id-${number}`, report: reported };
    return recordArtifact(dependencies, artifact, toKeyed(sent));
  }
  if (kind === 'trail') {
    const report = { git_commit_info: { sha1: toCommit(number) } };
    const author = { by: 'ann', mayDefine: true };
    const begun = { org, flow, name: trail, report, template: undefined, ...author };
    return beginTrail(dependencies, begun, toKeyed(sent));
  }
  const document = sampleAttestation('OK', { attestation_name: 'unit' });
  const judged = { name: 'unit', type: 'generic', verdict: 'compliant', reason: '', faults: [] } as const;
  return recordAttestation(dependencies, { ...at, ...judged, trail, id: `id-${number}`, document }, toKeyed(sent));
}

function toKeyed<Result>({ org, kind, key, digest }: Omit<Outcome, 'result'>): KeyedRequest<Result> | undefined {
  if (key === null) return undefined;
  return {
    ...{ org, scope: kind, key, digest },
    toAnswer: (result) => (result === 'flow not found' ? undefined : { status: 200, body: JSON.stringify(result) }),
  };
}

function toCommit(number: number): string {
  return number.toString(16).padStart(40, '0');
}

function isRepeated({ result }: Outcome): boolean {
  return result instanceof RepeatedRequest;
}

/** Requests with the same key are carried out once; the others know whether they have the same content. */
function expectOnce(outcomes: readonly Outcome[]): void {
  for (const each of outcomes) {
    if (each.result === 'flow not found') expect(each.flow).toBe('none');
    else if (!isRepeated(each)) expect(each.flow).not.toBe('none');
  }
  const keyed = outcomes.filter(({ key }) => key !== null);
  for (const same of Map.groupBy(keyed, ({ kind, key }) => `${kind} ${key}`).values()) {
    const carriedOut = same.filter((each) => !isRepeated(each) && each.result !== 'flow not found');
    if (same.some(({ flow }) => flow !== 'none')) expect(carriedOut).toHaveLength(1);
    for (const { result, digest } of same) {
      if (!(result instanceof RepeatedRequest)) continue;
      expect(result.first !== undefined).toBe(digest === carriedOut[0]?.digest);
    }
  }
}

/** Everything that was carried out is recorded, in one order. */
async function expectRecords(storage: Storage, outcomes: readonly Outcome[]): Promise<void> {
  const [{ org } = { org: '' }] = outcomes;
  const carriedOut = outcomes.filter((each) => !isRepeated(each) && each.flow !== 'none');
  for (const flow of ['web', 'api']) {
    const own = carriedOut.filter((each) => each.flow === flow);
    const of = (kind: string): readonly number[] =>
      own.filter((each) => each.kind === kind).map(({ number }) => number);
    const artifacts = await listArtifacts(storage, org, flow);
    expect(artifacts.toSorted((a, b) => a - b)).toEqual(of('artifact'));
    for (const trail of ['a', 'b', 'c']) {
      await expectTrail(
        storage,
        { org, flow, name: trail },
        own.filter((each) => each.trail === trail),
      );
    }
  }
}

/** Lists the numbers of artifacts one by one, which finds them all only if their sequence has no gaps. */
async function listArtifacts(storage: Storage, org: string, flow: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (;;) {
    const part = { limit: 1, offset: found.length };
    const [artifact] = await storage.read(({ artifacts }) => artifacts.listReports({ org, flow }, part));
    if (artifact === undefined) return found;
    found.push(artifact.createdAt);
  }
}

async function expectTrail(
  storage: Storage,
  trail: { readonly org: string; readonly flow: string; readonly name: string },
  carriedOut: readonly Outcome[],
): Promise<void> {
  const [found, updates, attestations] = await storage.read((transaction) =>
    Promise.all([
      transaction.trails.find(trail),
      transaction.trails.listUpdates(trail, 100),
      transaction.attestations.listByTrail(trail, trail.name, 100),
    ]),
  );
  expect(found !== undefined).toBe(carriedOut.length > 0);
  const recorded = carriedOut.filter(({ kind }) => kind === 'attestation').map(({ number }) => number);
  expect(attestations.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)).toEqual(recorded);
  const trails = carriedOut.filter(({ kind }) => kind === 'trail');
  const begun = trails.filter(({ result }) => result === 'begun').map(({ number }) => toCommit(number));
  const updated = trails.filter(({ result }) => result === 'updated').map(({ number }) => toCommit(number));
  expect(begun.length).toBeLessThanOrEqual(1);
  if (carriedOut.length === trails.length && trails.length > 0) expect(begun).toHaveLength(1);
  const commits = updates.map(({ commit }) => commit?.sha1);
  expect(commits.toSorted()).toEqual(updated.toSorted());
  const [reported] = carriedOut.filter(({ kind, number }) => kind === 'artifact' && number === found?.createdAt);
  const first = reported === undefined ? undefined : toCommit(reported.number);
  expect(found?.report.git_commit_info?.sha1).toBe(commits[0] ?? begun[0] ?? first);
}
